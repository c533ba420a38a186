"""The labelled set is well formed, and its harness counts what it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.capture.__main__ import main, measure
from benchmarks.capture.labelled import FILE, HALVES, LATER, NONE, TYPES, Row, file_of, load
from benchmarks.capture.scoring import by_type, judge, overall, worst
from benchmarks.capture.transcripts import measure as measure_transcripts
from benchmarks.capture.transcripts import messages
from benchmarks.datasets import VARIABLE

ROWS = load()


class Signal(NamedTuple):
    """A signal as the harness sees it."""

    type: str
    confidence: float


def detect(text: str) -> list[Signal]:
    """Rules simple enough to count by hand: a word for each type."""
    words = {"decided": "decision", "fixed": "resolution", "remember": "explicit"}
    return [Signal(kind, 0.9) for word, kind in words.items() if word in text]


def decide(signal: Signal) -> str:
    """Fixes are stored, decisions and wishes shown."""
    return "auto" if signal.type == "resolution" else "suggest"


def marked(text: str) -> bool:
    """No markers."""
    return text.startswith("[remember]")


def row(text: str, kind: str) -> Row:
    """A row of a source that does not matter."""
    return Row(text, kind, kind == "explicit", "written: a test", "tune")


FEW = [
    row("we decided to keep it", "decision"),
    row("nothing decided yet", NONE),
    row("fixed by a lock", "resolution"),
    row("not fixed", NONE),
    row("the queue is slow", "learning"),
    row("remember that we decided so", "explicit"),
    row("[remember] the port", "explicit"),
    row("plain talk", NONE),
]


def test_the_set_is_large_enough_and_half_of_it_tempts() -> None:
    """At least 440 rows, half of them not worth keeping, in each half too."""
    assert len(ROWS) >= 440
    for rows in (ROWS, *(load(halves=[half]) for half in HALVES)):
        assert sum(r.type == NONE for r in rows) * 2 >= len(rows)
    assert sum(r.origin == "written" for r in ROWS) * 4 <= len(ROWS)


def test_every_row_is_well_formed() -> None:
    """The five fields, known labels, text of one or two sentences, a source."""
    for line in FILE.read_text("utf-8").splitlines():
        assert set(json.loads(line)) == {"text", "type", "explicit", "source", "half"}
    for r in ROWS:
        assert r.type in (*TYPES, NONE)
        assert r.half in HALVES
        assert r.explicit == (r.type == "explicit")
        assert r.text == r.text.strip()
        assert 5 <= len(r.text) <= 400
        assert re.fullmatch(r"[a-zA-Z. ]+(, adapted)?: \S.*", r.source)


@pytest.mark.parametrize(("half", "least"), [("fresh", 380), ("unseen", 200)])
def test_later_rows_are_well_formed_and_new(half: str, least: int) -> None:
    """None of them stands in a half, and half of them are not worth keeping, or nearly."""
    rows = load(file_of(half), [half])
    known = {" ".join(r.text.lower().split()) for r in ROWS}
    for r in rows:
        assert r.type in (*TYPES, NONE)
        assert r.explicit == (r.type == "explicit")
        assert " ".join(r.text.lower().split()) not in known
    assert len(rows) >= least
    assert sum(r.type == NONE for r in rows) * 2.2 >= len(rows)


def test_the_halves_share_no_source_and_no_text() -> None:
    """Held out means held out: not even another file of the same project."""
    tune, held = (load(halves=[half]) for half in HALVES)
    assert not {r.project for r in tune} & {r.project for r in held}
    texts = Counter(" ".join(r.text.lower().split()) for r in ROWS)
    assert [text for text, times in texts.items() if times > 1] == []


def test_the_halves_are_balanced() -> None:
    """Every type is in both halves, in like numbers."""
    tune, held = (Counter(r.type for r in load(halves=[half])) for half in HALVES)
    for kind in (*TYPES, NONE):
        assert min(tune[kind], held[kind]) >= 12
        assert abs(tune[kind] - held[kind]) <= 0.2 * (tune[kind] + held[kind])


def test_nobody_can_be_written_to() -> None:
    """No address of a person has slipped in."""
    found = {a for r in ROWS for a in re.findall(r"[\w.+-]+@[\w-]+\.[\w.]+", r.text)}
    assert found <= {"demo@example.com"}


def test_precision_and_recall_of_a_few_rows() -> None:
    """Counted by hand."""
    judged = judge(FEW, detect, decide, marked)
    figures = overall(judged)
    counted = {name: (f["is"], f["of"]) for name, f in figures.items() if name != "rows"}
    assert counted == {
        "auto precision": (2, 3),
        "auto recall": (2, 5),
        "suggest or better precision": (4, 6),
        "suggest or better recall": (4, 5),
        "explicit recall": (2, 2),
        "junk let through": (2, 3),
    }
    types = by_type(judged)
    assert (types["decision"]["precision"]["is"], types["decision"]["precision"]["of"]) == (1, 2)
    assert types["explicit"]["recall"]["share"] == 1.0
    assert types["learning"]["precision"]["share"] is None
    assert measure(judged)["origins"]["written"]["rows"] == len(FEW)


def test_the_worst_errors_come_first() -> None:
    """Stored junk before shown junk before misses."""
    names = [name for name, _ in worst(judge(FEW, detect, decide, marked))]
    assert names == ["junk stored", "junk suggested", "missed"]


def test_what_is_said_in_a_recorded_session(tmp_path: Path) -> None:
    """Talk only; time and findings are counted over it."""
    folder = tmp_path / "claude_code_transcripts"
    folder.mkdir()
    said = {"type": "text", "text": "it is fixed"}
    lines = [
        {"type": "user", "message": {"content": "we decided"}},
        {"type": "user", "message": {"content": "<system-reminder>fixed</system-reminder>"}},
        {"type": "user", "isMeta": True, "message": {"content": "fixed"}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "fixed"}]}},
        {"type": "assistant", "message": {"content": [said, {"type": "tool_use"}]}},
        {"type": "summary", "summary": "fixed"},
    ]
    text = "\n".join(map(json.dumps, lines))
    (folder / "one.jsonl").write_text(text + "\nnot json\n", "utf-8")
    texts = list(messages(tmp_path))
    assert texts == ["we decided", "it is fixed"]
    figures = measure_transcripts(texts, detect, decide, marked)
    assert (figures["auto per 100"], figures["suggest per 100"]) == (50.0, 50.0)
    assert figures["ratio"] > 0


def test_the_command_prints_and_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command, both halves, errors on demand, and a plain word where data is missing."""
    monkeypatch.setattr("benchmarks.capture.__main__.rules", lambda: (detect, decide, marked))
    monkeypatch.delenv(VARIABLE, raising=False)
    saved = tmp_path / "figures.json"
    main(["--half", "all", "--errors", "3", "--json", str(saved)])
    printed = capsys.readouterr().out
    assert "auto precision" in printed
    assert "not measured" in printed
    assert list(json.loads(saved.read_text("utf-8"))) == [*HALVES, *LATER]
