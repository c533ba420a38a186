"""A note is a set of records: parse one, join two, render one.

The set is a dictionary from uid to the record's text. Joining works on texts alone and needs no
common ancestor:

- `join` is commutative, associative and idempotent;
- parsing the concatenation of two notes gives their join, so git's own `union` and `concatenate`
  merges are harmless;
- equal sets render to equal bytes.

Text outside any record was added with plain git: it becomes a record whose uid derives from the
text. Legacy records keep their original text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from recollect.core import uid as uids
from recollect.core.patterns import pattern
from recollect.core.proof import content_digest, proves
from recollect.core.record import (
    ADOPTED,
    CREATE,
    PURGE,
    Record,
    is_legacy,
    read_record,
    render_record,
)
from recollect.core.uid import claims_proof, derive_uid

SUMMARY_LENGTH = 100
_FULL = 70  # characters of a clause that are worth more than some further words
_OPENER = pattern(rf"^---\nuid: ({uids.PATTERN})$", re.MULTILINE)
_CRLF_OPENER = pattern(rf"^---\r\nuid: {uids.PATTERN}\r$", re.MULTILINE)
_SENTENCE_END = pattern(r"(?<=[\w)`\"'][.!?])\s(?=[A-Z`\"'(\d])")
_CLAUSE_END = pattern(
    r"[,;:]?\s(?:[-–—]\s|(?:because|since|so|but|and|which|when|if|where|while|unless|although)\s)"
    r"|[,;:]\s"
)
_TERMINATOR = "\n...\n"

Note = dict[str, str]


def parse_note(text: str) -> Note:
    """Parse a note's text into its set of records; no text is ever dropped."""
    if "\r" in text and _CRLF_OPENER.search(text) and not _OPENER.search(text):
        text = text.replace("\r\n", "\n")  # an editor rewrote the whole note
    if not text.endswith("\n"):
        text += "\n"
    note: Note = {}
    outside: list[str] = []
    if text.startswith("---\nuid: ") and text.find(_TERMINATOR) == len(text) - len(_TERMINATOR):
        opener = _OPENER.match(text)
        if opener is not None and text.find("\nuid: ", opener.end()) < 0:
            return {opener.group(1): text}  # the common case: one record and nothing else
    openers = list(_OPENER.finditer(text))
    position = 0
    for number, opener in enumerate(openers):
        outside.append(text[position : opener.start()])
        limit = openers[number + 1].start() if number + 1 < len(openers) else len(text)
        end = text.find(_TERMINATOR, opener.end() - 1, limit)
        if end < 0:  # the terminator was cut off: restore it, so that nothing runs into this record
            record = text[opener.start() : limit].rstrip("\n") + _TERMINATOR
            position = limit
        else:
            position = end + len(_TERMINATOR)
            record = text[opener.start() : position]
        add_record(note, opener.group(1), record)
    outside.append(text[position:])
    for chunk in outside:
        if chunk and not chunk.isspace():
            _add_outside(note, chunk)
    return note


def _add_outside(note: Note, chunk: str) -> None:
    from recollect.core.legacy import legacy_uid, split_legacy  # hardly any note needs it

    for legacy, text in split_legacy(chunk):
        if legacy:
            add_record(note, legacy_uid(text), text + "\n")
        else:
            record = adopt_text(text)
            add_record(note, record.uid, render_record(record))


def adopt_text(text: str) -> Record:
    """Turn plain text into a record that depends only on the text."""
    text = text.strip()
    summary = shorten_line(text)
    return Record(
        uid=derive_uid(text),
        op=CREATE,
        fields={"summary": summary, "provenance": dict(ADOPTED)},
        body=None if summary == text else text,
    )


def shorten_line(text: str, limit: int = SUMMARY_LENGTH) -> str:
    """Return the first non-empty line, without heading marks, cut at a word boundary."""
    for line in text.splitlines():
        words = " ".join(line.lstrip("#>*- \t").split())
        if words:
            break
    else:
        words = " ".join(text.split()) or "(no text)"
    if len(words) <= limit:
        return words
    cut = words[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) >= limit // 2 else cut) + "…"


def summarize(text: str) -> tuple[str, str]:
    """Split a text into summary and body; no body if the summary contains everything.

    The summary of a long text is its first sentence. Otherwise it ends after the last clause that
    fits, if that fills most of the room, or after the last word.
    """
    summary = shorten_line(text)
    if summary.endswith("…") and summary not in text:
        line = shorten_line(text, len(text) + 1)
        sentence = _SENTENCE_END.search(line, 0, SUMMARY_LENGTH + 1)
        if sentence is not None:
            summary = line[: sentence.start()]
        else:
            clauses = [end.start() for end in _CLAUSE_END.finditer(line, 0, SUMMARY_LENGTH)]
            if clauses and clauses[-1] >= _FULL:
                summary = line[: clauses[-1]] + "…"
    return summary, "" if summary == " ".join(text.split()) else text


def add_record(note: Note, uid: str, text: str) -> None:
    """Add a record to a note, which may already contain it."""
    known = note.get(uid)
    note[uid] = text if known is None else _stronger(uid, known, text)


def _stronger(uid: str, one: str, other: str) -> str:
    """Choose between two texts with one uid: prefer the one that the uid proves.

    If it proves both, which then differ only in the id: the shorter, then the bytewise smaller. If
    it proves neither: the longer, then the bytewise greater, because git's porcelain only ever
    removes characters, so the longer one is the original. A quarantined text never wins against one
    that counts, nor a change against a creation.
    """
    from recollect.core.disposition import rank

    if one == other:
        return one
    first = one.encode("utf-8", "surrogateescape")
    second = other.encode("utf-8", "surrogateescape")
    is_first = (rank(one), len(first), first) >= (rank(other), len(second), second)
    if claims_proof(uid):
        is_proven = proves(uid, one)
        if is_proven != proves(uid, other):
            return one if is_proven else other
        if is_proven:
            return one if (len(first), first) <= (len(second), second) else other
    return one if is_first else other


def join(*notes: Mapping[str, str]) -> Note:
    """Return the union of notes by uid."""
    joined: Note = {}
    for note in notes:
        for uid, text in note.items():
            add_record(joined, uid, text)
    return joined


def altered_copies(joined: Mapping[str, str], notes: Iterable[Mapping[str, str]]) -> set[str]:
    """Return the records for which a join found an altered copy and kept the original."""
    return {
        uid
        for note in notes
        for uid, text in note.items()
        if claims_proof(uid) and joined[uid] != text
        if proves(uid, joined[uid]) and not proves(uid, text)
    }


def render_note(note: Mapping[str, str]) -> str:
    """Render a set of records canonically: legacy records first, then ours, by uid."""
    legacy = sorted(uid for uid, text in note.items() if is_legacy(text))
    framed = sorted(uid for uid, text in note.items() if not is_legacy(text))
    return "\n".join(note[uid] for uid in (*legacy, *framed))


def canonical(text: str) -> str:
    """Return a note's text as we would write it; only-legacy notes stay unchanged."""
    note = parse_note(text)
    if note and all(map(is_legacy, note.values())):
        return text
    return render_note(note)


def read_stored(text: str) -> Record:
    """Parse one record of a note, ours or legacy."""
    if not is_legacy(text):
        return read_record(text)
    from recollect.core.legacy import read_legacy

    return read_legacy(text)


def read_with_digest(uid: str, text: str) -> Record:
    """Parse one record of a note, with a content digest if its uid does not prove it."""
    return with_digest(read_stored(text), uid, text)


def with_digest(record: Record, uid: str, text: str) -> Record:
    """Return a parsed record with a content digest, if it needs one."""
    return record if proves(uid, text) else record._replace(digest=content_digest(record))


def purged_uids(note: Mapping[str, str]) -> frozenset[str]:
    """Return the uids that the purge records of a note erase."""
    return frozenset(record.of for record in purge_records(note) if record.of)


def purge_records(note: Mapping[str, str]) -> list[Record]:
    """The purge records of a note."""
    from recollect.core.disposition import dispose

    found = (dispose(text) for text in note.values() if f"\nop: {PURGE}\n" in text)
    return [record for record, reason in found if not reason and record.op == PURGE and record.of]


def scrub(note: Mapping[str, str], purged: Iterable[str]) -> Note:
    """Return the note without purged memories and their updates; purge records stay."""
    erased = frozenset(purged)
    if not erased:
        return dict(note)
    return {uid: text for uid, text in note.items() if not _is_erased(uid, text, erased)}


def _is_erased(uid: str, text: str, erased: frozenset[str]) -> bool:
    if uid in erased:
        return True
    if is_legacy(text):
        return False
    record = read_record(text)
    return record.op != PURGE and record.of in erased
