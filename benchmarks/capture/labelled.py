"""The labelled set: sentences of engineering talk, and what capture should make of each.

A row is either worth keeping, as one of the six signal types, or `none`. No source stands in both
halves: the rules are written on `tune`. `held-out` was looked at once; `fresh` was made afterwards,
by somebody who had never seen the rules, and holds many sentences that sound sure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FILE = Path(__file__).with_name("labelled.jsonl")
FRESH_FILE = Path(__file__).with_name("fresh.jsonl")
NONE = "none"
TYPES = ("decision", "learning", "blocker", "resolution", "preference", "explicit")
HALVES = ("tune", "held-out")
FRESH = "fresh"
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


def load(path: Path = FILE, halves: Sequence[str] = HALVES) -> list[Row]:
    """The rows of some halves, in the order of the file."""
    lines = path.read_text("utf-8").splitlines()
    return [row for row in (Row(**json.loads(line)) for line in lines) if row.half in halves]
