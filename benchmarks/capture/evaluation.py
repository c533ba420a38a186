"""Counts what detection finds: in labelled rows, and in whole sessions that somebody has read."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.capture.rows import Row
from benchmarks.capture.sessions import conversation, transcripts
from recollect.capture.conversation import Turn, heard
from recollect.capture.detect import Detected
from recollect.capture.features import USER
from recollect.core.patterns import pattern

Detect = Callable[[Sequence[Turn]], list[Detected]]
_WORD = pattern(r"\w+")
# Two splitters cut differently: sentences with this share of common words are the same.
_SAME = 0.6


class Judged(NamedTuple):
    """A row, and the kinds that were found in it with their probability."""

    row: Row
    found: dict[str, float]


def judge(rows: Sequence[Row], detect: Detect) -> list[Judged]:
    """Run detection over every row that does not ask to be remembered: rules find those."""
    judged = []
    for row in rows:
        if not row.asked:
            found = detect([Turn(row.said.speaker or USER, row.said.text)])
            judged.append(Judged(row, {one.kind: one.score for one in found}))
    return judged


def share(part: int, whole: int) -> dict[str, Any]:
    """A fraction that does not hide how few it was counted on."""
    return {"is": part, "of": whole, "share": part / whole if whole else None}


def of_rows(judged: Sequence[Judged]) -> dict[str, Any]:
    """Precision and recall as any kind, and the recall of each kind: as any, and as itself."""
    found = [one for one in judged if one.found]
    worth = [one for one in judged if one.row.kind]
    kinds = {}
    for kind in sorted({str(one.row.kind) for one in worth}):
        own = [one for one in worth if one.row.kind == kind]
        kinds[kind] = {
            "recall": share(sum(bool(one.found) for one in own), len(own)),
            "as itself": share(sum(kind in one.found for one in own), len(own)),
        }
    return {
        "rows": len(judged),
        "precision": share(sum(bool(one.row.kind) for one in found), len(found)),
        "recall": share(sum(bool(one.found) for one in worth), len(worth)),
        "kinds": kinds,
    }


def of_sessions(
    files: Sequence[Path], detect: Detect, labels: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """Return how much of sessions is flagged, and for those with labels, how well.

    A label may be `optional`: a reader was in doubt, so that finding it is right, and missing it is
    not wrong.
    """
    count = flagged = right = wrong = 0
    seconds = 0.0
    got: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for path in files:
        turns = conversation(path)
        count += sum(1 for _ in heard(turns))
        start = time.process_time()
        found = detect(turns)
        seconds += time.process_time() - start
        flagged += len(found)
        own = labels.get(path.name)
        if own is None:
            continue
        for one in found:
            is_right = any(is_same(one.sentence, label["sentence"]) for label in own)
            right += is_right
            wrong += not is_right
        for label in own:
            if not label.get("optional"):
                kind = str(label["kind"])
                wanted[kind] += 1
                got[kind] += any(is_same(one.sentence, label["sentence"]) for one in found)
    return {
        "sessions": len(files),
        "sentences": count,
        "flagged": share(flagged, count),
        "microseconds a sentence": 1e6 * seconds / max(1, count),
        "precision": share(right, right + wrong),
        "recall": share(sum(got.values()), sum(wanted.values())),
        "kinds": {kind: {"recall": share(got[kind], wanted[kind])} for kind in sorted(wanted)},
    }


def is_same(one: str, other: str) -> bool:
    """Return whether two sentences are the same, or one is a part of the other."""
    mine, theirs = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    if not mine or not theirs:
        return False
    common = len(mine & theirs)
    return common >= _SAME * len(mine | theirs) or common >= 0.9 * min(len(mine), len(theirs)) > 3


def read_labels(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the labels of each session, by the name of its file."""
    labels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            fields = json.loads(line)
            own = labels[Path(str(fields["session"])).name]
            if fields.get("kind") or fields.get("optional"):
                own.append({**fields, "sentence": fields.get("sentence") or fields.get("text")})
    return labels


def files_below(folders: Sequence[Path]) -> list[Path]:
    """Return every recorded session below folders, each name once."""
    return list({path.name: path for folder in folders for path in transcripts(folder)}.values())
