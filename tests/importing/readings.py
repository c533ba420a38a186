"""What a source reads with in tests: a repository, a home, and the real redaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from recollect.importing import documents
from recollect.importing.source import Item, Place, Reading, Skipped, Source
from tests.sandbox import Sandbox


def shop(sandbox: Sandbox) -> Path:
    """A repository with one commit that other programs know as `shop`."""
    repository = sandbox.init("shop")
    (repository / "src").mkdir()
    (repository / "src" / "money.py").write_text("CENTS = 100\n")
    sandbox.git(repository, "add", "-A")
    sandbox.git(repository, "commit", "-q", "-m", "Start")
    return repository


def reading_in(
    sandbox: Sandbox, repository: Path, home: Path, environ: Mapping[str, str] | None = None
) -> Reading:
    """A reading in a repository that knows no part yet."""
    store = sandbox.open(repository)
    return Reading(
        repository=repository,
        home=home,
        environ=environ or {},
        redact=store.redact,
        progress=lambda _done, _total: None,
        known=lambda _part, _stamp: False,
        done=lambda _part, _stamp: None,
    )


def plain_reading(repository: Path) -> Reading:
    """A reading that redacts nothing, for sources that need no store."""
    return Reading(
        repository=repository,
        home=repository,
        environ=os.environ,
        redact=lambda text: text,
        progress=lambda _done, _total: None,
        known=lambda _part, _stamp: False,
        done=lambda _part, _stamp: None,
    )


def read(source: Source, reading: Reading, path: Path | str) -> tuple[list[Item], list[Skipped]]:
    """What a place that somebody names holds: items, and what is left out."""
    found = list(source.read(reading, Place(str(path), "")))
    items = [one for one in found if isinstance(one, Item)]
    assert len({one.identity for one in found}) == len(found)  # each has its own name
    return items, [one for one in found if isinstance(one, Skipped)]


def items_of(sandbox: Sandbox, files: dict[str, str]) -> dict[str, Item]:
    """The items that files give, by title."""
    repo = sandbox.init("repo")
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sandbox.commit(repo)
    return items_in(repo)


def items_in(repo: Path) -> dict[str, Item]:
    """The items of a repository, by title."""
    found = documents.SOURCE.read(plain_reading(repo), Place(".", ""))
    return {one.summary: one for one in found if isinstance(one, Item)}
