"""Records that an attacker, a bug or a bad disk may put into a note."""

from __future__ import annotations

UID = "01M7GBJJDY86YZZDQ8VQJ7NATA"
OTHER = "01M7GBJJDY86YZZDQ8VQJ7NATB"


def record(*header: str, uid: str = UID, body: str = "") -> str:
    """The text of a record with some header lines."""
    return "\n".join(["---", f"uid: {uid}", *header, "---", *([body] if body else []), "...", ""])


def legacy(**fields: str) -> str:
    """The text of a record of an older system."""
    known = {"type": "decisions", "summary": "old", "timestamp": "2024-05-01T10:00:00Z"} | fields
    return "---\n" + "".join(f"{k}: {v}\n" for k, v in known.items()) + "---\n\nBody\n"


CREATE = ("op: create", "summary: hostile", "type: decisions")

# Each of them stopped a reader, or could.
HOSTILE = {
    "late": record(*CREATE, 'timestamp: "9999-12-31T23:59:59-23:59"'),
    "early": record(*CREATE, 'timestamp: "0001-01-01T00:00:00+23:59"'),
    "year-3000": record(*CREATE, "timestamp: 3000-01-01T00:00:00Z"),
    "offset": record(*CREATE, 'timestamp: "2026-01-01T00:00:00+20:00"'),
    "deep-list": record(*CREATE, "extra: " + "[" * 100_000 + "]" * 100_000),
    "deep-object": record(*CREATE, "content: " + '{"a":' * 50_000 + "1" + "}" * 50_000),
    "just-too-deep": record(*CREATE, "extra: " + "[" * 33 + "]" * 33),
    "digits-rev": record(*CREATE, "rev: " + "9" * 10_000),
    "digits-ttl": record(*CREATE, "ttl: " + "9" * 400),
    "digits-inside": record(*CREATE, "extra: [" + "9" * 400 + "]"),
    "infinite": record(*CREATE, "importance: 1e999"),
    "nan": record(*CREATE, "extra: [NaN, Infinity]"),
    "surrogate": record(*CREATE, 'spec: "\\ud800"'),
    "surrogate-key": record(*CREATE, 'extra: {"\\udfff": 1}'),
    "nul-escaped": record(*CREATE, 'files_modified: ["a\\u0000b"]'),
    "nul": record(*CREATE, body="a\0b"),
    "many-lines": record(*CREATE, *(f"k{n}: 1" for n in range(300))),
    "large": record(*CREATE, body="x" * 1_100_000),
    "second-uid": record(f"uid: {OTHER}", *CREATE),
    "no-op": record("op: explode", "summary: x"),
    "update-of-itself": record("op: update", f"of: {UID}", "rev: 1", "summary: x"),
    "update-of-nothing": record("op: update", "summary: x"),
    "update-of-nonsense": record("op: update", "of: [1]", "summary: x"),
    "purge-of-itself": record("op: purge", f"of: {UID}"),
    "create-of": record(*CREATE, f"of: {OTHER}"),
    "legacy-escape": legacy(summary='"\\U00110000"'),
    "legacy-nul": legacy(summary='"a\\0b"'),
    "legacy-late": legacy(timestamp='"9999-12-31T23:59:59-23:59"'),
    "legacy-surrogate": legacy(spec='"\\uD800"'),
}
