"""Regular expressions from the file are the ones that `re` compiles."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest

from recollect.core.patterns import _Kept, _Lazy, pattern, remembered

TEXTS = [
    ("a+b", 0),
    (r"(?P<kind>\w+):(?P<rest>.*)", re.DOTALL),
    (r"(?i)[à-ÿ]{2,}|\bstraße\b", 0),
    (r"(?<!x)y(?=z)|(a)|(b)\2", re.MULTILINE),
    (r"[^\W_]++(?:-[a-z]*+)?", re.IGNORECASE | re.ASCII),
    (r"# a comment\n [\u3040-\u30ff]", re.VERBOSE),
]
SAMPLES = ["aab a:b\nc STRASSE Straße ÀÉ zyz ab b bb -foo_bar-BAZ ひら", "", "\0" * 5, "xyz" * 50]


def same(one: re.Pattern[str], other: re.Pattern[str]) -> bool:
    """Whether two expressions are equal in all that can be seen, and find the same."""
    assert (one.pattern, one.flags, one.groups) == (other.pattern, other.flags, other.groups)
    assert dict(one.groupindex) == dict(other.groupindex)
    found = [[(m.span(), m.groups(), m.lastgroup) for m in one.finditer(text)] for text in SAMPLES]
    return one == other and found == [
        [(m.span(), m.groups(), m.lastgroup) for m in other.finditer(text)] for text in SAMPLES
    ]


def test_the_second_process_gets_the_same_expressions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the samples, and of every expression that is loaded in this process."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    import recollect.capture.detect
    import recollect.hooks.pipelines  # noqa: F401

    ours = [one._arguments for one in gc.get_objects() if type(one) is _Lazy]
    path = str(tmp_path / "expressions")
    first = _Kept(path)
    for text, flags in (*TEXTS, *ours):
        first.compiled(text, int(flags))
    first.save()
    second = _Kept(path)

    assert len(ours) > 100
    assert all(same(second.compiled(t, int(f)), re.compile(t, f)) for t, f in (*TEXTS, *ours))
    assert not second._new


def test_a_damaged_file_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a power cut leaves, and whatever bit flips."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    path = tmp_path / "expressions"
    first = _Kept(str(path))
    first.compiled("a+b", 0)
    first.save()
    good = path.read_bytes()

    for at in range(len(good)):
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert same(_Kept(str(path)).compiled("a+b", 0), re.compile("a+b"))
        path.write_bytes(good[:at])
        assert same(_Kept(str(path)).compiled("a+b", 0), re.compile("a+b"))


def test_a_later_process_adds_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier one kept stays."""
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    path = str(tmp_path / "expressions")
    for text in ("a+b", "a+c", "a+d"):
        kept = _Kept(path)
        kept.compiled(text, 0)
        kept.save()
    last = _Kept(path)

    assert all(same(last.compiled(text, 0), re.compile(text)) for text in ("a+b", "a+c", "a+d"))
    assert not last._new


def test_without_a_place_to_write_everything_works(tmp_path: Path) -> None:
    """A read-only installation compiles in every process."""
    kept = _Kept(str(tmp_path / "missing" / "expressions"))
    assert kept.compiled("a+b", 0).match("aab")
    kept.save()


def test_an_invalid_expression_is_an_error() -> None:
    """As with `re.compile`."""
    with pytest.raises(re.error):
        pattern("(").match("")


def test_what_was_found_in_a_text_is_not_looked_for_again() -> None:
    """Except in a long text, which would take memory for long."""
    asked = []

    @remembered
    def size(text: str) -> int:
        """Count."""
        asked.append(text[:1])
        return len(text)

    assert [size("a"), size("a"), size("b" * 20_000), size("b" * 20_000)] == [1, 1, 20_000, 20_000]
    assert asked == ["a", "b", "b"]
