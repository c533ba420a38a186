"""Trains the wish model: the weights in src/recollect/capture/wish_model.bin.

python -m benchmarks.capture.train_wishes [--sessions FOLDER ...] [--without FILE ...] [--folds N]
    [--out FILE]

The rows are the files in `ROWS` beside this module, and the prompts without a wish of the working
days that are for tuning. Two models are trained: who asks to keep something, and who asks not to.
A row says what a prompt asks
to keep, not which of its sentences asks. So the first model takes every sentence that is not part
of what to keep, and each later one the sentence that the model before rated highest. People's
prompts in recorded sessions (`--sessions`), in which no rule finds a wish, are negatives. They are
other people's words and not part of the project.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.capture.fitting import Floats, Table, fit_binary, sigmoid
from benchmarks.capture.requests import Prompt, load
from benchmarks.capture.rows import FOLDER, digest
from benchmarks.capture.sessions import conversation, transcripts
from benchmarks.day.scripts import TUNING, all_days, read_day
from recollect.capture.features import USER
from recollect.capture.requests import find_requests, typed_sentences
from recollect.capture.unkept import part as part_by_rules
from recollect.capture.wish_model import FILE, MAGIC, SIZE, bucket, grams, spans, tokens

COMMAND = "python -m benchmarks.capture.train_wishes"
ROWS = (
    "wishes.jsonl",
    "requests.jsonl",
    "wishes_fifth.jsonl",
    "wishes_sixth.jsonl",
    "unkept.jsonl",
    "wishes_eighth.jsonl",
    "wishes_ninth.jsonl",
    "wishes_tenth.jsonl",
    "wishes_eleventh.jsonl",
    "wishes_twelfth.jsonl",
    "wishes_thirteenth.jsonl",
    "wishes_fourteenth.jsonl",
    "wishes_fifteenth.jsonl",
)
# How much a prompt counts for who asks not to keep something: one that does; one that does not; one
# without a wish in an older file, whose author was not asked about that.
UNKEPT, KEEPS, UNKNOWN = 2.0, 0.7, 0.2
ASKED_ABOUT = (
    "wishes_fifth.jsonl",
    "wishes_sixth.jsonl",
    "unkept.jsonl",
    "wishes_eighth.jsonl",
    "wishes_ninth.jsonl",
    "wishes_tenth.jsonl",
    "wishes_eleventh.jsonl",
    "wishes_twelfth.jsonl",
    "wishes_thirteenth.jsonl",
    "wishes_fourteenth.jsonl",
    "wishes_fifteenth.jsonl",
)
DECAY = 1e-4
ROUNDS = 4
OTHERS = 0.3  # the weight of another sentence of a prompt with a wish, and of a recorded one
KEPT = 0.5  # of a sentence that says what to keep
LONGEST = 6_000  # characters of a recorded prompt; a longer one is pasted
THRESHOLDS = (0.5, 0.55, 0.6, 0.7)
_WORD = re.compile(r"\W+")


class Sentences(NamedTuple):
    """The sentences of prompts, or parts of long ones: features, prompt, whether they may ask."""

    table: Table
    owner: Any
    may_ask: Any


def tabulate(prompts: Sequence[Prompt]) -> Sentences:
    """Return the features of every sentence of every prompt, or of its parts."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    owner: list[int] = []
    may_ask: list[bool] = []
    for number, prompt in enumerate(prompts):
        wanted = [folded(wish) for wish in prompt.wishes]
        said = typed_sentences(prompt.text)
        parts = [
            (place, words[start:end], one[words[start].start : words[end - 1].end])
            for place, one in enumerate(said)
            for words in [tokens(one)]
            for start, end in spans(words)
            if end
        ]
        inside = [any(folded(text) in wish for wish in wanted) for _, _, text in parts]
        for at, (place, part, _) in enumerate(parts):
            found = {bucket(gram.text) for gram in grams(part, place, len(said))}
            columns += [*found, SIZE]
            values += [*([1 / math.sqrt(len(found) or 1)] * len(found)), 1.0]
            rows += [len(owner)] * (len(found) + 1)
            owner.append(number)
            may_ask.append(not inside[at] or all(inside))
    table = Table(np.array(rows), np.array(columns), np.array(values), len(owner), SIZE + 1)
    return Sentences(table, np.array(owner), np.array(may_ask))


def train(prompts: Sequence[Prompt], recorded: int = 0) -> tuple[Floats, Floats]:
    """Return the weights of both models; the last `recorded` prompts are other people's."""
    said = tabulate(prompts)
    wishes = np.array([bool(prompt.wishes) for prompt in prompts])
    unkept = np.array([prompt.unkept for prompt in prompts])
    return (
        _train(said, wishes, np.ones(len(prompts)), recorded),
        _train(said, unkept, unkept_weights(prompts), recorded),
    )


def unkept_weights(prompts: Sequence[Prompt]) -> Floats:
    """Return how much each prompt counts for who asks not to keep something."""
    return np.array(
        [
            UNKEPT if one.unkept else (KEEPS if one.wishes or one.set in ASKED_ABOUT else UNKNOWN)
            for one in prompts
        ]
    )


def _train(said: Sentences, labels: Any, counts: Floats, recorded: int) -> Floats:
    asks = labels[said.owner]
    can = asks & said.may_ask
    weight = np.where(asks & ~said.may_ask, KEPT, 1.0)
    weight[said.owner >= len(labels) - recorded] = OTHERS
    wanted = can.astype(np.float64)
    weight[can] = 1 / np.bincount(said.owner[can], minlength=len(labels))[said.owner[can]]
    decay = np.full(SIZE + 1, DECAY)
    decay[-1] = 0.0
    counted = counts[said.owner]
    weights = fit_binary(said.table, wanted, weight * counted, decay)
    for _ in range(ROUNDS - 1):
        scores = said.table.times(weights)
        wanted[:] = 0.0
        weight[can] = OTHERS
        chosen = likeliest(scores, said.owner, can)
        wanted[chosen] = weight[chosen] = 1.0
        weights = fit_binary(said.table, wanted, weight * counted, decay)
    return weights


def likeliest(scores: Floats, owner: Any, can: Any) -> list[int]:
    """Return the row of each prompt with the highest score, among those that can ask."""
    best: dict[int, int] = {}
    for at in np.flatnonzero(can):
        number = int(owner[at])
        if number not in best or scores[at] > scores[best[number]]:
            best[number] = int(at)
    return list(best.values())


def chances(prompts: Sequence[Prompt], weights: Floats) -> Floats:
    """Return the highest chance among the sentences of each prompt."""
    said = tabulate(prompts)
    found = np.zeros(len(prompts))
    np.maximum.at(found, said.owner, sigmoid(said.table.times(weights)))
    return found


def print_folds(prompts: Sequence[Prompt], recorded: Sequence[Prompt], folds: int) -> None:
    """Print what models find in prompts that they did not see."""
    found, real = np.zeros(len(prompts)), np.zeros(len(recorded))
    for fold in range(folds):
        rest = [one for at, one in enumerate(prompts) if at % folds != fold]
        other = [one for at, one in enumerate(recorded) if at % folds != fold]
        weights, _ = train([*rest, *other], len(other))
        found[fold::folds] = chances(prompts[fold::folds], weights)
        if recorded:
            real[fold::folds] = chances(recorded[fold::folds], weights)
    asks = np.array([bool(prompt.wishes) for prompt in prompts])
    for threshold in THRESHOLDS:
        high = found >= threshold
        print(
            f"  at {threshold}: wishes {high[asks].mean():.2f}, traps {high[~asks].mean():.3f},"
            f" recorded prompts {(real >= threshold).mean() if recorded else 0:.4f}"
        )


def recorded_prompts(folders: Sequence[Path]) -> list[Prompt]:
    """Return people's distinct prompts in recorded sessions in which no rule finds a wish."""
    said = {
        turn.text
        for folder in folders
        for path in transcripts(folder)
        for turn in conversation(path)
        if turn.speaker == USER and len(turn.text) <= LONGEST
    }
    rules = [text for text in sorted(said) if not find_requests(text, learned=False)]
    return [Prompt(text, []) for text in rules]


def day_prompts() -> list[Prompt]:
    """Return the prompts of the tuning days, with what their authors say that they ask for.

    What exactly is to be kept, or not to be, is not known: the wish of such a prompt is empty.
    """
    found: list[Prompt] = []
    for day in map(read_day, all_days()):
        if day.split != TUNING:
            continue
        wishes = {fact.said for fact in day.facts if fact.is_wish}
        for number, session in enumerate(day.sessions, 1):
            for place, turn in enumerate(session.turns, 1):
                asks = (number, place) in wishes
                hushes = any(words.are_in(turn.user) for words in day.never.values())
                found.append(Prompt(turn.user, [""] * asks, "days", hushes and not asks))
    return found


def all_prompts(
    sessions: Sequence[Path], without: Sequence[str] = ()
) -> tuple[list[Prompt], list[Prompt], dict[str, Any]]:
    """Return the prompts to train on, the recorded ones apart, and where they are from."""
    days = day_prompts()
    files = [FOLDER / name for name in ROWS if name not in without]
    prompts = [*(_labelled(one, file.name) for file in files for one in load(file)), *days]
    recorded = recorded_prompts(sessions)
    sources = {**digest(files), "prompts of days": len(days)}
    return prompts, recorded, {**sources, "recorded prompts": len(recorded)}


def _labelled(prompt: Prompt, name: str) -> Prompt:
    """Return a prompt with what the rules know: older rows do not say what asks not to keep."""
    says_so = not prompt.wishes and bool(part_by_rules(prompt.text).unkept)
    return prompt._replace(unkept=prompt.unkept or says_so, set=name)


def folded(text: str) -> str:
    """Return the words of a text, in lower case."""
    return _WORD.sub(" ", text.lower()).strip()


def packed(models: Sequence[Floats], sources: dict[str, Any]) -> bytes:
    """Return the model file."""
    scales = [float(f"{np.abs(one[:-1]).max() / 127 or 1.0:.6g}") for one in models]
    header = {
        "made by": COMMAND,
        "made from": sources,
        "scales": scales,
        "biases": [round(float(one[-1]), 4) for one in models],
    }
    text = json.dumps(header, sort_keys=True).encode()
    bodies = [
        np.rint(one[:-1] / scale).astype(np.int8).tobytes()
        for one, scale in zip(models, scales, strict=True)
    ]
    return b"".join([MAGIC, len(text).to_bytes(4), text, *bodies])


def main(arguments: list[str] | None = None) -> None:
    """Train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", nargs="*", type=Path, default=[])
    parser.add_argument("--without", nargs="*", default=[], help="names of files to leave out")
    parser.add_argument("--folds", type=int, default=0, help="also judge models on unseen parts")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    prompts, recorded, sources = all_prompts(options.sessions, options.without)
    if options.folds:
        print_folds(prompts, recorded, options.folds)
    data = packed(train([*prompts, *recorded], len(recorded)), sources)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(data)} bytes from {len(prompts)} + {len(recorded)} prompts")


if __name__ == "__main__":
    main()
