"""Proof: whether a record's text is what its author wrote.

The random part of a proving uid is the hash of the record's text without its `uid` and `id` lines.
The text includes a nonce, which gives the uid its time and distinguishes two records with the same
content. An altered copy does not match its uid, in any clone. The `id` is assigned inside the
transaction, so it is not part of the hash; but the id of a creation must begin with its kind.

A record without proof was written by an older version or by another program.
"""

from __future__ import annotations

import json
import re

from recollect.core.patterns import pattern
from recollect.core.record import CREATE, LEGACY_MARK, Record, read_value, render_record
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
    """Return the record under the uid that proves it. It needs a nonce; the id may follow later."""
    assert record.nonce is not None
    uid = _proving_uid(render_record(record._replace(uid=record.nonce)))
    assert uid is not None
    return record._replace(uid=uid)


def proves(uid: str, text: str) -> bool:
    """Whether a text is the one that its uid was derived from."""
    return claims_proof(uid) and _proving_uid(text) == uid


def is_altered(record: Record) -> bool:
    """Whether a record from `read_with_digest` differs from what its author wrote."""
    return bool(record.digest) and claims_proof(record.uid)


def content_digest(record: Record) -> str:
    """Return a digest for the content of a record that no uid proves.

    It excludes the id and the legacy marker, which an edit adds.
    """
    import hashlib  # loads OpenSSL, which few hooks need

    fields = {name: value for name, value in record.fields.items() if name != LEGACY_MARK}
    content = (record.op, record.of, record.rev, record.timestamp, record.by, record.nonce)
    text = json.dumps((*content, fields, record.body), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]


def _is_named_by_kind(text: str, at: int, end: int) -> bool:
    """Whether the id of a creation begins with the kind in its `type`."""
    found = _TYPE.search(text, 0, end)
    if found is None:
        return False
    name = read_value(text[at + 4 : text.find("\n", at + 1)].strip(" "))
    return isinstance(name, str) and name.startswith(f"{read_value(found.group(1))}:")


def _proving_uid(text: str) -> str | None:
    """Return the uid that proves a text; None without a nonce or if the record is incomplete."""
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
