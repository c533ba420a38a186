"""The labelled sets are well formed, their harness counts what it says, and training works."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.capture import train
from benchmarks.capture.__main__ import main
from benchmarks.capture.evaluation import is_same, judge, of_rows, of_sessions, read_labels
from benchmarks.capture.labelled import FILE, HALVES, LATER, NONE, TYPES, file_of, load
from benchmarks.capture.rows import FOLDER, Row
from benchmarks.capture.rows import load as load_rows
from benchmarks.capture.sessions import conversation, sentences
from benchmarks.datasets import VARIABLE
from recollect.capture.conversation import Turn
from recollect.capture.detect import Detected
from recollect.capture.features import AGENT, USER, Said, vector
from recollect.capture.model import Model
from recollect.core.kinds import BY_NAME

ROWS = load()


def detect(turns: Sequence[Turn]) -> list[Detected]:
    """Rules simple enough to count by hand: a word for each kind."""
    kinds = {"decided": "decisions", "fixed": "solutions"}
    return [
        Detected(kind, turn.text, 0.9, turn.speaker, (), {kind: 0.9})
        for turn in turns
        for word, kind in kinds.items()
        if word in turn.text
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


def test_written_rows_are_well_formed_and_new() -> None:
    """Known kinds and speakers; nothing that another set has."""
    rows = load_rows(FOLDER / "written.jsonl")
    others = {r.text.lower() for r in (*ROWS, *load(file_of("fresh"), ["fresh"]))}
    assert len(rows) >= 2_000
    assert {row.said.speaker for row in rows} == {USER, AGENT}
    assert {row.kind for row in rows} - {None} <= set(BY_NAME)
    common = [row for row in rows if row.said.text.lower() in others]
    assert len(common) <= 1  # people say "it doesn't work" a lot


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
    """Counted by hand; who asks to remember something is not counted."""
    rows = [
        Row(Said("we decided to keep it"), "decisions"),
        Row(Said("nothing decided yet"), None),
        Row(Said("fixed by a lock"), "learnings"),
        Row(Said("the queue is slow"), "learnings"),
        Row(Said("remember that we decided so"), "notes", asked=True),
        Row(Said("plain talk"), None),
    ]
    figures = of_rows(judge(rows, detect))
    assert figures["rows"] == 5
    assert (figures["precision"]["is"], figures["precision"]["of"]) == (2, 3)
    assert (figures["recall"]["is"], figures["recall"]["of"]) == (2, 3)
    learnings = figures["kinds"]["learnings"]
    assert (learnings["recall"]["is"], learnings["as itself"]["is"]) == (1, 0)


def session(path: Path) -> Path:
    """A recorded session: talk, a failed tool, and what the client added."""
    said = {"type": "text", "text": "It is fixed by a lock now."}
    failed = {"type": "tool_result", "is_error": True, "content": "no"}
    lines = [
        {"type": "user", "message": {"content": "We decided to keep the queue."}},
        {"type": "user", "message": {"content": "<system-reminder>fixed</system-reminder>"}},
        {"type": "user", "isMeta": True, "message": {"content": "fixed by nobody"}},
        {"type": "user", "message": {"content": [failed]}},
        {"type": "assistant", "message": {"content": [said, {"type": "tool_use"}]}},
        {"type": "summary", "summary": "fixed"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n", "utf-8")
    return path


def test_what_is_said_in_a_recorded_session(tmp_path: Path) -> None:
    """Talk only, with what the tools did; findings are compared with what a reader marked."""
    path = session(tmp_path / "one.jsonl")
    assert [(turn.speaker, turn.failed) for turn in conversation(path)] == [
        (USER, False),
        (AGENT, True),
    ]
    assert len(sentences(path)) == 2
    labels = tmp_path / "labels.txt"
    marks = [
        {"session": "one.jsonl", "sentence": "we decided to keep the queue", "kind": "decisions"},
        {"session": "one.jsonl", "sentence": "The disk is slow today.", "kind": "learnings"},
    ]
    labels.write_text("\n".join(map(json.dumps, marks)), "utf-8")
    figures = of_sessions([path], detect, read_labels(labels))
    assert (figures["sentences"], figures["flagged"]["is"]) == (2, 2)
    assert (figures["precision"]["is"], figures["precision"]["of"]) == (1, 2)
    assert (figures["recall"]["is"], figures["recall"]["of"]) == (1, 2)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Use uv, not pip.", "use uv not pip", True),
        ("We use uv here because it is fast.", "We use uv here", True),
        ("We use uv here.", "We never deploy on Fridays.", False),
        ("", "We use uv", False),
    ],
)
def test_which_sentences_are_the_same(one: str, other: str, same: bool) -> None:
    """Two splitters may cut differently."""
    assert is_same(one, other) is same


def test_training_is_deterministic_and_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tiny set gives a file that tells its two halves apart, and the same file again."""
    monkeypatch.setattr(train, "FEWEST_OF_KIND", 2)
    choices = ["uv", "pnpm", "ruff", "mypy", "make", "tox", "nox", "hatch"]
    rows = [Row(Said(f"We decided to use {one} here.", USER), "decisions") for one in choices]
    rows += [Row(Said(f"Please run {one} again.", USER), None) for one in choices]
    rows += [Row(Said(f"I never want {one} in a commit.", USER), "preferences") for one in choices]
    heard = [Row(Said(f"Let me look at {one}.", AGENT), None) for one in choices]
    material = train.gather(rows, [], heard)
    data = train.packed(train.train(material), {"rows": "few"})
    assert data == train.packed(train.train(material), {"rows": "few"})
    model = Model(data)
    assert model.kinds == ("decisions", "preferences")
    assert model.header["made from"] == {"rows": "few"}
    worth, other = (
        model.score(vector(Said(text, USER)))
        for text in ("We decided to use cargo here.", "Please run cargo again.")
    )
    assert worth.score > other.score
    assert worth.kind == "decisions"


def test_the_command_prints_and_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One set, another file of rows, errors on demand, and a plain word where data is missing."""
    monkeypatch.delenv(VARIABLE, raising=False)
    saved, rows = tmp_path / "figures.json", tmp_path / "mine.jsonl"
    row = {"text": "We decided to use uv instead of pip.", "speaker": "user", "kind": "decisions"}
    rows.write_text(json.dumps(row) + "\n", "utf-8")
    options = ["--half", "fresh", "--rows", str(rows), "--errors", "3", "--json", str(saved)]
    main(options)
    printed = capsys.readouterr().out
    assert "precision" in printed
    assert "not measured" in printed
    assert list(json.loads(saved.read_text("utf-8"))) == ["fresh", "mine"]
    assert LATER == ("fresh", "unseen")


def test_the_command_reads_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How much is flagged; their text only with `--show`."""
    session(tmp_path / "one.jsonl")
    main(["--half", "--sessions", str(tmp_path), "--threshold", "0.001"])
    assert "1 sessions, 2 sentences" in capsys.readouterr().out
    main(["--half", "--sessions", str(tmp_path), "--threshold", "0.001", "--show"])
    assert "keep the queue" in capsys.readouterr().out
