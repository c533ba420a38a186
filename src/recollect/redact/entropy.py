"""Random characters: the last check, for secrets that no other rule names.

Entropy alone cannot tell a key from a long identifier. Random text also changes between lower case,
upper case and digits at almost every second character and contains few parts that could be words,
while `parseHttpResponseCode2` consists of them. All conditions must hold. Random but public text is
exempt: hexadecimal digests, UUIDs, integrity hashes, ULIDs, public keys, the path of a web address,
encoded images and encoded prose.
"""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64
from math import log2

from recollect.core.uid import is_uid
from recollect.redact.rule import Candidate, compiled

# Match a certificate or public key as a whole, so that its lines are not matched.
RUN = (
    r"-----BEGIN (?:CERTIFICATE|(?:[A-Z0-9]{1,10} ){0,2}PUBLIC KEY|PGP SIGNATURE|PGP MESSAGE|"
    r"SSH SIGNATURE|X509 CRL)[A-Z ]{0,20}-----(?:[^-]|-(?!----))*+"
    r"|[A-Za-z0-9+/_-]{20,}+={0,2}"
)
_LONGEST = 512  # longer text is data, not a key
_LEAST_BITS = 3.4
_LEAST_DIGITS = 2
_LEAST_ODD = 16
_ODD_SHARE = 0.6

_PUBLIC_LEAD = (
    r"(?i)(?:sha-?\d{1,3}|md5|h1|checksum|digest|integrity|hash|base64|etag|rev|nonce|signature)"
    r"\W{1,6}\Z"
)
_PUBLIC = (
    r"(?i)sha\d{1,3}[-_]"  # the integrity hash of a package
    r"|AAAA[BCE][23]"  # an SSH public key
    # An id that an API issued.
    r"|(?:[a-z]{1,10}_)?(?:asst|call|chatcmpl|file|gen|item|msg|req|resp|run|thread|toolu)[_-]"
    r"|[A-Z]{1,6}_k[wg][A-Z]"  # a GitHub node id
    r"|(?-i:I[0-9a-f]{40}\Z)"  # a Gerrit change
    r"|pk_(?:live|test)_"  # a Stripe publishable key
    r"|[acehlmqstvz0-9-]+\Z"  # an SVG path
    r"|iVBORw0KGgo|R0lGOD|/9j/|UklGR|PHN2Zy|d09G"  # images and fonts
)
_HEX = r"(?i)(?:0x)?[0-9a-f]+\Z"
_PIECE = r"[A-Za-z0-9]+"
_CHANGE = r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])"
_WORD = r"[A-Z]?[a-z]{3,}|[A-Z][a-z]{2,}"
# Random characters change their class at 62 of 100 places (36 to 42 with one letter case), and a
# third of them could be words. Names like `getUTF8StringFromBase64` change less and are words.
_LEAST_MIXED = 0.8
_LEAST_CHANGES, _MOST_WORDS = 0.22, 0.85
_SHORTEST_PLAIN = 12


def is_random(found: Candidate) -> bool:
    """Whether a run of 20 or more characters looks like a key."""
    value = found.value
    if (
        len(value) > _LONGEST
        or value.startswith("-----")
        or sum(map(value.count, "0123456789")) < _LEAST_DIGITS
    ):
        return False
    odd = [piece for piece in compiled(_PIECE).findall(value) if is_odd(piece)]
    length = sum(map(len, odd))
    if length < _LEAST_ODD or length < _ODD_SHARE * len(value):
        return False
    return bits_per_character(value) >= _LEAST_BITS and not _is_public(found)


def bits_per_character(value: str) -> float:
    """Return the Shannon entropy of a text over its own characters."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * log2(share) for share in shares)


def is_odd(piece: str) -> bool:
    """Whether a piece without punctuation is neither word, number, hexadecimal nor camelCase."""
    if len(piece) < 4 or (piece.isalpha() and (piece.islower() or piece.isupper())):
        return False
    if compiled(_HEX).match(piece) or is_uid(piece.upper()):
        return False
    changes = len(compiled(_CHANGE).findall(piece)) / (len(piece) - 1)
    words = sum(map(len, compiled(_WORD).findall(piece))) / len(piece)
    if piece != piece.lower() and piece != piece.upper():
        return changes + (1 - words) >= _LEAST_MIXED
    return len(piece) >= _SHORTEST_PLAIN and changes >= _LEAST_CHANGES and words <= _MOST_WORDS


def _is_public(found: Candidate) -> bool:
    return (
        compiled(_PUBLIC).match(found.value) is not None
        or compiled(_PUBLIC_LEAD).search(found.lead) is not None
        or found.in_web_path
        or _is_encoded_text(found.value)
    )


def _is_encoded_text(value: str) -> bool:
    """Whether the value is base64 of readable text."""
    body = value.rstrip("=")
    try:
        decoded = a2b_base64(body + "=" * (-len(body) % 4))
        text = decoded.decode("ascii")
    except (NotBase64, UnicodeDecodeError, ValueError):
        return False
    return len(decoded) * 4 >= len(body) * 3 - 4 and all(
        char.isprintable() or char.isspace() for char in text
    )
