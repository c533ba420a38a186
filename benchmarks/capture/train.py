"""Trains the detection model: the weights in src/recollect/capture/model.bin.

RECOLLECT_DATA=/path/to/data python -m benchmarks.capture.train
    [--sessions FOLDER ...] [--labels FILE ...] [--without FILE ...] [--out FILE]

The rows are those beside this module except `unseen.jsonl`. Sentences of recorded sessions are
negatives with less weight, because some of them are worth keeping; those that a model of the other
rows rates high are left out. `--labels` names rows of such sentences that somebody has read; they
are other people's words, so their file stays outside the project. `--without` names labels of
sessions that the model is judged with. The same input gives the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.capture import fitting
from benchmarks.capture.fitting import Floats, Table, tabulate
from benchmarks.capture.rows import FOLDER, TRAINED_ON, Row, digest, load
from benchmarks.capture.sessions import sentences, transcripts
from benchmarks.capture.transcripts import TRANSCRIPTS
from benchmarks.datasets import VARIABLE
from recollect.capture.features import AGENT, NAMED, USER, Said, vector
from recollect.capture.model import FILE, MAGIC, MAX_SIZE

COMMAND = "python -m benchmarks.capture.train"
SIZE, KIND_SIZE = 1 << 15, 1 << 13  # weights of words, and again of characters
# How strongly weights are pulled to zero. Characters tell an author's style as much as the meaning,
# and help less with talk than with written rows.
DECAY, KIND_DECAY = 5e-5, 5e-4
OF_CHARACTERS, OF_NAMED = 3.0, 0.2  # times the decay of words
MOST_OF = {USER: 2_000, AGENT: 6_000}  # sentences of sessions
# The weight of a row, in a place like those in sessions and again alone. Agents talk otherwise in
# sessions than in rows; people's chat is rare there, so that rows tell more about it.
WRITTEN = {USER: 0.7, AGENT: 0.5}
OF_KIND = 1.5  # the weight of a row for the kinds, which differ less
UNREAD = 0.1  # of a sentence that nobody has read
MARKED, PASSED_OVER = 6.0, 3.0  # of sentences that somebody has read
IN_DOUBT, CHANCE_IN_DOUBT = 3.0, 0.8  # of those that a reader could not tell; finding one is right
HIGHEST_UNREAD = -1.0  # the score from which an unread sentence is no negative
FEWEST_OF_KIND = 15
FOLDS = 3
PHRASES = 1_500
_FEWEST_ROWS = 3  # that have a phrase


class Material(NamedTuple):
    """Everything that the model is trained on."""

    rows: Sequence[Row]
    read: Sequence[Row]
    unread: Sequence[Row]


def gather(rows: Sequence[Row], read: Sequence[Row], heard: Sequence[Row]) -> Material:
    """Give rows a place like those in sessions, and choose the unread sentences."""
    known = {row.said.text for row in read}
    # What an agent gave in to is often worth keeping, so without a reader it is no negative.
    unread = [row for row in heard if row.said.text not in known and not row.said.conceded]
    places = {
        speaker: sorted(
            (row.said for row in unread if row.said.speaker == speaker),
            key=lambda said: _number(said.text),
        )
        for speaker in (USER, AGENT)
    }
    chosen = [
        Row(said, None, UNREAD, "session")
        for speaker, all_said in places.items()
        for said in all_said[: MOST_OF[speaker]]
    ]
    placed = [_placed(row, places) for row in rows if not row.asked]
    placed = [row._replace(weight=WRITTEN[row.said.speaker]) for row in placed]
    # Alone, too: what people paste into a message of one sentence is no narration.
    alone = [row._replace(said=Said(row.said.text, row.said.speaker)) for row in placed]
    read = [row._replace(weight=row.weight * _weight(row)) for row in read]
    return Material([*placed, *alone], read, chosen)


def _weight(row: Row) -> float:
    """Return the weight of a sentence that somebody has read."""
    if row.in_doubt:
        return IN_DOUBT
    return MARKED if row.kind else PASSED_OVER


def _kind_weight(row: Row) -> float:
    return row.weight if row.session else OF_KIND


def _chance(row: Row) -> float:
    return CHANCE_IN_DOUBT if row.in_doubt else float(row.kind is not None)


def _placed(row: Row, places: dict[str, list[Said]]) -> Row:
    """Give a row a speaker and a place, so that having none tells the model nothing."""
    number = _number(row.said.text)
    speaker = row.said.speaker or (AGENT if number % 3 == 0 else USER)
    there = places.get(speaker) or [row.said]
    like = there[number % len(there)]
    return row._replace(said=like._replace(text=row.said.text, speaker=speaker))


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6])


def train(material: Material) -> dict[str, Any]:
    """Return the weights, the calibration and the kinds."""
    rows = [*material.rows, *material.read, *material.unread]
    table = tabulate([row.said for row in rows], SIZE)
    wanted = np.array([_chance(row) for row in rows], np.float64)
    weight = np.array([row.weight for row in rows])
    decay = _decay(table, SIZE, DECAY)
    unread = np.arange(len(rows)) >= len(rows) - len(material.unread)
    first = fitting.fit_binary(table, wanted, weight * ~unread, decay)
    weight *= ~(unread & (table.times(first) > HIGHEST_UNREAD))
    worth = fitting.fit_binary(table, wanted, weight, decay)
    # A session is in one fold: its sentences have words in common.
    folds = np.array([_number(row.session or row.said.text) % FOLDS for row in rows])
    raw = np.zeros(len(rows))
    for fold in range(FOLDS):
        part = fitting.fit_binary(table, wanted, weight * (folds != fold), decay)
        raw[folds == fold] = table.times(part)[folds == fold]
    counts = Counter(row.kind for row in rows if row.kind)
    kinds = sorted(kind for kind, count in counts.items() if count >= FEWEST_OF_KIND)
    kept = [row for row in rows if row.kind in kinds]
    kind_table = tabulate([row.said for row in kept], KIND_SIZE)
    of_kinds = fitting.fit_classes(
        kind_table,
        np.array([kinds.index(str(row.kind)) for row in kept]),
        # Rare kinds count more, so that frequent ones do not swallow them.
        np.array([_kind_weight(row) / counts[str(row.kind)] ** 0.5 for row in kept]),
        len(kinds),
        _decay(kind_table, KIND_SIZE, KIND_DECAY),
    )
    return {
        "worth": worth,
        "kinds": kinds,
        "of kinds": of_kinds,
        "calibration": calibrate(raw, wanted, weight),
        "phrases": phrases(material.rows[: len(material.rows) // 2], worth),
        "unseen": raw,  # the scores of all rows by models that did not see them
    }


def _decay(table: Table, size: int, decay: float) -> Floats:
    all_decay = np.full(table.columns, decay)
    all_decay[size : 2 * size] = decay * OF_CHARACTERS
    all_decay[2 * size :] = decay * OF_NAMED
    all_decay[-1] = 0.0
    return all_decay


def calibrate(raw: Floats, wanted: Floats, weight: Floats) -> tuple[float, float]:
    """Return the slope and the offset that turn scores of unseen rows into probabilities."""
    table = Table(
        np.repeat(np.arange(len(raw)), 2),
        np.tile(np.arange(2), len(raw)),
        np.stack([raw, np.ones(len(raw))], axis=1).ravel(),
        len(raw),
        2,
    )
    slope, offset = fitting.fit_binary(table, wanted, weight, np.full(2, 1e-9))
    return round(float(slope), 4), round(float(offset), 4)


def phrases(rows: Sequence[Row], worth: Floats) -> list[str]:
    """Return the words with the strongest weights that several committed rows have."""
    from recollect.capture.features import bucket

    counts = Counter(word for row in rows for word in vector(row.said).words)
    common = [word for word, count in counts.items() if count >= _FEWEST_ROWS]
    common.sort(key=lambda word: (-abs(worth[bucket(word, SIZE)]), word))
    return sorted(common[:PHRASES])


def packed(model: dict[str, Any], sources: dict[str, Any]) -> bytes:
    """Return the model file."""
    blocks: list[bytes] = []

    def head(weights: Floats, size: int) -> dict[str, Any]:
        scales = []
        for part in (weights[:size], weights[size : 2 * size]):
            scale = float(np.abs(part).max()) / 127 or 1.0
            blocks.append(np.rint(part / scale).astype(np.int8).tobytes())
            scales.append(float(f"{scale:.6g}"))
        named = [round(float(value), 4) for value in weights[2 * size :]]
        return {"scales": scales, "named": named[:-1], "bias": named[-1]}

    header = {
        "made by": COMMAND,
        "made from": sources,
        "features": list(NAMED),
        "sizes": [SIZE, KIND_SIZE],
        "kinds": model["kinds"],
        "calibration": model["calibration"],
        "worth": head(model["worth"], SIZE),
        "of kinds": [head(weights, KIND_SIZE) for weights in model["of kinds"]],
    }
    text = json.dumps(header, sort_keys=True).encode()
    last = "\n".join(model["phrases"]).encode()
    data = b"".join([MAGIC, len(text).to_bytes(4), text, *blocks, last])
    if len(data) > MAX_SIZE:
        raise SystemExit(f"The model has {len(data)} bytes; {MAX_SIZE} are allowed.")
    return data


def print_unseen(model: dict[str, Any], material: Material) -> None:
    """Print precision and recall on rows and on read sentences, each by a model without it."""
    slope, offset = model["calibration"]
    chance = fitting.sigmoid(slope * model["unseen"] + offset)
    start = 0
    for name, part in (("rows", material.rows), ("read sentences", material.read)):
        own = chance[start : start + len(part)]
        worth = np.array([row.kind is not None for row in part], bool)
        sure = np.array([not row.in_doubt for row in part], bool)
        start += len(part)
        for threshold in (0.3, 0.4, 0.5, 0.6):
            found = own >= threshold
            right = int((found & worth).sum())
            precision, recall = right / max(1, found.sum()), right / max(1, worth.sum())
            at_most = (right + int((found & ~sure).sum())) / max(1, found.sum())
            print(
                f"  {name} at {threshold}: precision {precision:.2f} ({at_most:.2f} with all in"
                f" doubt), recall {recall:.2f}"
            )


def heard_in(folders: Sequence[Path], without: set[str]) -> tuple[list[Row], dict[str, Any]]:
    """Return the distinct sentences of recorded sessions, and what identifies them."""
    found: dict[str, Row] = {}
    all_files = [path for folder in folders for path in transcripts(folder)]
    files = [path for path in all_files if path.name not in without]
    for path in files:
        for said in sentences(path):
            found.setdefault(said.text, Row(said, None, UNREAD, path.name))
    text = "\n".join(sorted(found)).encode("utf-8", "surrogatepass")
    mark = hashlib.sha256(text).hexdigest()[:16]
    return list(found.values()), {"files": len(files), "sentences": len(found), "sha256": mark}


def main(arguments: list[str] | None = None) -> None:
    """Train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", nargs="*", type=Path, default=[])
    parser.add_argument("--labels", nargs="*", type=Path, default=[])
    parser.add_argument("--without", nargs="*", type=Path, default=[])
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    files = [FOLDER / name for name in TRAINED_ON if (FOLDER / name).exists()]
    folders = list(options.sessions)
    if VARIABLE in os.environ:
        folders.append(Path(os.environ[VARIABLE]) / TRANSCRIPTS)
    judged = [row for file in options.without for row in load(file, doubtful=True)]
    heard, about = heard_in(folders, {row.session for row in judged})
    rows = [row for file in files for row in load(file)]
    judged_texts = {row.said.text for row in judged}
    read = [row for file in options.labels for row in load(file, doubtful=True)]
    read = [row for row in read if row.said.text not in judged_texts]
    heard = [row for row in heard if row.said.text not in judged_texts]
    material = gather(rows, read, heard)
    sources = {**digest(files), **digest(options.labels), "recorded sessions": about}
    model = train(material)
    data = packed(model, sources)
    options.out.write_bytes(data)
    print(
        f"{options.out}: {len(data)} bytes from {len(material.rows)} rows,"
        f" {len(material.read)} sentences that were read and {len(material.unread)} that were not"
    )
    print_unseen(model, material)


if __name__ == "__main__":
    main()
