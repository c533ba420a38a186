"""Fits the weights of `recollect.importing.commit_worth` on judged commits.

    python -m benchmarks.learning FOLDER [--print]

`judged.jsonl` names commits of public histories by project and id, and says how good a memory each
would make: 0 (trivial, outdated, internal), 1, 2 (good), 3 (somebody asks about it). FOLDER has a
clone of each project, by its name; projects that are not there are left out. It prints how well the
weights order the commits of a project that they were not fitted on: the correlation, and the share
of pairs of a good and another commit that are in the right order. The points of the rules alone
are the second line. `--print` prints the weights that were fitted on all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recollect.core.named_tuple import NamedTuple
from recollect.importing.commit_history import Past
from recollect.importing.commit_message import parse_message
from recollect.importing.commit_ranking import rank
from recollect.importing.commit_worth import features
from recollect.ledger.commits import changes_of_commits, read_commits
from recollect.ledger.git import Git

_ROWS = Path(__file__).with_name("judged.jsonl")
_FILES = 30
_RIDGE = 30.0
_GOOD = 2
_YEAR = 365 * 86_400  # seconds


class Judged(NamedTuple):
    """A commit with its features, its points, how it was judged, and how much that counts."""

    project: str
    features: dict[str, float]
    points: float
    worth: float
    weight: float


def read_judged(folder: Path) -> Iterator[Judged]:
    """Yield the judged commits of the projects that are in a folder."""
    rows = [json.loads(line) for line in _ROWS.read_text("utf-8").splitlines()]
    for project in dict.fromkeys(row["project"] for row in rows):
        place = folder / project
        if not place.exists():
            print(f"No clone of {project}.", file=sys.stderr)
            continue
        judged = {row["commit"]: row for row in rows if row["project"] == project}
        git = Git(place, environment=os.environ)
        listed = subprocess.run(
            ["git", "-C", place, "ls-tree", "-r", "-z", "--name-only", "HEAD"],
            capture_output=True,
            check=True,
        )
        tree = frozenset(listed.stdout.decode("utf-8", "surrogateescape").split("\0"))
        changes = changes_of_commits(git, list(judged), _FILES)
        past = Past()
        found = []
        for commit in read_commits(git):
            message = parse_message(commit.message)
            past.add(commit, message)
            if commit.oid in judged:
                found.append((commit, message))
        newest = max(commit.time for commit, _ in found)
        for commit, message in found:
            points = rank(message, commit.author).points + past.worth(commit)
            row = judged[commit.oid]
            years = (newest - commit.time) / _YEAR
            files = [change.path for change in changes.get(commit.oid, [])]
            known = features(message, points, years, files, tree)
            yield Judged(project, known, points, row["worth"], row.get("weight", 1.0))


def fit(rows: list[Judged]) -> dict[str, float]:
    """Return the weights; the one without a name is added always."""
    names = sorted({name for row in rows for name in row.features})
    table = np.array([[float(row.features.get(name, 0.0)) for name in names] for row in rows])
    spread = table.std(axis=0) + 1e-9
    table = np.hstack([table / spread, np.ones((len(rows), 1))])
    counts = np.array([row.weight for row in rows])[:, None]
    ridge = np.full(table.shape[1], _RIDGE)
    ridge[-1] = 1e-6
    wanted = np.array([row.worth for row in rows])
    found = np.linalg.solve(
        (table * counts).T @ table + np.diag(ridge), (table * counts).T @ wanted
    )
    weights = {name: value / s for name, value, s in zip(names, found, spread, strict=False)}
    return {"": float(found[-1]), **{name: float(value) for name, value in weights.items()}}


def score(row: Judged, weights: dict[str, float]) -> float:
    """Return the worth of a commit by its features."""
    return weights[""] + sum(weights.get(n, 0.0) * v for n, v in row.features.items())


def _ordered(scores: np.ndarray, worth: np.ndarray) -> float:
    good, rest = scores[worth >= _GOOD], scores[worth < _GOOD]
    return float((good[:, None] > rest[None, :]).mean())


def main() -> None:
    """Fit, and say how well that does."""
    rows = list(read_judged(Path(sys.argv[1])))
    worth = np.array([row.worth for row in rows])
    unseen = np.zeros(len(rows))
    for project in {row.project for row in rows}:
        weights = fit([row for row in rows if row.project != project])
        for number, row in enumerate(rows):
            if row.project == project:
                unseen[number] = score(row, weights)
    points = np.array([row.points for row in rows])
    print(f"{len(rows)} commits, {int((worth >= _GOOD).sum())} good")
    for name, said in (("weights", unseen), ("rules", points)):
        found = float(np.corrcoef(said, worth)[0, 1])
        print(f"{name}: correlation {found:.3f}, good before others {_ordered(said, worth):.3f}")
    if "--print" in sys.argv:
        print(json.dumps({n: round(v, 3) for n, v in fit(rows).items()}, indent=4))


if __name__ == "__main__":
    main()
