"""Deceptive characters: invisible ones, controls, and look-alikes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

from recollect.core.patterns import pattern

# Unicode's Default_Ignorable_Code_Point, which `unicodedata` does not expose: all invisible.
_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
# Controls except line feed and tab, surrogates, private use, invisible line separators, interlinear
# annotation, and characters that render as nothing.
_UNSEEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u2028\u2029\u2800\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f"
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
)
HIDDEN = pattern(f"[{_IGNORABLE}{_UNSEEN}]")
# What `fold` looks at: as many plain characters as there are in a row, or one that is not ASCII.
_RUNS = pattern(r"[\n\t -~]+|[^\x00-\x7f]")
# The invisible characters that ordinary text needs: variation selectors and joiners.
_LOOK = "\ufe0e\ufe0f"
_JOINERS = "\u200c\u200d"
REPLACEMENT = "\ufffd"

# Letters that look Latin but are not, as far as they can spell an instruction.
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_LIKE_LATIN = {
    # Cyrillic, Greek
    **dict(zip("авсԁеɡһіјкӏмпорԛгѕтцѵԝхуз", "abcdeghijklmnopqrstuvwxyz", strict=True)),
    **dict(zip("αβςδεϝγηιϳκλμνορϙτυχωζσ", "abcdefgnijklmvopqtuxwzo", strict=True)),
    # small capitals, which are separate letters
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz", strict=True)),
    # Armenian, Cherokee, Lisu and others that are used for spoofing
    **dict(zip("օոսհցɩıłøđħŧƿꓲꓳꓢꓰꓚꭵ", "onuhgiilodhtpioseci", strict=True)),
    "ь": "b",
    "н": "h",
    "и": "u",
    "ї": "i",
    "є": "e",
    "ǝ": "e",
    "ƨ": "s",
    "⁄": "/",
    "∶": ":",
    "ː": ":",
    "꞉": ":",
    "‹": "<",
    "›": ">",
    "〈": "<",
    "〉": ">",
    "⟨": "<",
    "⟩": ">",
    "《": "<",
    "》": ">",
    "【": "[",
    "】": "]",
}
_LIKE_LATIN |= {
    key.upper(): value.upper() for key, value in _LIKE_LATIN.items() if len(key.upper()) == 1
}
_LIKE_LATIN |= dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True))
# Letters in flags and in filled squares and circles.
for _first in (0x1F1E6, 0x1F130, 0x1F150, 0x1F170):
    _LIKE_LATIN |= {chr(_first + n): letter for n, letter in enumerate(_LATIN)}


def visible(text: str) -> str:
    """Remove everything invisible: controls, zero widths, direction overrides, tags."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return HIDDEN.sub("", text)


def printable(text: str) -> str:
    """Make a text safe to print: a terminal can neither execute nor reorder it.

    A mark replaces each hidden character, so that you see that something is there. Emoji and
    scripts with joined letters keep the characters they need.
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    parts: list[str] = []
    last = 0
    for match in HIDDEN.finditer(text):
        start = match.start()
        parts += text[last:start], match[0] if _is_needed(text, start) else REPLACEMENT
        last = match.end()
    return "".join((*parts, text[last:]))


def _is_needed(text: str, place: int) -> bool:
    """Whether a hidden character affects how its neighbours are displayed."""
    char = text[place]
    if char not in _LOOK and char not in _JOINERS:
        return False
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before or before.isascii():
        return char in _LOOK and bool(before) and before in "0123456789#*"  # keycaps
    if char in _LOOK:
        return unicodedata.category(before) in ("So", "Sm", "Po", "Sk")
    if not after or after.isascii():
        return False
    if unicodedata.category(before) in ("So", "Sk") or before in _LOOK:
        return unicodedata.category(after) == "So"
    # Arabic and Indic letters; between Latin, Greek or Cyrillic letters it only hides something.
    return all(c.isalpha() or unicodedata.combining(c) for c in (before, after)) and (
        min(before, after) >= "\u0600"
    )


def fold(text: str) -> tuple[str, list[str]]:
    """Fold a text to the Latin letters that it looks like, character by character.

    Returns the folded text and the original of each character. Both have the same length, so a cut
    in one applies to the other. Hidden characters are in neither.
    """
    folded: list[str] = []
    original: list[str] = []
    for char in _RUNS.findall(text):
        if char.isascii():
            folded.append(char)
            original += char
            continue
        parts = _folded(char)
        for number, part in enumerate(parts):
            folded.append(part)
            original.append(char if number == 0 else "")
        if not parts and original and not HIDDEN.match(char):
            original[-1] += char  # an accent stays with its letter
    return "".join(folded), original


@cache
def _folded(char: str) -> str:
    if HIDDEN.match(char):
        return ""
    return "".join(_parts(char))


def _parts(char: str) -> Iterator[str]:
    for part in unicodedata.normalize("NFKD", _LIKE_LATIN.get(char, char)):
        if unicodedata.category(part) in ("Mn", "Me"):
            continue
        yield _LIKE_LATIN.get(part, " " if part.isspace() else part)
