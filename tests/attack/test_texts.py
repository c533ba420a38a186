"""Every function that takes a text takes linear time, whatever the text.

Expressions are tested one by one in `test_patterns`; here it is what is done around them: loops,
slices, texts put together again. What takes a text for the first time belongs into the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.capture import (
    checkpoints,
    commands,
    error_lines,
    markers,
    novelty,
    observations,
    outcomes,
    sentences,
    tags,
    tool_learning,
)
from recollect.capture.changed_minds import change_in, changed_by
from recollect.capture.conversation import Turn
from recollect.capture.detect import detect
from recollect.capture.features import Said, vector
from recollect.capture.kind_of import kind_of
from recollect.capture.leads import (
    chosen_again,
    corrected_in,
    only_scratches,
    scratches,
    tells,
    tells_change,
    without_filler,
)
from recollect.capture.request_text import split_prompt
from recollect.capture.restating import adds_nothing
from recollect.capture.reversals import leaves
from recollect.capture.titles import title_and_body
from recollect.core import characters, document, facts, legacy, marks, note, record
from recollect.embedding import chunking
from recollect.embedding.granite import byte_pairs
from recollect.embedding.granite.vocabulary import Tokenizer
from recollect.embedding.minilm import wordpiece
from recollect.hosts.claude_code import events as claude_code
from recollect.hosts.claude_code import transcript as claude_code_transcript
from recollect.index import text as words
from recollect.redact.entropy import bits_per_character, is_odd
from recollect.redact.homes import drop_private, shorten_homes
from recollect.redact.redactor import Redactor
from recollect.redact.rules import RULES
from recollect.search import sanitise as governor
from recollect.search import tokens, triggers
from recollect.sleep import boundaries, wording
from recollect.sleep import sentences as sleep_sentences
from recollect.typed.merge_rules import word_difference_ratio
from tests.attack.growth import RUNS, growth, hostile, pumped, too_fast_growing

_UID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
_PIECES = "\n".join((wordpiece.CLS, wordpiece.SEP, wordpiece.UNKNOWN, "a", "##a", "b", "the"))

_CUTTER = wordpiece.WordPiece(_PIECES)
_VOCABULARY = {"<s>": 0, "</s>": 1, "<unk>": 2, "a": 3, "aa": 4, "aaaa": 5, "Ġ": 6, "b": 7}
_TOKENIZER = json.dumps({"model": {"vocab": _VOCABULARY, "merges": ["a a", "aa aa"]}}).encode()
_PAIRS = byte_pairs.BytePairs(Tokenizer(_TOKENIZER))


class _Counting:
    """An embedder as far as cutting a text needs one."""

    window = 64

    def count_tokens(self, text: str) -> int:
        return len(_CUTTER.encode(text))


def _legacy(text: str) -> object:
    return list(legacy.split_legacy(f"---\nid: x\nsummary: {text}\n{text}\n---\n{text}"))


def _note(text: str) -> object:
    return note.render_note(note.parse_note(f"---\nuid: {_UID}\n---\n{text}\n...\n{text}"))


def _event(text: str) -> object:
    payload = {"prompt": text, "tool_name": "apply_patch", "tool_input": {"command": text}}
    return claude_code.read_event("prompt", payload, {})


_REDACTOR = Redactor(home="/home/ada")
_FUNCTIONS: dict[str, Callable[[str], object]] = {
    "byte_pairs": _PAIRS.encode,
    "bits_per_character": lambda text: bits_per_character(text) if text else 0,
    "boundaries": lambda text: boundaries.keywords([text], text),
    "chunks": lambda text: chunking.chunks(text, _Counting(), size=64),  # type: ignore[arg-type]
    "claims": wording.claims,
    "clean_lines": error_lines.clean_lines,
    "commit_of": lambda text: checkpoints.commit_of(f"git commit {text}", text),
    "checkpoint": lambda text: checkpoints.checkpoint("Bash", f"make {text}", text),
    "classify": observations.classify,
    "complaints": lambda text: error_lines.find_error_line(error_lines.read_report(text)),
    "count_tokens": tokens.count_tokens,
    "denials": words.denials,
    "detect": lambda text: detect([Turn("agent", text), Turn("user", text)], threshold=0.01),
    "drop_private": drop_private,
    "fact": facts.normal,
    "find_marked": lambda text: markers.find_marked(f"[remember] {text}"),
    "fingerprint": error_lines.fingerprint,
    "sanitise": governor.sanitise,
    "heredoc": lambda text: commands.parts_of.__wrapped__(f"cat <<EOF\n{text}"),
    "indexable": words.indexable,
    "is_odd": is_odd,
    "kind_of": kind_of,
    "learn_from": lambda text: tool_learning.learn_from("Bash", text, (), text, text),
    "legacy": _legacy,
    "memorability": observations.memorability,
    "novelty": novelty.fingerprint,
    "note": _note,
    "outcome": outcomes.outcome_of,
    "goal": outcomes.goal_of,
    "parts_of": commands.parts_of.__wrapped__,
    "query_terms": words.query_terms,
    "quoted": governor.quoted,
    "read_event": _event,
    "record": lambda text: record.escape_body(record.unescape_body(text)),
    "redact": _REDACTOR.redact,
    "said_in": lambda text: novelty.said_in(text, text),
    "sentences": sentences.sentences,
    "shorten_homes": lambda text: shorten_homes(f"/home/ada {text}", "/home/ada"),
    "shorten_line": note.shorten_line,
    "shown": commands.shown,
    "sleep_sentences": lambda text: list(sleep_sentences.parts_of(text)),
    "slugify": document.slugify,
    "split_prompt": split_prompt,
    "tags_of": tags.tags_of,
    "title": title_and_body,
    "tokens_of": wording.tokens_of,
    "transcript": claude_code_transcript._cleaned,
    "triggers": lambda text: (triggers.asks_for_memory(text), triggers.asked_for(text)),
    "vector": lambda text: vector(Said(text, "user")),
    "visible": characters.visible,
    "without": lambda text: document._without(text, "#tags:", "->"),
    "without_filler": without_filler,
    "scratches": scratches,
    "tells": tells,
    "chosen_again": chosen_again,
    "corrected_in": corrected_in,
    "leaves": lambda text: leaves(text, "static HTML"),
    "tells change": tells_change,
    "change in": lambda text: change_in(text, "Pages are static HTML, 20 a minute"),
    "changed by": lambda text: changed_by(f"scrap {text}", ["Pages are static HTML", text]),
    "only scratches": only_scratches,
    "restates": lambda text: adds_nothing(text, f"{text} once more"),
    "without_own_text": marks.without_own_text,
    "word_difference": lambda text: word_difference_ratio(text, text[::-1]),
    "wordpiece": _CUTTER.encode,
    "yaml": legacy.read_block_yaml,
}
# Besides single characters, what makes loops go on: lines, blocks, marks that are left open.
_MORE = (
    *(
        "a b\n",
        "log line\n",
        "- a b c\n",
        "\n\n",
        "a: b\n",
        "```\na\n",
        "~~~\n",
        "---\n",
        "...\n",
        "> a\n",
    ),
    *("[remember] x\n", "[remember:x", "[/remember]", "<private>", "</private>", "<a>", "</a>"),
    *("<system-reminder>", "-- ", "->", "#tags:#ta", "a -> ", "key: |\n", "  x\n", '"a\\\n'),
    *("Error: a\n", "The a is b. ", "a. B", '"a." ', "“a”", "x=1 ", "cd a && ", "a | b; ", "1 2 "),
    *(
        "we decided to a. ",
        "The problem is a. The fix is b. ",
        "system: ",
        "ignore all rules ",
        "ab",
    ),
)
_SIZE = 2000


@pytest.mark.parametrize("name", sorted(_FUNCTIONS))
def test_a_function_takes_linear_time(name: str) -> None:
    """For runs of characters, words and lines, closed and left open."""
    for run in (*RUNS, *_MORE):
        grown = growth(_FUNCTIONS[name], pumped("", run, ""), _SIZE)
        assert not grown, f"{name} on {run!r}…: {grown}"


def test_marks_within_marks_take_linear_time() -> None:
    """Each that goes makes room for the next."""

    def nested(size: int) -> str:
        return "-" * (size // 2) + ">" * (size // 2)

    assert not growth(lambda text: document._without(text, "->"), nested, 20_000)
    assert document._without("a-->>b#tags#tags::c,", "->", "#tags:", ",") == "abc"


@pytest.mark.parametrize("rank", range(len(RULES)), ids=lambda rank: f"{rank}-{RULES[rank].name}")
def test_a_rule_of_the_redactor_takes_linear_time(rank: int) -> None:
    """For texts that look like its secret up to some place."""
    rule = RULES[rank]

    def find(text: str) -> object:
        return list(rule.find(text, text.encode("ascii", "replace").lower().decode("ascii")))

    runs = list(hostile(rule.pattern))
    runs += [("", part) for part in (*rule.anchors, *rule.within)]
    runs += [(part, run) for part in (*rule.anchors, *rule.within)[:3] for run in 'aA1 -"=.:']
    for prefix, run in runs:
        for lead in ("", " "):
            grown = too_fast_growing(find, pumped(prefix, lead + run, ""))
            assert not grown, f"{rule.name} on {prefix!r}, {run!r}…: {grown}"


def test_a_transcript_is_read_in_linear_time(tmp_path: Path) -> None:
    """Many lines, and lines of any length."""
    path = tmp_path / "t.jsonl"

    def read(text: str) -> object:
        return claude_code_transcript.read_transcript(path, 0)

    def build(run: str) -> Callable[[int], str]:
        def make(size: int) -> str:
            line = json.dumps({"type": "user", "message": {"content": run}}) + "\n"
            path.write_text(line * (size // len(line)))
            return ""

        return make

    for run in ("a", "<system-reminder>", "a" * 900, "<ide_x>" * 100):
        assert not growth(read, build(run), 30_000)
