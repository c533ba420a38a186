"""Whether the text of a record is what its author wrote: the uid proves it.

The random part of a proving uid is the hash of the record's text, without its lines `uid` and `id`.
The text includes a nonce, which gives the uid its time and keeps two records that say the same
apart. A copy of the record that was altered does not match its uid, in whatever clone. The `id`
is given when the record is written, inside the transaction, so it is not part of the hash; but that
of a creation must begin with its kind.

A record without proof was written by an older version, or by another program.
"""

from __future__ import annotations

import json
import re

from recollect.core.legacy import LEGACY_MARK
from recollect.core.patterns import pattern
from recollect.core.record import CREATE, Record, read_value, render_record
from recollect.core.uid import ALPHABET, LENGTH, claims_proof, proving_prefix

_DOMAIN = b"recollect record 1\n"
_PROOF_BYTES = 10
_DIGEST_LENGTH = 20
_NONCE = pattern(rf"^nonce: ([0-3][{ALPHABET}]{{{LENGTH - 1}}})$", re.MULTILINE)
_TYPE = pattern(r"^type: (.*)$", re.MULTILINE)
_CREATION = f"\nop: {CREATE}\n"
_OPENER = "---\nuid: "
_TO_CROCKFORD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", ALPHABET.encode())
_MOST_ID = 200  # characters of the one line that the proof does not cover


def seal(record: Record) -> Record:
    """The record under the uid that proves it. It needs a nonce; its id may come later."""
    assert record.nonce is not None
    uid = _proving_uid(render_record(record._replace(uid=record.nonce)))
    assert uid is not None
    return record._replace(uid=uid)


def proves(uid: str, text: str) -> bool:
    """Whether a text is the one that its uid was made for."""
    return claims_proof(uid) and _proving_uid(text) == uid


def is_altered(record: Record) -> bool:
    """Whether a record that was read with `read_marked` is not what its author wrote."""
    return bool(record.digest) and claims_proof(record.uid)


def content_digest(record: Record) -> str:
    """What stands for the content of a record that no uid proves.

    The id and the mark of a legacy record do not count: an edit adds them.
    """
    import hashlib  # it loads OpenSSL, and few hooks need it

    fields = {name: value for name, value in record.fields.items() if name != LEGACY_MARK}
    content = (record.op, record.of, record.rev, record.timestamp, record.by, record.nonce)
    text = json.dumps((*content, fields, record.body), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]


def _is_named_by_kind(text: str, at: int, end: int) -> bool:
    """Whether the id of a creation begins with its kind, which its `type` says."""
    found = _TYPE.search(text, 0, end)
    if found is None:
        return False
    name = read_value(text[at + 4 : text.find("\n", at + 1)].strip(" "))
    return isinstance(name, str) and name.startswith(f"{read_value(found.group(1))}:")


def _proving_uid(text: str) -> str | None:
    """The uid that proves a text; None where it has no nonce or is no whole record."""
    end = text.find("\n---\n", 3)
    nonce = _NONCE.search(text, 0, end) if end > 0 else None
    if nonce is None or not text.startswith(_OPENER):
        return None
    start = text.index("\n", len(_OPENER))
    at = text.find("\nid:", start, end)
    if at >= 0:
        after = text.find("\n", at + 1)
        if after - at > _MOST_ID or text.find("\nid:", after, end) >= 0:
            return None
        if text.startswith(_CREATION, start) and not _is_named_by_kind(text, at, end):
            return None
        covered = text[start:at] + text[after:]
    else:
        covered = text[start:]
    import hashlib
    from base64 import b32encode

    digest = hashlib.sha256(_DOMAIN + covered.encode("utf-8", "surrogateescape")).digest()
    proof = b32encode(digest[:_PROOF_BYTES]).translate(_TO_CROCKFORD)
    return proving_prefix(nonce.group(1)) + proof.decode()
