"""Edits of JSON texts: one entry changes, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import json_edit
from recollect.hosts.json_edit import NotJson

COMMENTED = """\
// Mine
{
    "theme": "dark", // at night
    /* servers */
    "mcpServers": {
        "files": {"command": "npx"}, // keep
    },
}
"""
KEYS = ("mcpServers", "recollect")
SERVER = {"command": "recollect", "args": ["mcp"]}


def test_an_entry_among_comments() -> None:
    """It is indented like its neighbours, and a comma after the last entry stays one."""
    after = json_edit.insert(COMMENTED, KEYS, SERVER).applied(COMMENTED)

    assert after == COMMENTED.replace(
        '"npx"}, // keep\n',
        '"npx"},\n        "recollect": {\n            "command": "recollect",\n'
        '            "args": [\n                "mcp"\n            ]\n        }, // keep\n',
    )
    assert json_edit.read(after)["mcpServers"] == {"files": {"command": "npx"}, "recollect": SERVER}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": 1\n}\n'),
        ("{}", '{\n  "a": 1\n}'),
        ("{\n}\n", '{\n  "a": 1\n}\n'),
        ('{"b": 2}', '{"b": 2, "a": 1}'),
        ('{\n\t"b": 2\n}\n', '{\n\t"b": 2,\n\t"a": 1\n}\n'),
        ('{\r\n  "b": 2\r\n}', '{\r\n  "b": 2,\r\n  "a": 1\r\n}'),
        ('\ufeff{"b": 2,}', '\ufeff{"b": 2, "a": 1,}'),
    ],
)
def test_the_style_of_the_file(before: str, after: str) -> None:
    """Tabs, line ends, one line or many, a mark at the start."""
    assert json_edit.insert(before, ("a",), 1).applied(before) == after


def test_items_of_a_list() -> None:
    """One is put after the last, or into a list that is made for it."""
    text = '{"plugin": ["one"]}'

    assert json_edit.append(text, ("plugin",), "two").applied(text) == '{"plugin": ["one", "two"]}'
    assert json_edit.read(json_edit.append("", ("a", "b"), 1).applied("")) == {"a": {"b": [1]}}
    assert json_edit.remove(text, ("plugin", 0)) is not None
    assert json_edit.remove(text, ("plugin", 1)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2}', '{ "b": 2}'),
        ('{"b": 2, "a": 1}', '{"b": 2}'),
        ('{"b": 2, "a": 1, "c": 3}', '{"b": 2, "c": 3}'),
        ('{\n  "a": 1\n}', "{}"),
        ('{\n  "b": 2,\n  // why\n  "a": 1,\n}', '{\n  "b": 2,\n  // why\n}'),
    ],
)
def test_an_entry_is_taken_out(before: str, after: str) -> None:
    """With its comma; comments of others stay."""
    splice = json_edit.remove(before, ("a",))

    assert splice is not None
    found = splice.applied(before)
    assert found.replace(" ", "") == after.replace(" ", "")
    assert "a" not in json_edit.read(found)


@pytest.mark.parametrize(
    "text",
    ["[", "{", '{"a"', '{"a":', '{"a": 1 "b": 2}', "{,}", "{1: 2}", '{"a": 1}}', '"x', "/*", "nul"],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    """A broken file is never changed."""
    with pytest.raises(NotJson):
        json_edit.read(text)


def test_deep_nesting_is_refused() -> None:
    """It is no crash."""
    with pytest.raises(NotJson):
        json_edit.read("[" * 100_000)


@pytest.mark.parametrize(
    "text", ['"' + "\\" * 200_001, "/*" * 100_000, "{" + " " * 200_000, "/ /" * 9]
)
def test_hostile_texts_end(text: str) -> None:
    """Each is refused after one pass."""
    with pytest.raises(NotJson):
        json_edit.read(text)


NAMES = st.sampled_from(["a", "b", "ü", 'q"', ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(said=st.dictionaries(NAMES, VALUES, max_size=4), indent=st.sampled_from([None, 1, 4, "\t"]))
def test_what_goes_in_comes_out(said: dict[str, Any], indent: int | str | None) -> None:
    """Inserting says one thing more, and removing it brings every character back."""
    text = json.dumps(said, indent=indent, ensure_ascii=False)

    after = json_edit.insert(text, ("new", "x"), SERVER).applied(text)
    back = json_edit.remove(after, ("new",))

    assert json.loads(after) == {**said, "new": {"x": SERVER}}
    assert back is not None
    assert json.loads(back.applied(after)) == said
    if said:
        assert back.applied(after) == text
