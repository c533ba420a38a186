"""A mirrored repository, seen from outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.config.trust import trust_config
from recollect.core.claude_memory import folder_of, to_document
from recollect.mirror.mirror import Mirror, Report
from tests.support.claude_memory import plugin_refuses

FOLDER = ".claude/memory"


ON = "[mirror]\nenabled = true\n"


def switch_on(repo: Path, more: str = "") -> None:
    """Switch the mirror on as the person of a clone does."""
    (repo / ".recollect.toml").write_text(ON + more)
    trust_config(repo, os.environ)


def take(store: Recollect) -> Report:
    """Look at the files, and accept all that they suggest."""
    report = Mirror(store).update()
    review.accept(store, suggestions.suggestions(store))
    return report


def files(repo: Path) -> dict[str, dict[str, Any]]:
    """The documents of a mirror, by path."""
    folder = repo / FOLDER
    return {
        path.relative_to(folder).as_posix(): json.loads(path.read_text("utf-8"))
        for path in sorted(folder.glob("*/*.json"))
    }


def asides(repo: Path) -> list[Path]:
    """What was put aside."""
    return sorted((repo / FOLDER).rglob("*.invalid.*"))


def edit(repo: Path, path: str, **changes: Any) -> None:
    """Change a document by hand."""
    place = repo / FOLDER / path
    place.write_text(json.dumps({**json.loads(place.read_text()), **changes}, indent=4))


def check(store: Recollect, repo: Path) -> None:
    """The mirror says what the ledger says, seen from outside."""
    wanted = {}
    for memory in store.memories(status="all"):
        if memory.sensitivity == "public":
            wanted[memory.uid] = memory
    manifest = json.loads((repo / FOLDER / ".recollect.json").read_text())
    del manifest["format"]
    found = files(repo)
    assert set(manifest) == set(found)
    assert {entry["uid"] for entry in manifest.values()} == set(wanted)
    page = (repo / FOLDER / "index.md").read_text()
    for path, said in found.items():
        memory = wanted[manifest[path]["uid"]]
        assert manifest[path]["version"] == memory.version
        assert path == f"{folder_of(memory.kind)}/{said['id']}.json"
        assert said == to_document(memory, said["id"])
        assert plugin_refuses(said) == []
        assert (f"-> {FOLDER}/{path}" in page) == (memory.status in ("active", "resolved"))
    assert Mirror(store).differences() == []
