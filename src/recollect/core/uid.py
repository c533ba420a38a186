"""Uids: the identity of a record, a ULID in Crockford's base 32.

A generated uid contains its time, so records sort by age. A derived uid belongs to a text that was
written without one; it depends only on that text, so every clone gives the same text the same
identity.

The top bit of the 48-bit time says that the uid proves the text of its record (see `core.proof`):
such a uid starts with 4 to 7. The time itself has the other 47 bits.
"""

from __future__ import annotations

from functools import cache

from recollect.core.patterns import pattern

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
PATTERN = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_UID = pattern(PATTERN + r"\Z")
_RANDOM_BITS = 80
_TIME_LENGTH = 10
_MAX_TIME = (1 << 47) - 1
_PROOF = 4  # the proof bit, in the first character
_PROVING = "4567"


def is_uid(text: str) -> bool:
    """Whether a text is a complete uid."""
    return _UID.match(text) is not None


def make_uid(milliseconds: int, randomness: int) -> str:
    """Return the uid for a time and 80 random bits."""
    time = min(max(milliseconds, 0), _MAX_TIME)
    return encode((time << _RANDOM_BITS) | (randomness & ((1 << _RANDOM_BITS) - 1)))


def claims_proof(uid: str) -> bool:
    """Whether a uid claims to prove the text of its record."""
    return uid[:1] != "" and uid[0] in _PROVING


def is_nonce(text: str) -> bool:
    """Whether a text is a valid nonce: a uid without proof."""
    return is_uid(text) and not claims_proof(text)


def proving_prefix(nonce: str) -> str:
    """Return the start of the proving uid for this nonce: the proof bit and the time."""
    return f"{int(nonce[0]) | _PROOF}{nonce[1:_TIME_LENGTH]}"


def derive_uid(text: str, milliseconds: int = 0) -> str:
    """Derive the uid of a text that came without one; the same text always gets the same uid."""
    import hashlib  # loads OpenSSL, which few hooks need

    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    return make_uid(milliseconds, int.from_bytes(digest[:10], "big"))


def uid_milliseconds(uid: str) -> int:
    """Return the time in a uid; 0 if it was derived from undated text."""
    value = 0
    for char in uid[:_TIME_LENGTH]:
        value = value * 32 + ALPHABET.index(char)
    return value & _MAX_TIME


def encode(value: int, length: int = LENGTH) -> str:
    """Return a number in Crockford's base 32, with an even number of digits."""
    pairs = _pairs()
    return "".join([pairs[value >> bits & 1023] for bits in range(5 * length - 10, -1, -10)])


@cache
def _pairs() -> list[str]:
    return [first + second for first in ALPHABET for second in ALPHABET]
