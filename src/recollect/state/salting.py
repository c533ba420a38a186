"""Hashes words so that nobody can guess them without the salt of a repository."""

from __future__ import annotations

try:  # `hashlib` also loads OpenSSL, which takes a hook some milliseconds
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

_BYTES = 6


def salted_hash(word: str, salt: bytes) -> int:
    """Return the salted hash of a word or a text."""
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=_BYTES, key=salt).digest())
