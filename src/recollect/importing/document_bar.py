"""What the title of a memory from a document needs: it must hold on any later day.

What was planned, was true until a day, or belongs to a version before a release is soon outdated,
and a heading that names a thing says nothing about it.
"""

from __future__ import annotations

import re

from recollect.core.patterns import pattern
from recollect.importing.titles import is_sentence, is_statement
from recollect.importing.verbs import first_verb

_HEADING = pattern(
    r"(?:Changed(?: incompatibly)?|Deprecated|Removed|Step \d{1,2}|Known issue): ",
)
_VERSION_LAST = pattern(r"\s\([\w.-]{1,20}\)\Z")
_NO_SENTENCE = pattern(r"[:;,.)\]]|Answer: |[^\n]{0,200}…\Z|Step \d|No (?!longer\b)", re.IGNORECASE)
# What holds until a day, or is announced.
_EXPIRES = pattern(
    r"\b(?:until|by|before) (?:the )?(?:\w{1,9} ){0,4}(?:20\d\d|version \d|v?\d{1,2}\.\d)"
    r"|\bwill be (?:removed|dropped|deprecated|supported|added|changed|available|introduced)"
    r"|\b(?:planned|upcoming|next (?:major |minor )?(?:release|version)|feedback|roadmap)\b",
    re.IGNORECASE,
)
_CHAT = pattern(r"\b(?:I|I['’]m|my|[Ww]e['’]re|let['’]s)\b|!|\bhopefully\b")
_OF_PRERELEASE = pattern(
    r"[^\n#]{1,400}#v?\d[\d.]{0,12}[-.]?(?:a|b|rc|alpha|beta|dev|pre)[-.]?\d{0,3}#", re.IGNORECASE
)
_NUMBERS = pattern(r"\bv?\d[\d.]{0,12}\b")
_REQUIRES = pattern(r"\b(?:requires?|minimum|only supports?|at least)\b", re.IGNORECASE)
_CVE = pattern(r"\bCVE-\d{4}-\d")


def is_lasting(identity: str, title: str) -> bool:
    """Whether a title is a whole sentence that does not expire."""
    if _CVE.search(title):
        return True
    heading = _HEADING.match(title)
    said = _VERSION_LAST.sub("", title[heading.end() :] if heading else title)
    if _NO_SENTENCE.match(said) or _EXPIRES.search(title) or _CHAT.search(title):
        return False
    if _OF_PRERELEASE.match(identity):
        return False
    is_said = is_statement(said) or (first_verb(said) != "" and len(said.split()) > 3)
    return is_said if heading else is_said or is_sentence(said)


def without_numbers(title: str) -> str:
    """Return what titles have in common that differ in what they require; of these, one holds."""
    bare = _VERSION_LAST.sub("", title)
    return (_NUMBERS.sub("#", bare) if _REQUIRES.search(bare) else bare).casefold()
