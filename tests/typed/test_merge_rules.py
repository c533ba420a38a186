"""An agent's update adds and corrects; it takes nothing away that only a person may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.core.document import check_document
from recollect.core.fields import check_fields
from recollect.core.memory import Memory, content_patch, fold
from recollect.core.record import CREATE, UPDATE, Record
from recollect.errors import MergeRefused
from recollect.typed.merge_rules import Merged, merge, word_difference_ratio

CONTENT: Mapping[str, Any] = {
    "decision": "PostgreSQL",
    "status": "proposed",
    "rationale": ["two writers", "backups"],
    "context": "One machine is not enough.",
    "alternatives": [{"option": "SQLite", "rejected_reason": "one writer"}],
    "consequences": ["a server to run"],
}
WHY = [{"summary": "because"}]


def memory(**fields: Any) -> Memory:
    """A decision, folded from its record as the ledger does it."""
    state = {
        "summary": "Use PostgreSQL for storage",
        "tags": ["database"],
        "content": dict(CONTENT),
        "files_modified": ["db.py"],
        "slugs": ["use-postgresql-for-storage"],
        **fields,
    }
    body = state.pop("body", None)
    create = Record("01OLD", CREATE, state, body, timestamp="2026-01-01T00:00:00Z", by="Ada")
    return fold(create, [], kind=fields.get("kind", "decisions"), name="decisions:abc1234:0")


def updated(old: Memory, merged: Merged) -> Memory:
    """The memory after the update, folded from both records."""
    state = {
        "summary": old.summary,
        "tags": list(old.tags),
        "content": old.content,
        "files_modified": list(old.files_modified),
        "slugs": list(old.slugs),
        "confidence": old.confidence,
        "changes": [dict(change) for change in old.changes],
    }
    create = Record(old.uid, CREATE, state, old.body, timestamp=old.created, by=old.author)
    fields = dict(merged.fields)
    if old.content is not None and "content" in fields:
        fields["content"] = content_patch(old.content, fields["content"])
    body = fields.pop("body", None)
    if body == "":
        fields["body"] = body = None
    update = Record(
        "01NEW", UPDATE, fields, body, of=old.uid, rev=1, timestamp="2026-02-01", by=old.author
    )
    return fold(create, [update], kind=old.kind, name=old.id)


def merged(
    old: Memory,
    document: Mapping[str, Any],
    *,
    by_person: bool = False,
    missing: frozenset[str] = frozenset(),
    taken: frozenset[str] = frozenset(),
) -> Merged:
    """Merge a document as an agent writes it."""
    return merge(
        old,
        check_document(old.kind, document, creating=False),
        exists=lambda path: path not in missing,
        taken=lambda slug: slug in taken,
        by_person=by_person,
    )


def test_only_what_differs_is_written() -> None:
    """What is the same is not written again."""
    same = {
        "title": "Use PostgreSQL for storage",
        "tags": ["database"],
        "related_files": ["db.py"],
        "content": {"status": "proposed", "rationale": ["two writers", "backups"]},
        "confidence": 1,
    }

    assert merged(memory(), {**same, "changes": WHY}).fields == {"changes": WHY}
    assert merged(memory(), {**same, "confidence": 0.8, "changes": WHY}).fields == {
        "confidence": 0.8,
        "changes": WHY,
    }


def test_a_partial_content_replaces_what_it_names() -> None:
    """The rest stays; null takes an optional field back."""
    given = {"status": "accepted", "consequences": None, "rationale": ["two writers", "price"]}

    result = merged(memory(), {"content": given, "changes": WHY})

    assert result.fields["content"] == {
        "decision": "PostgreSQL",
        "status": "accepted",
        "rationale": ["two writers", "price"],
        "context": "One machine is not enough.",
        "alternatives": [{"option": "SQLite", "rejected_reason": "one writer"}],
    }


def test_fields_of_a_newer_version_stay() -> None:
    """What this version does not know it does not touch, whatever it holds."""
    old = memory(content={**CONTENT, "votes": {"ada": None}, "quorum": None})

    content = merged(old, {"content": {"status": "accepted"}}).fields["content"]

    assert content == {**CONTENT, "status": "accepted", "votes": {"ada": None}, "quorum": None}


def test_a_list_may_shrink_but_not_quietly() -> None:
    """The warning names what went; a rewritten entry is no loss."""
    fewer = {"rationale": ["backups"], "alternatives": None, "consequences": ["other"]}

    warnings = merged(memory(), {"content": fewer, "changes": WHY}).warnings

    assert warnings == [
        'The list content.rationale is shorter; removed: "two writers".',
        "The list content.alternatives is shorter; removed:"
        ' "{"option": "SQLite", "rejected_reason": "one writer"}".',
    ]


def test_lists_inside_an_object_are_watched_too() -> None:
    """A preference has its examples in one."""
    content = {
        "topic": "packages",
        "value": "uv",
        "strength": "strong",
        "reason": "speed",
        "examples": {"prefer": ["uv add", "uv sync"], "avoid": ["pip install"]},
    }
    old = memory(content=content)._replace(kind="preferences")
    given = {"examples": {"prefer": ["uv add"], "avoid": ["pip install"]}}

    assert merged(old, {"content": given, "changes": WHY}).warnings == [
        'The list content.examples.prefer is shorter; removed: "uv sync".'
    ]


def test_single_values_that_change_are_told() -> None:
    """Nobody has to write down what can be seen; a list is the author's to explain."""
    given = {"status": "accepted", "context": "c" * 300, "rationale": ["two writers", "price"]}

    changes = merged(memory(), {"title": "Use PostgreSQL for all storage", "content": given})

    assert changes.fields["changes"] == [
        {
            "summary": "title changed from Use PostgreSQL for storage to"
            " Use PostgreSQL for all storage",
            "field": "title",
            "old_value": "Use PostgreSQL for storage",
            "new_value": "Use PostgreSQL for all storage",
        },
        {
            "summary": "content.status changed from proposed to accepted",
            "field": "content.status",
            "old_value": "proposed",
            "new_value": "accepted",
        },
        {
            "summary": "content.context was rewritten",
            "field": "content.context",
            "old_value": "One machine is not enough.",
            "new_value": "c" * 199 + "…",
        },
    ]


def test_values_that_come_and_go_are_told() -> None:
    """As they are, also where they are no text."""
    content = {
        "rule": "100 requests per minute",
        "kind": "limitation",
        "severity": "high",
        "active": True,
        "impact": ["slow imports"],
        "expires": "next year",
    }
    old = memory(content=content)._replace(kind="constraints")

    gone = merged(old, {"content": {"active": False, "expires": None}})
    back = merged(updated(old, gone), {"content": {"expires": "never"}})

    assert [change["summary"] for change in gone.fields["changes"]] == [
        "content.active changed from true to false",
        "content.expires was removed",
    ]
    assert back.fields["changes"] == [
        {"summary": "content.expires was added", "field": "content.expires", "new_value": "never"}
    ]


@pytest.mark.parametrize("field", ["status", "content.status"])
def test_what_the_author_tells_is_not_told_twice(field: str) -> None:
    """Their words are better than ours."""
    told = [{"summary": "the trial went well", "field": field}]

    result = merged(memory(), {"content": {"status": "accepted"}, "changes": told})

    assert result.fields["changes"] == told


def test_an_update_says_what_changed() -> None:
    """Where we cannot see it, its author must."""
    for document in ({"tags": ["database", "sql"]}, {"content": {"rationale": ["a", "b", "c"]}}):
        with pytest.raises(MergeRefused, match="does not say what changed") as refused:
            merged(memory(), document)
        assert '`changes: [{"summary": "what changed and why"}]`' in refused.value.hint
        assert merged(memory(), {**document, "changes": WHY}).fields["changes"] == WHY
    with pytest.raises(MergeRefused, match="changes nothing"):
        merged(memory(), {"tags": ["database"]})


def test_a_person_need_not_explain() -> None:
    """The change is noted for them, and where there is none, nothing is written."""
    assert merged(memory(), {"tags": ["sql"]}, by_person=True).fields == {
        "tags": ["sql"],
        "changes": [{"summary": "Edited by hand: tags"}],
    }
    assert merged(memory(), {"tags": ["database"]}, by_person=True) == Merged({}, [])


def test_an_agent_cannot_drop_tags() -> None:
    """The refusal names them; a person can."""
    with pytest.raises(MergeRefused, match=r"would remove these tags: database\.") as refused:
        merged(memory(), {"tags": ["sql"], "changes": WHY})

    assert "old tags" in refused.value.hint
    with pytest.raises(MergeRefused):
        merged(memory(), {"tags": [], "changes": WHY})
    assert merged(memory(), {"tags": []}, by_person=True).fields["tags"] == ["untagged"]


def test_at_the_cap_tags_are_exchanged() -> None:
    """One for one; the warning names those that went."""
    full = [f"tag{number:02}" for number in range(12)]
    old = memory(tags=full)

    result = merged(old, {"tags": [*full[2:], "new1", "new2"], "changes": WHY})

    assert set(result.fields["tags"]) == {*full[2:], "new1", "new2"}
    assert result.warnings == ["A memory can have at most 12 tags; removed: tag00, tag01."]
    for fewer in (full[1:], [*full[2:], "new1"]):
        with pytest.raises(MergeRefused, match="replace one tag with another"):
            merged(old, {"tags": fewer, "changes": WHY})


def test_no_tag_is_no_tag() -> None:
    """`untagged` goes when a tag comes, and does not come where none was."""
    untagged = memory(tags=["untagged"])

    assert merged(untagged, {"tags": ["sql"], "changes": WHY}).fields["tags"] == ["sql"]
    assert "tags" not in merged(untagged, {"tags": [], "changes": WHY}).fields
    assert "tags" not in merged(memory(tags=[]), {"tags": [], "changes": WHY}).fields


def test_an_agent_drops_a_file_only_when_it_is_gone() -> None:
    """A file that was deleted may go, with a word about it."""
    old = memory(files_modified=["db.py", "old.py"])

    with pytest.raises(MergeRefused, match=r"would remove these files: db\.py, old\.py\."):
        merged(old, {"related_files": ["new.py"], "changes": WHY})
    with pytest.raises(MergeRefused, match=r"would remove these files: db\.py\."):
        merged(old, {"related_files": [], "changes": WHY}, missing=frozenset({"old.py"}))
    result = merged(
        old,
        {"related_files": ["db.py", "new.py"], "changes": WHY},
        missing=frozenset({"old.py", "new.py"}),
    )
    assert result.fields["files_modified"] == ["db.py", "new.py"]
    assert result.warnings == ['Removed files that no longer exist: "old.py".']
    by_hand = merged(old, {"related_files": []}, by_person=True)
    assert by_hand.fields["files_modified"] == []
    assert by_hand.warnings == []


def test_all_refusals_come_at_once() -> None:
    """An agent can repair them in one go."""
    with pytest.raises(MergeRefused) as refused:
        merged(memory(), {"tags": ["sql"], "related_files": ["new.py"]})

    assert "database" in refused.value.message
    assert "db.py" in refused.value.message
    assert "does not say what changed" in refused.value.message


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("Use PostgreSQL", "use postgresql!", 0.0),
        ("Use PostgreSQL", "PostgreSQL use", 0.0),
        ("Use PostgreSQL", "Use SQLite", 2 / 3),
        ("Use PostgreSQL for storage", "Use PostgreSQL for the storage of orders", 3 / 7),
        ("a b", "c d", 1.0),
        ("…", "—", 0.0),
    ],
)
def test_how_much_two_titles_differ(one: str, other: str, ratio: float) -> None:
    """1 - common words / all words."""
    assert word_difference_ratio(one, other) == pytest.approx(ratio)
    assert word_difference_ratio(other, one) == pytest.approx(ratio)


def test_a_new_title_gives_a_new_slug() -> None:
    """Where more than half of it changed; old slugs stay for ever, the newest first."""
    old = memory(slugs=["use-postgresql-for-storage", "first"])

    result = merged(old, {"title": "Orders live in CockroachDB"})
    own = frozenset(old.slugs)
    back = merged(updated(old, result), {"title": "Use PostgreSQL for storage"}, taken=own)

    assert result.fields["slugs"] == [
        "orders-live-in-cockroachdb",
        "use-postgresql-for-storage",
        "first",
    ]
    assert result.renamed_from == "use-postgresql-for-storage"
    assert back.fields["slugs"] == [
        "use-postgresql-for-storage",
        "orders-live-in-cockroachdb",
        "first",
    ]
    assert "slugs" not in merged(old, {"title": "Use PostgreSQL for the storage"}).fields
    assert "slugs" not in merged(memory(summary="a b"), {"title": "b c a d"}).fields  # just half


def test_a_title_that_comes_to_its_slug_is_no_new_name() -> None:
    """The slug may be of an older title, or of one that differs by more than words."""
    old = memory(summary="Storage", slugs=["orders-live-in-cockroachdb"])

    result = merged(old, {"title": "Orders live in CockroachDB"})

    assert "slugs" not in result.fields
    assert result.renamed_from is None


def test_a_slug_in_use_is_not_taken() -> None:
    """The old one stays, and the author hears of it; the title changes all the same."""
    used = frozenset({"orders-live-in-cockroachdb"})

    result = merged(memory(), {"title": "Orders live in CockroachDB"}, taken=used)

    assert result.fields["summary"] == "Orders live in CockroachDB"
    assert "slugs" not in result.fields
    assert result.renamed_from is None
    assert result.warnings == [
        "Another memory uses the slug orders-live-in-cockroachdb; the memory keeps"
        " use-postgresql-for-storage."
    ]


def test_a_memory_without_a_slug_gets_one() -> None:
    """It had none that could stay."""
    result = merged(memory(slugs=[]), {"title": "Orders live in CockroachDB"})

    assert result.fields["slugs"] == ["orders-live-in-cockroachdb"]
    assert result.renamed_from is None


def test_a_title_does_not_cost_the_body() -> None:
    """A long title is kept whole in front of it, and goes when the next title comes."""
    long = "Use PostgreSQL for storage " + "of all that we have " * 5 + "whole"
    old = memory(body="Written\n\nby hand.")

    longer = updated(old, merged(old, {"title": long}))
    again = merged(longer, {"title": long, "changes": WHY})
    shorter = updated(longer, merged(longer, {"title": "Use PostgreSQL for storage"}))

    assert longer.body == f"{long}\n\nWritten\n\nby hand."
    assert longer.summary.endswith("…")
    assert again.fields == {"changes": WHY}
    assert shorter.body == old.body
    told = memory(body="Use PostgreSQL for storage\n\nIt says so twice.")
    assert updated(told, merged(told, {"title": "Use SQLite"})).body == told.body
    plain = memory()
    only_title = updated(plain, merged(plain, {"title": long}))
    assert only_title.body == long
    assert updated(only_title, merged(only_title, {"title": "Short"})).body == ""


def test_a_plain_memory_can_become_typed() -> None:
    """What it says stands for the fields that are not given, and its body stays."""
    old = memory(content=None, body="Two writers.")

    result = merged(old, {"content": {"context": "Growth"}})

    assert result.fields["content"] == {
        "decision": "Use PostgreSQL for storage",
        "status": "accepted",
        "rationale": ["Two writers."],
        "context": "Growth",
    }
    assert result.fields["changes"] == [
        {"summary": "Added typed content to a plain memory.", "field": "content"}
    ]
    assert updated(old, result).body == "Two writers."


# --- whatever comes -------------------------------------------------------------------------------

WORDS = st.sampled_from([f"word{number:02}" for number in range(16)])
TAGS = st.lists(WORDS, max_size=12, unique=True)
PATHS = st.lists(st.sampled_from([f"f{number}.py" for number in range(6)]), unique=True)
TITLES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=3)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "decision": TITLES,
        "status": st.sampled_from(["proposed", "accepted", "superseded"]),
        "rationale": TEXTS,
        "consequences": TEXTS | st.none(),
        "alternatives": st.none(),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "title": TITLES,
        "tags": TAGS,
        "content": PARTS,
        "related_files": PATHS,
        "confidence": st.floats(0, 1),
        "changes": st.lists(st.fixed_dictionaries({"summary": TITLES}), max_size=3),
    },
)
MEMORIES = st.builds(
    memory,
    summary=TITLES.map(lambda title: title[:100].strip()),
    tags=TAGS,
    files_modified=PATHS,
    content=PARTS.map(lambda part: {**CONTENT, **{k: v for k, v in part.items() if v}}) | st.none(),
    slugs=st.lists(WORDS, max_size=2, unique=True),
    body=st.sampled_from(["", "body", "two\n\nparts"]),
)
MISSING = st.frozensets(st.sampled_from([f"f{number}.py" for number in range(6)]))


def with_old(old: Memory, document: dict[str, Any]) -> dict[str, Any]:
    """The document of an agent that sends what was there with what is new."""
    tags = dict.fromkeys((*old.tags, *document.get("tags", ())))
    files = dict.fromkeys((*old.files_modified, *document.get("related_files", ())))
    return {**document, "tags": [*tags][:12], "related_files": [*files]}


@given(MEMORIES, DOCUMENTS, MISSING, st.frozensets(WORDS), st.booleans())
def test_an_agent_loses_nothing(
    old: Memory,
    document: dict[str, Any],
    missing: frozenset[str],
    taken: frozenset[str],
    careful: bool,
) -> None:
    """Tags and files that exist stay, the log grows, and what a memory is does not change."""
    try:
        given_now = with_old(old, document) if careful else document
        result = merged(old, given_now, missing=missing, taken=taken)
    except MergeRefused:
        assume(False)
    new = updated(old, result)

    assert len(new.tags) >= len(old.tags)
    assert len(old.tags) == 12 or set(old.tags) <= set(new.tags)
    assert set(old.files_modified) - missing <= set(new.files_modified)
    assert set(old.slugs) <= set(new.slugs)
    assert old.body in new.body
    assert len(new.changes) > len(old.changes)
    assert new.changes[: len(old.changes)] == old.changes
    assert new.times_updated == 1
    assert (new.uid, new.id, new.kind, new.created, new.author, new.status) == (
        old.uid,
        old.id,
        old.kind,
        old.created,
        old.author,
        old.status,
    )
    assert set(result.fields) <= {
        "summary",
        "body",
        "tags",
        "content",
        "files_modified",
        "confidence",
        "slugs",
        "changes",
    }


@given(MEMORIES, TAGS, PATHS, MISSING)
def test_an_agent_is_refused_just_for_a_loss(
    old: Memory, tags: list[str], files: list[str], missing: frozenset[str]
) -> None:
    """Of tags, unless at the cap as many come as go, or of files that exist."""
    loses_tags = bool(set(old.tags) - set(tags)) and not len(old.tags) == len(tags) == 12
    loses_files = bool(set(old.files_modified) - set(files) - missing)
    document = {"tags": tags, "related_files": files, "changes": WHY}

    message = ""
    try:
        merged(old, document, missing=missing)
    except MergeRefused as refused:
        message = refused.message

    assert ("remove these tags" in message) == loses_tags
    assert ("remove these files" in message) == loses_files
    assert bool(message) == (loses_tags or loses_files)


@given(MEMORIES, DOCUMENTS, MISSING, st.booleans())
def test_the_same_document_again_adds_only_its_own_words(
    old: Memory, document: dict[str, Any], missing: frozenset[str], by_person: bool
) -> None:
    """An update that arrives twice changes nothing the second time."""
    try:
        result = merged(old, document, missing=missing, by_person=by_person)
    except MergeRefused:
        assume(False)
    told = {**document, "changes": document.get("changes") or WHY}

    again = merged(updated(old, result), told, missing=missing, by_person=by_person)

    assert set(again.fields) == {"changes"}
    assert again.warnings == []


@given(MEMORIES, DOCUMENTS)
def test_a_person_gets_what_they_ask_for(old: Memory, document: dict[str, Any]) -> None:
    """Nothing is refused, and what is written is fit for the ledger."""
    result = merged(old, document, by_person=True)
    new = updated(old, result)

    if "tags" in document:
        assert set(new.tags) - {"untagged"} == set(document["tags"])
    if "related_files" in document:
        assert set(new.files_modified) == set(document["related_files"])
    for name, value in (document.get("content") or {}).items():
        assert new.content is not None
        assert new.content.get(name) == value
    facets = ("tags", "files_modified", "confidence")
    check_fields({name: result.fields[name] for name in facets if name in result.fields})
    assert "changes" in result.fields or not result.fields


def test_an_agent_adds_questions_and_a_person_replaces_them() -> None:
    """Nothing is dropped quietly, and the change is told."""
    old = memory(asked_as=["Which database?", "Why not SQLite?", "Who runs it?"])
    new = ["why not sqlite?", "Where is the data?", "How many writers?", "Is it managed?"]

    by_agent = merged(old, {"asked_as": new})
    by_person = merged(old, {"asked_as": new}, by_person=True)
    again = merged(old, {"asked_as": ["Who runs it?"], "changes": WHY})

    assert by_agent.fields["asked_as"] == [*old.asked_as, "Where is the data?", "How many writers?"]
    assert by_agent.fields["changes"] == [{"summary": "asked_as was changed", "field": "asked_as"}]
    assert "Is it managed?" in by_agent.warnings[0]
    assert by_person.fields["asked_as"] == new
    assert "asked_as" not in again.fields
