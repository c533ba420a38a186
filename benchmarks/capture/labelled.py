"""The labelled set: sentences of engineering talk, and what capture should make of each.

A row is either worth keeping, as one of the six signal types, or `none`. No source stands in both
halves. Rules were written on `tune` and measured on `held-out`; then on `fresh`, made afterwards
by somebody who had never seen the rules and wanted to mislead them. Both are spent: rules were
corrected with them. `unseen` was made last, blind too, of what sessions really hold, and is not to
be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FILE = Path(__file__).with_name("labelled.jsonl")
NONE = "none"
TYPES = ("decision", "learning", "blocker", "resolution", "preference", "explicit")
HALVES = ("tune", "held-out")
LATER = ("fresh", "unseen")  # each in a file of its own
Origin = Literal["quoted", "adapted", "written"]


@dataclass(frozen=True, slots=True)
class Row:
    """Some text, its label, and where it is from."""

    text: str
    type: str
    explicit: bool
    source: str
    half: str

    @property
    def worth_keeping(self) -> bool:
        """Whether a thoughtful engineer would want to find this again."""
        return self.type != NONE

    @property
    def origin(self) -> Origin:
        """Whether the words are somebody's own, reworded from a public thread, or made up."""
        if self.source.startswith("written: "):
            return "written"
        return "adapted" if ", adapted: " in self.source else "quoted"

    @property
    def project(self) -> str:
        """What the halves are split by: `numpy` of `code comment: numpy lib/x.py`."""
        kind, _, place = self.source.partition(": ")
        return self.source if kind == "written" else place.split()[0].split("#")[0]


def file_of(half: str) -> Path:
    """The file that holds the rows of a half, or of a later set."""
    return FILE.with_name(f"{half}.jsonl") if half in LATER else FILE


def load(path: Path = FILE, halves: Sequence[str] = HALVES) -> list[Row]:
    """The rows of some halves, in the order of the file."""
    lines = path.read_text("utf-8").splitlines()
    return [row for row in (Row(**json.loads(line)) for line in lines) if row.half in halves]
