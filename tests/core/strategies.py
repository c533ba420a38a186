"""What hypothesis draws from: bodies that try to break out, records, notes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from recollect.core.note import Note
from recollect.core.proof import seal
from recollect.core.record import CREATE, PURGE, UPDATE, Record, render_record
from recollect.core.uid import make_uid

UID_TEXT = "01M7GBJJDY86YZZDQ8VQJ7NATA"

# Lines that look like our own framing, or like what git's porcelain touches.
NASTY_LINES = st.sampled_from(
    [
        "---",
        "...",
        "\\...",
        "\\\\...",
        f"uid: {UID_TEXT}",
        f"\\uid: {UID_TEXT}",
        "uid: nonsense",
        "op: purge",
        "# heading",
        "## heading",
        "",
        " ",
        "\r",
        "...\r",
        "---\r",
        "type: decisions",
        "summary: x",
        "key: [1, 2",
        "\ttab",
        "emoji 🧠 ☕",
        "\u2028\u2029\x85",
        "\x1b[31m\x7f\x01",
    ]
)

# Any text without NUL that has a UTF-8 form.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
BODIES = st.one_of(
    TEXT,
    st.lists(st.one_of(NASTY_LINES, TEXT), max_size=8).map("\n".join),
    st.lists(NASTY_LINES, max_size=8).map("\r\n".join),
)

UIDS = st.builds(make_uid, st.integers(0, 2**42), st.integers(0, 2**80 - 1))
FEW_UIDS = st.builds(make_uid, st.integers(0, 5), st.integers(0, 3))

JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.floats(allow_nan=False, allow_infinity=False),
        TEXT,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=4,
)
KEYS = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True).filter(
    lambda key: key not in ("uid", "op", "id", "of", "rev", "timestamp", "by", "nonce")
)
FIELDS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(KEYS, JSON, max_size=3)


@st.composite
def records(draw: st.DrawFn, uids: st.SearchStrategy[str] = UIDS) -> Record:
    """A record of any operation."""
    op = draw(st.sampled_from([CREATE, UPDATE, PURGE]))
    return Record(
        uid=draw(uids),
        op=op,
        id=draw(st.none() | st.just("decisions:818f6ef:0")) if op != UPDATE else None,
        of=draw(uids) if op != CREATE else None,
        rev=draw(st.integers(0, 1000)) if op == UPDATE else 0,
        timestamp=draw(st.none() | st.just("2026-08-23T10:00:00Z")),
        by=draw(st.none() | TEXT),
        fields=draw(FIELDS),
        body=draw(st.none() | BODIES),
    )


def notes(uids: st.SearchStrategy[str] = UIDS) -> st.SearchStrategy[Note]:
    """A note of ours: a set of records."""
    return st.lists(records(uids), max_size=4).map(
        lambda drawn: {record.uid: render_record(record) for record in drawn}
    )


# Nonces of which two records may have the same.
NONCES = st.builds(make_uid, st.integers(0, 5), st.integers(0, 1))


@st.composite
def proven(draw: st.DrawFn) -> Record:
    """A record whose uid proves its text; there are few, so that several notes hold the same."""
    record = draw(
        st.sampled_from(
            [
                Record("", CREATE, {"summary": "one", "type": "notes"}, "body"),
                Record("", CREATE, {"summary": "two", "type": "notes"}, None, by="Ada <a@b>"),
                Record("", UPDATE, {"summary": "three"}, None, of=UID_TEXT, rev=2),
            ]
        )
    )
    name = draw(st.sampled_from([None, "notes:818f6ef:0", "notes:818f6ef:12", "notes:018f6ef:12"]))
    sealed = seal(record._replace(nonce=draw(NONCES)))
    return sealed if record.op == UPDATE else sealed._replace(id=name)


@st.composite
def tampered_notes(draw: st.DrawFn) -> Note:
    """A note of proven records, some of which somebody altered."""
    note: Note = {}
    for record in draw(st.lists(proven(), max_size=4)):
        altered = draw(
            st.sampled_from(
                [
                    record,
                    record._replace(body="altered, and much longer than the original was"),
                    record._replace(body=None),
                    record._replace(nonce=None),
                    record._replace(fields={**record.fields, "summary": "altered"}),
                    record._replace(by="Mallory <m@b>"),
                    record._replace(rev=record.rev + 1),
                ]
            )
        )
        note[record.uid] = render_record(altered)
    return note


# A body that only lacks lines is what git's porcelain leaves behind.
PLAIN_LINES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), min_size=1
).filter(lambda line: line.strip() == line and line not in ("---", "..."))
