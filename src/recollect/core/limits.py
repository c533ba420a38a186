"""Limits: how large, how deep and how far a note may go.

This is the one table. The writer checks it before anything is stored, and the reader checks it
before anything is trusted: what one version writes, every version with these limits reads.

| limit | value | what happens beyond it |
|---|---|---|
| bytes of a note that is read | 32 MiB | the note is refused by its size, before it is read |
| bytes of a note that is changed | 16 MiB | the change is refused |
| bytes of a note that takes new memories | 4 MiB | they go to the project's notes |
| records in a note that is read | 100,000 | the note is refused |
| records in a note that takes new memories | 10,000 | they go to the project's notes |
| bytes of a record | 1 MiB | the record is quarantined |
| lines in the header of a record | 200 | the record is quarantined |
| levels of JSON in a header value | 32 | the record is quarantined |
| digits of a whole number | 18 | the record is quarantined |
| year of a date, in UTC | 1970 to 2999 | the record is quarantined |
| offset of a date from UTC | 15 hours | the record is quarantined |
| number at the end of an id | 9,999,999 | it does not count when the next id is made |
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NOTE_BYTES: Final = 32 * 1024 * 1024
CHANGED_NOTE_BYTES: Final = 16 * 1024 * 1024
OPEN_NOTE_BYTES: Final = 4 * 1024 * 1024
NOTE_RECORDS: Final = 100_000
OPEN_NOTE_RECORDS: Final = 10_000
RECORD_BYTES: Final = 1024 * 1024
HEADER_LINES: Final = 200
JSON_DEPTH: Final = 32
DIGITS: Final = 18
MAX_INTEGER: Final = 10**DIGITS - 1
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2999
OFFSET_SECONDS: Final = 15 * 3600
MAX_ID_NUMBER: Final = 9_999_999
