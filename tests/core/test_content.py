"""Typed content: the shapes of the kinds, what is refused and put right, and how it reads."""

from __future__ import annotations

import json
import re
import sys
from calendar import monthrange
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import assume, example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from recollect.cli.schema import schema_command
from recollect.core.content import (
    SCHEMAS,
    check_content,
    clean_text,
    content_of_text,
    content_text,
    json_schema,
)
from recollect.core.content_schemas import ITEM_LENGTH, MAX_ENTRIES, TEXT_LENGTH
from recollect.core.document import check_document
from recollect.core.kinds import BY_NAME, FACTS, KINDS
from recollect.core.record import read_value, render_value
from recollect.errors import BadContent, ValidationError
from tests.core.strategies import TEXT, UID_TEXT

# What every kind holds, written down by hand: `!` is required, a number is the least of a list.
SHAPES: dict[str, dict[str, str]] = {
    "decisions": {
        "status": "! proposed accepted deprecated superseded",
        "context": "! text",
        "decision": "! text",
        "alternatives": "objects",
        "rationale": "! texts 1",
        "consequences": "texts",
    },
    "sessions": {
        "goal": "! text",
        "outcome": "! success partial blocked abandoned",
        "completed": "! texts",
        "in_progress": "texts",
        "blockers": "texts",
        "next_actions": "! texts",
        "key_changes": "texts",
    },
    "runbooks": {
        "trigger": "! text",
        "symptoms": "texts",
        "steps": "! texts 1",
        "verification": "! text",
        "root_cause": "text",
        "environment": "text",
    },
    "constraints": {
        "kind": "! limitation gap policy technical",
        "rule": "! text",
        "impact": "! texts 1",
        "workarounds": "texts",
        "severity": "! high medium low",
        "active": "! flag",
        "expires": "text",
    },
    "tech-debt": {
        "status": "! open in_progress resolved wont_fix",
        "priority": "! critical high medium low",
        "description": "! text",
        "reason_deferred": "! text",
        "impact": "texts",
        "suggested_fix": "texts",
        "acceptance_criteria": "texts",
    },
    "preferences": {
        "topic": "! text",
        "value": "! text",
        "reason": "! text",
        "strength": "! strong default soft",
        "examples": "object",
    },
    "facts": {
        "subject": "! text",
        "predicate": "! text",
        "object": "! text",
        "source": "uid",
        "valid_from": "time",
        "valid_until": "time",
        "replaces": "flag",
    },
}

FULL: dict[str, dict[str, Any]] = {
    "decisions": {
        "status": "accepted",
        "context": "Two workers write at once.",
        "decision": "Use PostgreSQL.",
        "alternatives": [{"option": "MySQL", "rejected_reason": "weak JSON"}],
        "rationale": ["row locks", "known to the team"],
        "consequences": ["one more service"],
    },
    "sessions": {
        "goal": "Move to PostgreSQL",
        "outcome": "partial",
        "completed": ["schema"],
        "in_progress": ["data"],
        "blockers": ["no staging"],
        "next_actions": ["copy the data"],
        "key_changes": ["db/schema.sql"],
    },
    "runbooks": {
        "trigger": "the queue is stuck",
        "symptoms": ["jobs wait"],
        "steps": ["restart the worker"],
        "verification": "jobs run",
        "root_cause": "a lost lock",
        "environment": "production",
    },
    "constraints": {
        "kind": "policy",
        "rule": "No data leaves the EU.",
        "impact": ["no US regions"],
        "workarounds": ["mask it"],
        "severity": "high",
        "active": True,
        "expires": "none",
    },
    "tech-debt": {
        "status": "open",
        "priority": "high",
        "description": "Retries are copied three times.",
        "reason_deferred": "the release",
        "impact": ["bugs thrice"],
        "suggested_fix": ["one helper"],
        "acceptance_criteria": ["one place"],
    },
    "preferences": {
        "topic": "packages",
        "value": "always uv",
        "reason": "it locks",
        "strength": "strong",
        "examples": {"prefer": ["uv add"], "avoid": ["pip install"]},
    },
    "facts": {
        "subject": "the API",
        "predicate": "runs on",
        "object": "port 8080",
        "source": UID_TEXT,
        "valid_from": "2026-08-23T10:00:00Z",
        "valid_until": "2027-08-23T10:00:00Z",
        "replaces": True,
    },
}
EACH_KIND = pytest.mark.parametrize("kind", SHAPES)
FORMS = ("text", "texts", "object", "objects", "flag", "time", "uid")
FIELDS = [(kind, name) for kind, shape in SHAPES.items() for name in shape]
EACH_FIELD = pytest.mark.parametrize(("kind", "name"), FIELDS)
EACH_CHOICE = pytest.mark.parametrize(
    ("kind", "name"), [(k, n) for k, n in FIELDS if not set(FORMS) & set(SHAPES[k][n].split())]
)
EACH_LIST = pytest.mark.parametrize(
    ("kind", "name"), [(k, n) for k, n in FIELDS if "texts" in SHAPES[k][n]]
)
VALIDATORS = {kind: Draft202012Validator(json_schema(kind)) for kind in SHAPES}

HIDDEN = "\u200b\u200d\u202e\ufeff\u00ad\U000e0041\ue000\x00\x1b\x7f\x85"
SPEECH = st.one_of(
    TEXT,
    st.text(st.sampled_from("aé漢 \n\t\r.-" + HIDDEN)),
    st.sampled_from(["", " ", "\u200b", "\U000e0041", "=", "\ud800", "x" * (ITEM_LENGTH + 1)]),
)
NAMES = sorted({name for shape in SHAPES.values() for name in shape} | {"option", "prefer"})
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        SPEECH,
        st.sampled_from(["ACCEPTED", "open", "high", "strong", UID_TEXT, 10**400, "2026-01-01"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | TEXT, inner)
    ),
    max_leaves=8,
)


def refusal(kind: str, content: Any) -> BadContent:
    """How this content is refused."""
    with pytest.raises(BadContent) as caught:
        check_content(kind, content)
    return caught.value


def check_partial_content(kind: str, content: Any) -> Any:
    """The content of an update, checked."""
    return check_document(kind, {"content": content}, creating=False).content


def document(content: Any) -> dict[str, Any]:
    """A document that is right in all but, perhaps, its content."""
    return {"title": "A title", "content": content}


def test_the_typed_kinds_are_those_of_the_vocabulary() -> None:
    """Every schema belongs to a kind that agents draft; others are a title and a text."""
    assert SCHEMAS.keys() == SHAPES.keys() <= BY_NAME.keys()
    assert SCHEMAS.keys() - {FACTS} <= {kind.name for kind in KINDS if kind.drafting}


@EACH_KIND
def test_every_field_is_declared_as_it_should_be(kind: str) -> None:
    """Names, choices, what is required, and the least of a list."""
    declared = {}
    for field in SCHEMAS[kind].fields:
        form = " ".join(field.choices) or field.form
        least = f" {field.least}" if field.least else ""
        declared[field.name] = ("! " if field.required else "") + form + least

    assert declared == SHAPES[kind]


@EACH_KIND
def test_the_key_fields_are_fields(kind: str) -> None:
    """An excerpt shows what there is."""
    assert SCHEMAS[kind].key_fields
    assert set(SCHEMAS[kind].key_fields) <= SHAPES[kind].keys()


@EACH_KIND
def test_full_content_passes_as_it_is(kind: str) -> None:
    """What is right is not changed, by the code or by the schema."""
    assert check_content(kind, FULL[kind]) == FULL[kind]
    assert VALIDATORS[kind].is_valid(document(FULL[kind]))


@EACH_FIELD
def test_what_is_required_must_be_there_and_the_rest_may_be_left_out(kind: str, name: str) -> None:
    """The code and the schema agree on each field."""
    content = {key: value for key, value in FULL[kind].items() if key != name}
    if not SHAPES[kind][name].startswith("!"):
        assert check_content(kind, content) == content
        assert check_content(kind, {**content, name: None}) == content
        assert VALIDATORS[kind].is_valid(document(content))
        return

    error = refusal(kind, content)

    assert (error.field, error.got) == (f"content.{name}", "missing")
    assert error.fix.startswith(f"Give content.{name}: ")
    assert len(error.problems) == 1
    assert refusal(kind, {**content, name: None}).got == "null"
    assert not VALIDATORS[kind].is_valid(document(content))


@EACH_CHOICE
def test_a_choice_takes_its_words_in_any_case_and_no_others(kind: str, name: str) -> None:
    """The refusal names all of them."""
    words = SHAPES[kind][name].removeprefix("! ").split()
    for word in words:
        content = {**FULL[kind], name: word}
        assert check_content(kind, content) == content
        assert VALIDATORS[kind].is_valid(document(content))
        spelled = word.upper().replace("_", " ")
        assert check_content(kind, {**content, name: f" {spelled} "}) == content

    error = refusal(kind, {**FULL[kind], name: "maybe"})

    assert (error.field, error.got) == (f"content.{name}", "'maybe'")
    assert all(word in error.expected and word in error.hint for word in words)
    assert not VALIDATORS[kind].is_valid(document({**FULL[kind], name: "maybe"}))


@EACH_LIST
def test_a_list_has_its_least(kind: str, name: str) -> None:
    """An empty list is refused, kept or left out, as the shape says."""
    shape = SHAPES[kind][name]
    for empty in ([], ["", " ", "\u200b", None]):
        content = {**FULL[kind], name: empty}
        if shape.endswith("1"):
            assert refusal(kind, content).field == f"content.{name}"
            assert not VALIDATORS[kind].is_valid(document(content))
        elif shape.startswith("!"):
            assert check_content(kind, content)[name] == []
        else:
            assert name not in check_content(kind, content)
    one = check_content(kind, {**FULL[kind], name: " only one "})
    assert one[name] == ["only one"]


@EACH_KIND
def test_an_unknown_field_is_refused_with_those_that_exist(kind: str) -> None:
    """And with the one that was probably meant."""
    name = next(iter(SHAPES[kind]))
    error = refusal(kind, {**FULL[kind], name + "s": "x", "colour": "red"})

    assert [problem.field for problem in error.problems] == [f"content.{name}s", "content.colour"]
    assert f"rename it to {name}." in error.fix
    assert all(known in error.expected for known in SHAPES[kind])
    assert not VALIDATORS[kind].is_valid(document({**FULL[kind], "colour": "red"}))


def test_all_problems_are_told_at_once() -> None:
    """So that an agent needs one more try, not one for each mistake."""
    error = refusal(
        "decisions",
        {
            "status": "maybe",
            "context": ["a", "b"],
            "alternatives": ["MySQL", {"option": "SQLite", "why": "x"}],
            "rationale": [{"because": "x"}],
        },
    )

    assert [(p.field, p.got) for p in error.problems] == [
        ("content.decision", "missing"),
        ("content.status", "'maybe'"),
        ("content.rationale[0]", "an object"),
        ("content.context", "a list of 2"),
        ("content.alternatives[0]", "'MySQL'"),
        ("content.alternatives[1].rejected_reason", "missing"),
        ("content.alternatives[1].why", "an unknown field"),
    ]
    assert error.exit_code == 74
    shown = error.as_json()
    first = {key: shown[key] for key in ("field", "expected", "got", "fix")}
    assert first == shown["problems"][0] == vars(error.problems[0])
    assert len(shown["problems"]) == 7
    for problem in error.problems:
        assert f"{problem.field} must be {problem.expected}, but is {problem.got}." in error.message
        assert problem.fix in error.hint
        assert problem.fix.endswith(".")


def test_a_flood_of_unknown_fields_does_not_flood_the_answer() -> None:
    """They are told, in short."""
    error = refusal("facts", {**FULL["facts"], **{f"x{n}": n for n in range(5000)}})

    assert len(error.problems) == 21
    assert len(error.message) < 5000


@pytest.mark.parametrize("content", [None, [], "x", 3, True, [FULL["facts"]]])
def test_content_is_an_object(content: Any) -> None:
    """The refusal names the fields that it should have."""
    error = refusal("facts", content)

    assert (error.field, error.expected) == ("content", "an object")
    assert all(name in error.fix for name in SHAPES["facts"])


def test_a_kind_without_typed_content_is_refused() -> None:
    """The refusal names those that have it."""
    error = refusal("notes", {})

    assert error.field == "kind"
    assert all(kind in error.expected for kind in SHAPES)
    with pytest.raises(BadContent):
        json_schema("notes")


@pytest.mark.parametrize(
    ("name", "given_value", "stored"),
    [
        ("value", 4, "4"),
        ("value", 0.5, "0.5"),
        ("value", " a\u200b\x07b\r\nc ", "ab\nc"),
        ("value", "漢字 🎉\u00a0é", "漢字 🎉\u00a0é"),
        ("examples", {"prefer": "uv"}, {"prefer": ["uv"]}),
        ("strength", "Soft", "soft"),
    ],
)
def test_small_slips_are_put_right(name: str, given_value: Any, stored: Any) -> None:
    """A number for a text, one text for a list, the case of a choice, hidden characters."""
    assert check_content("preferences", {**FULL["preferences"], name: given_value})[name] == stored


@pytest.mark.parametrize("nothing", ["", "  \n", "\u200b\ufeff", "\x00"])
def test_a_required_text_says_something(nothing: str) -> None:
    """What nobody can see is nothing; an optional text is left out then."""
    assert refusal("runbooks", {**FULL["runbooks"], "trigger": nothing}).got == "empty"
    assert "root_cause" not in check_content(
        "runbooks", {**FULL["runbooks"], "root_cause": nothing}
    )


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("decisions", "context", "x" * (TEXT_LENGTH + 1)),
        ("decisions", "consequences", ["x" * (ITEM_LENGTH + 1)]),
        ("decisions", "consequences", ["x"] * (MAX_ENTRIES + 1)),
        ("decisions", "context", True),
        ("decisions", "context", float("nan")),
        ("decisions", "context", 10**400),
        ("decisions", "consequences", 3),
        ("constraints", "active", "perhaps"),
        ("constraints", "active", 1),
        ("preferences", "examples", ["uv"]),
        ("facts", "source", "decisions:818f6ef:0"),
        ("facts", "valid_from", "yesterday"),
        ("facts", "valid_from", "0001-01-01T00:00:00+23:59"),
        ("facts", "valid_from", 20260823),
    ],
)
def test_what_does_not_fit_is_refused_by_name(kind: str, name: str, value: Any) -> None:
    """The limits, and values of another form; the schema refuses them as well."""
    error = refusal(kind, {**FULL[kind], name: value})

    assert error.field.startswith(f"content.{name}")
    assert error.expected
    assert error.got
    assert error.fix
    assert not VALIDATORS[kind].is_valid(document({**FULL[kind], name: value}))


def test_flags_times_and_uids_are_stored_in_one_form() -> None:
    """Whatever form they were given in."""
    constraint = check_content("constraints", {**FULL["constraints"], "active": "False"})
    fact = check_content(
        "facts", {**FULL["facts"], "source": UID_TEXT.lower(), "valid_from": "2026-08-23"}
    )

    assert constraint["active"] is False
    assert (fact["source"], fact["valid_from"]) == (UID_TEXT, "2026-08-23T00:00:00Z")


def test_an_update_may_be_partial() -> None:
    """Given fields are checked; null takes an optional one back, and no required one."""
    assert check_partial_content("decisions", {}) == {}
    assert check_partial_content("decisions", {"rationale": "new", "consequences": None}) == {
        "rationale": ["new"],
        "consequences": None,
    }
    assert check_partial_content("sessions", {"blockers": [], "completed": []}) == {
        "blockers": None,
        "completed": [],
    }


@pytest.mark.parametrize(
    ("name", "value"), [("decision", None), ("decision", ""), ("rationale", []), ("colour", None)]
)
def test_an_update_does_not_take_back_what_is_required(name: str, value: Any) -> None:
    """Nor what does not exist."""
    with pytest.raises(BadContent) as caught:
        check_partial_content("decisions", {name: value})

    assert caught.value.field == f"content.{name}"


@given(st.sampled_from(sorted(SHAPES)), VALUES)
@example("preferences", {"examples": {"prefer": {"a": 1}}})
def test_no_value_breaks_the_check(kind: str, value: Any) -> None:
    """Content is accepted, or refused with a reason; nothing else happens."""
    for check in (check_content, check_partial_content):
        try:
            checked = check(kind, value)
        except BadContent as error:
            json.dumps(error.as_json(), ensure_ascii=False).encode()
        else:
            assert check(kind, checked) == checked
            assert read_value(render_value(checked)) == checked


@given(st.sampled_from(sorted(SHAPES)), st.data())
def test_accepted_content_is_stable_and_can_be_stored(kind: str, data: st.DataObject) -> None:
    """Random texts in the right places pass; what was accepted is accepted as it stands."""
    content = data.draw(spoiled(FULL[kind]))
    try:
        checked = check_content(kind, content)
    except BadContent:
        assume(False)

    assert check_content(kind, checked) == checked
    assert read_value(render_value(checked)) == checked
    json.dumps(checked, ensure_ascii=False).encode()


# The JSON Schema


def drawn(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema of ours describes, with texts of every sort."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            parts = {name: drawn(one) for name, one in schema["properties"].items()}
            required = {name: parts.pop(name) for name in schema["required"]}
            return st.fixed_dictionaries(required, optional=parts)
        case "array":
            return st.lists(drawn(schema["items"]), min_size=schema.get("minItems", 0), max_size=4)
        case "boolean":
            return st.booleans()
        case "number":
            return st.floats(schema["minimum"], schema["maximum"])
    if "pattern" in schema and schema["pattern"].startswith("^"):
        return st.from_regex(schema["pattern"])
    texts = st.tuples(SPEECH, st.sampled_from("xé漢"), SPEECH).map("".join)
    return st.one_of(texts, SPEECH).filter(
        lambda text: len(text) <= schema["maxLength"] and re.search(schema.get("pattern", ""), text)
    )


def spoiled(value: Any) -> st.SearchStrategy[Any]:
    """A value with something in it exchanged for anything."""
    if isinstance(value, dict):
        return st.sampled_from(sorted(value)).flatmap(
            lambda name: st.one_of(
                spoiled(value[name]).map(lambda other: {**value, name: other}),
                st.just({key: other for key, other in value.items() if key != name}),
                st.tuples(st.sampled_from(NAMES) | TEXT, VALUES).map(
                    lambda more: {**value, more[0]: more[1]}
                ),
            )
        )
    if isinstance(value, list) and value:
        return st.one_of(spoiled(value[0]).map(lambda other: [other, *value[1:]]), VALUES, SPEECH)
    return VALUES | SPEECH


EACH = st.sampled_from(sorted(SHAPES))
DOCUMENTS = {kind: drawn(json_schema(kind)) for kind in SHAPES}
WHOLE = {
    kind: {
        "title": "A title",
        "tags": ["a"],
        "content": content,
        "related_files": ["src/a.py"],
        "confidence": 0.5,
        "changes": [{"summary": "s", "field": "f", "old_value": "o", "new_value": "n"}],
    }
    for kind, content in FULL.items()
}


@EACH_KIND
def test_the_schema_is_one_and_forbids_what_it_does_not_name(kind: str) -> None:
    """It is valid in its dialect, and both levels are closed."""
    schema = json_schema(kind)

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert schema["properties"]["content"]["additionalProperties"] is False
    assert schema["required"] == ["title", "content"]
    assert schema["properties"]["content"]["properties"].keys() == SHAPES[kind].keys()
    assert json.loads(json.dumps(schema)) == schema


@given(EACH.flatmap(lambda kind: st.tuples(st.just(kind), DOCUMENTS[kind])))
def test_what_the_schema_accepts_the_code_accepts(case: tuple[str, Any]) -> None:
    """Documents that follow the schema are never refused."""
    kind, value = case
    assume(VALIDATORS[kind].is_valid(value))

    check_document(kind, value, creating=True)


@given(EACH.flatmap(lambda kind: st.tuples(st.just(kind), spoiled(WHOLE[kind]))))
def test_what_the_code_refuses_the_schema_refuses(case: tuple[str, Any]) -> None:
    """Whatever is wrong with it: missing, unknown, not a choice, too long, of another form."""
    kind, value = case
    try:
        check_document(kind, value, creating=True)
    except ValidationError:
        assert not VALIDATORS[kind].is_valid(value)


@pytest.mark.parametrize("month", range(14))
def test_the_schema_knows_the_days_of_the_months(month: int) -> None:
    """It takes every date but that of a leap day, and none that there is not."""
    for day in range(33):
        when = f"2027-{month:02}-{day:02}"
        content = {**FULL["facts"], "valid_from": when}
        real = 1 <= month <= 12 and 1 <= day <= monthrange(2027, month)[1]

        assert VALIDATORS["facts"].is_valid(document(content)) == real
        if real:
            assert check_content("facts", content)["valid_from"] == f"{when}T00:00:00Z"


def test_a_title_of_marks_alone_is_refused_by_the_schema_as_well() -> None:
    """The code takes such marks away, and nothing would be left."""
    marks = {"title": "#tags:", "content": FULL["facts"]}

    assert not VALIDATORS["facts"].is_valid(marks)
    with pytest.raises(BadContent):
        check_document("facts", marks, creating=True)


def test_a_character_that_the_schema_takes_for_visible_is() -> None:
    """The code keeps each of them, and none is a blank."""
    visible = re.compile(json_schema("facts")["properties"]["title"]["pattern"])

    for number in range(sys.maxunicode + 1):
        if visible.match(chr(number)):
            assert clean_text(chr(number)) == chr(number)


@pytest.mark.parametrize(
    "text", ["Use uv", "漢字を使う", "Нельзя", "استخدم", "प्रयोग", "ใช้", "한국어", "==="]
)
def test_the_schema_takes_every_common_script(text: str) -> None:
    """A text need not be English."""
    fact = {**FULL["facts"], "object": text}

    assert VALIDATORS["facts"].is_valid({"title": text, "content": fact})


def test_the_command_prints_one_schema_or_all() -> None:
    """A kind may be named by an alias."""
    one = CliRunner().invoke(schema_command, ["tech_debt"], catch_exceptions=False)
    every = CliRunner().invoke(schema_command, ["--json"], catch_exceptions=False)

    assert json.loads(one.stdout) == json_schema("tech-debt")
    assert json.loads(every.stdout) == {kind: json_schema(kind) for kind in SHAPES}


# Reading


def test_a_decision_reads_well() -> None:
    """The choice first, then what supports it; fields of a newer version last."""
    newer = {**FULL["decisions"], "review_on": "2027-01-01", "cost": {"euro": 5, "days": [1, 2]}}

    assert content_text("decisions", newer) == (
        "Decision: Use PostgreSQL.\n"
        "Status: accepted\n"
        "Rationale:\n"
        "- row locks\n"
        "- known to the team\n"
        "Context: Two workers write at once.\n"
        "Rejected alternatives:\n"
        "- MySQL: weak JSON\n"
        "Consequences:\n"
        "- one more service\n"
        "Review on: 2027-01-01\n"
        "Cost:\n"
        "- euro: 5\n"
        "- days: 1; 2"
    )


def test_examples_and_flags_and_lines_read_well() -> None:
    """An object's parts stand by themselves, a flag is a word, an entry keeps its lines."""
    preference = content_text("preferences", FULL["preferences"])
    constraint = content_text("constraints", {**FULL["constraints"], "impact": ["one\ntwo"]})

    assert preference.endswith("Reason: it locks\nPrefer:\n- uv add\nAvoid:\n- pip install")
    assert "\nType: policy\nSeverity: high\nActive: yes\nImpact:\n- one\n  two\n" in constraint


@EACH_KIND
def test_everything_that_was_said_can_be_read(kind: str) -> None:
    """No text of the content is left out."""
    text = content_text(kind, FULL[kind])

    for said in texts_in(FULL[kind]):
        assert said in text


def texts_in(value: Any) -> list[str]:
    """Every text of a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in texts_in(item)]


@given(st.sampled_from([*sorted(SHAPES), "notes", "from-the-future"]), VALUES)
@example("decisions", {"alternatives": {"option": []}, "rationale": "x", "status": [[[[[["y"]]]]]]})
def test_any_stored_content_can_be_shown(kind: str, content: Any) -> None:
    """Wrong shapes are shown as what they are."""
    text = content_text(kind, content)

    text.encode()
    if isinstance(content, str):
        assert text == clean_text(content)


def test_a_nest_without_end_is_cut() -> None:
    """A note can hold more depth than Python can follow."""
    nest: Any = "x"
    for _ in range(5000):
        nest = {"a": [nest]}

    assert content_text("facts", nest).endswith("…")
    assert refusal("facts", nest).problems


def test_a_number_that_python_will_not_print_does_no_harm() -> None:
    """There is a limit to the digits that it turns into text."""
    huge = {"subject": 10**5000, "weight": 10**5000}

    assert refusal("facts", huge).problems[0].got == "the number that is out of range"
    assert "…" in content_text("facts", huge)


# Plain memories


@given(st.sampled_from(sorted(SHAPES)), SPEECH, SPEECH | st.text("ab\n ", min_size=20))
@example("decisions", "x" * 5000, "y " * 5000)
@example("sessions", "x", "\n\n".join(["y"] * 80))
def test_plain_text_stands_for_valid_content(kind: str, summary: str, body: str) -> None:
    """It passes the check unchanged."""
    content = content_of_text(kind, summary, body)

    assert check_content(kind, content) == content


def test_plain_text_is_not_embroidered() -> None:
    """What the text does not say is said not to be recorded."""
    assert content_of_text("decisions", "Use uv", "It is fast.\n\nIt locks.") == {
        "decision": "Use uv",
        "status": "accepted",
        "rationale": ["It is fast.", "It locks."],
        "context": "Not recorded.",
    }
    assert content_of_text("runbooks", "Restart the worker", "") == {
        "trigger": "Restart the worker",
        "steps": ["Restart the worker"],
        "verification": "Not recorded.",
    }
