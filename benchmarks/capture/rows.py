"""The rows that detection is trained and measured on: a sentence, who says it, and its kind.

`labelled.jsonl` and `fresh.jsonl` have types of an older design; `written.jsonl` and all later sets
name a kind of `recollect.core.kinds`, or null for a sentence that is not worth keeping.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from recollect.capture.features import Said

FOLDER = Path(__file__).parent
TRAINED_ON = ("labelled.jsonl", "fresh.jsonl", "written.jsonl")
KIND_OF_TYPE = {
    "decision": "decisions",
    "learning": "learnings",
    "blocker": "blockers",
    "resolution": "solutions",
    "preference": "preferences",
    "explicit": "notes",
    "none": None,
}


class Row(NamedTuple):
    """A sentence with its label: a kind, or None.

    `asked`: somebody asks to remember it. `in_doubt`: a reader could not tell.
    """

    said: Said
    kind: str | None
    weight: float = 1.0
    group: str = ""
    asked: bool = False
    in_doubt: bool = False
    session: str = ""


def load(path: Path, *, doubtful: bool = False) -> list[Row]:
    """Return the rows of a file, in its order; those that a reader was in doubt about if wanted."""
    lines = path.read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [row_of(fields, path.stem) for fields in rows if doubtful or not fields.get("optional")]


def row_of(fields: dict[str, Any], group: str = "") -> Row:
    """Return a row of any of the formats."""
    text = str(fields.get("text") or fields.get("sentence") or "")
    if "type" in fields:
        kind = KIND_OF_TYPE[str(fields["type"])]
        source = str(fields.get("source", ""))
        asked = bool(fields.get("explicit")) or fields["type"] == "explicit"
        return Row(Said(text, str(fields.get("speaker", ""))), kind, 1.0, source, asked)
    places = {name: fields[name] for name in Said._fields[2:] if name in fields}
    said = Said(text, str(fields.get("speaker", "")), **places)
    return Row(
        said,
        fields.get("kind") or None,
        float(fields.get("weight", 1.0)),
        group,
        in_doubt=bool(fields.get("optional")),
        session=str(fields.get("session", "")),
    )


def digest(paths: Iterable[Path]) -> dict[str, str]:
    """Return the start of each file's SHA-256, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths}
