"""The source `claude-native`: the memory that an agent keeps by itself, in Markdown files.

The host says in which folder it is. A file about one topic has front matter with a description and
a type; older files have sections with lists. `MEMORY.md` is the index: its links lead to the other
files, and everything else in it counts as a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.hosts.registry import HOSTS, host
from recollect.importing.basic_memory import split_front_matter
from recollect.importing.foreign import (
    MOST_DOCUMENT,
    NO_TEXT,
    Project,
    digest_of,
    kind_for,
    markdown_files,
    read_text,
    tags_of,
    text_of,
    time_of,
    titled,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

_INDEX: Final = "MEMORY.md"
_LINK: Final = pattern(r"\s{0,9}[-*] {1,3}\[[^\]\n]{1,200}\]\([^)\n]{1,300}\.md\)")
_HEADING: Final = pattern(r"(#{1,6}) {1,3}(\S.*)")
_ENTRY: Final = pattern(r" {0,3}(?:[-*+]|\d{1,3}[.)]) {1,3}(\S.*)")
_TYPE: Final = pattern(r"^ {0,8}type: {1,4}([a-z_-]{1,30}) {0,4}$", re.MULTILINE)
_FEWEST_WORDS: Final = 3
_KINDS: Final = {"feedback": "preferences", "user": "preferences", "reference": "notes"}


class ClaudeNative:
    """What the agent itself noted about this project."""

    name = "claude-native"
    about = "the agent's own memory folder of this project (MEMORY.md and its topics)"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the folders that exist."""
        places = []
        for folder in _folders(reading, Project(reading).trees):
            count = len(markdown_files(folder))
            places += [Place(str(folder), how_many(count, "file"))] if count else []
        return places

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the topics and the lists of a folder."""
        folder = Path(place.path).expanduser()
        files = markdown_files(folder) if folder.is_dir() else []
        if not files:
            raise ParseError(f"{folder} has no Markdown files.", f"Name a folder with {_INDEX}.")
        # Two working trees may have a file of the same name, which are two items.
        is_main = folder in _folders(reading, Project(reading).trees[:1])
        within = "" if is_main else f"{folder.parent.name}/"
        for file in files:
            name = within + file.relative_to(folder).as_posix()
            try:
                text = reading.redact(read_text(file, MOST_DOCUMENT))
            except ParseError as error:
                yield Skipped(name, error.message.replace(str(file), "it"))
                continue
            head, body = split_front_matter(text)
            written = time_of(file.stat().st_mtime)
            if head and file.name != _INDEX:
                yield _topic(name, head, _kind_in(text), body, written)
            else:
                yield from _sections(name, body, written)


def _folders(reading: Reading, trees: Sequence[PurePosixPath]) -> list[Path]:
    """Return the memory folders of working trees that exist."""
    roots = [Path(tree) for tree in trees]
    return [
        folder
        for package in HOSTS
        for folder in host(package).memory_folders(roots, reading.home, reading.environ)
    ]


def _kind_in(text: str) -> str:
    """Return the type in front matter, which newer clients write below `metadata`."""
    found = _TYPE.search(text.partition("\n---")[0])
    return found[1].lower() if found else ""


def _topic(
    name: str, head: Mapping[str, Any], kind: str, body: str, written: str | None
) -> Item | Skipped:
    """Return a file with front matter as one memory."""
    title = text_of(head.get("description")) or text_of(head.get("name"))
    text = text_of(body)
    if not title and not text:
        return Skipped(name, NO_TEXT)
    summary, text = titled(title, text)
    fields: dict[str, Any] = {"tags": tags_of([kind]), "provenance": {"said_by": "agent"}}
    if kind == "user":
        fields["sensitivity"] = "private"  # it is about the person, not about the project
    return Item(
        name,
        kind_for(kind, f"{summary}. {text}", _KINDS),
        summary,
        text,
        written,
        score=0.8 if kind == "feedback" else 0.7,
        fields=fields,
    )


def _sections(name: str, text: str, written: str | None) -> Iterator[Item | Skipped]:
    """Yield the entries of lists below headings; links to other files are no entries."""
    heading, found, fenced = "", False, False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        title = _HEADING.match(line)
        if title is not None and not fenced:
            heading = title[2].strip()
            continue
        entry = _ENTRY.match(line)
        if fenced or entry is None or _LINK.match(line):
            continue
        said = text_of(entry[1].replace("**", ""))
        if len(said.split()) < _FEWEST_WORDS:
            continue
        found = True
        summary, body = titled("", said)
        about = f"From “{heading}” in {name}" if heading else f"From {name}"
        yield Item(
            f"{name}#{digest_of(heading + said)}",
            kind_for("", said, {}),
            summary,
            "\n\n".join(filter(None, (body, about))),
            written,
            score=0.6,
            fields={"provenance": {"said_by": "agent"}},
        )
    if not found:
        yield Skipped(name, NO_TEXT)


SOURCE = ClaudeNative()
