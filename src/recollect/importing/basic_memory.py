"""The source `basic-memory`: the Markdown notes of Basic Memory (tried with 0.24.1).

A note has front matter, prose, observations (`- [decision] Use cents #money (context)`) and
relations. Each observation becomes a memory, and so does the prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.core.legacy import read_block_yaml
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.foreign import (
    MOST_DOCUMENT,
    NO_TEXT,
    Project,
    digest_of,
    kind_for,
    markdown_files,
    parse_json,
    read_text,
    tags_of,
    text_of,
    texts_of,
    time_of,
    titled,
    without_empty,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

_OBSERVATION: Final = pattern(r"[-*] \[(?P<kind>[^\[\]()]{1,40})\] (?P<text>\S.*)")
_TAG: Final = pattern(r"(?:^|\s)#([\w/-]{1,60})")
_CONTEXT: Final = pattern(r"\s\(([^()]{1,300})\)\s{0,9}\Z")
_RELATION: Final = pattern(r"[-*] .{0,200}\[\[")
_HEADING: Final = pattern(r"#{1,6} ")
_MOST_LINE: Final = 4_000
_KINDS: Final = {
    "requirement": "constraints",
    "rule": "constraints",
    "tip": "learnings",
    "insight": "learnings",
    "fact": "notes",
    "technique": "patterns",
    "method": "patterns",
    "problem": "blockers",
    "issue": "tech-debt",
    "todo": "tech-debt",
    "fix": "solutions",
}


class BasicMemory:
    """The notes of a project, with their observations."""

    name = "basic-memory"
    about = "the Markdown notes of Basic Memory: observations and prose"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the folders of this project that the program's configuration names."""
        path = reading.home / ".basic-memory" / "config.json"
        if not path.is_file():
            return []
        project = Project(reading)
        try:
            config = parse_json(read_text(path, MOST_DOCUMENT), path)
        except ParseError:
            return []
        listed = config.get("projects") if isinstance(config, dict) else None
        places = []
        for name, given in (listed if isinstance(listed, dict) else {}).items():
            folder = text_of(given.get("path") if isinstance(given, dict) else given)
            if folder and (project.is_named(name) or project.is_named(folder)):
                count = len(markdown_files(Path(folder)))
                places += [Place(folder, f"{how_many(count, 'note')} of “{name}”")] if count else []
        return places

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield what the notes of a folder say."""
        folder = Path(place.path).expanduser()
        files = markdown_files(folder) if folder.is_dir() else []
        if not files:
            raise ParseError(
                f"{folder} has no notes of Basic Memory.", "Name the folder of a project."
            )
        for number, file in enumerate(files, 1):
            relative = file.relative_to(folder).as_posix()
            try:
                text = read_text(file, MOST_DOCUMENT)
            except ParseError as error:
                yield Skipped(relative, error.message.replace(str(file), "it"))
                continue
            # Before anything is cut out of it: the rules do not find half a secret.
            yield from _note(relative, reading.redact(text), file)
            reading.progress(number, len(files))


def _note(name: str, text: str, file: Path) -> Iterator[Item | Skipped]:
    head, body = split_front_matter(text)
    key = text_of(head.get("permalink")) or name
    title = text_of(head.get("title")) or file.stem
    created = time_of(head.get("created")) or time_of(head.get("date"))
    created = created or time_of(file.stat().st_mtime)
    tags = tags_of(texts_of(head.get("tags")))
    prose: list[str] = []
    found = False
    for line in body.splitlines():
        said = _OBSERVATION.match(line[:_MOST_LINE])
        if said is not None and said["kind"].strip() not in ("x", "X", ""):
            found = True
            yield _observation(key, title, said["kind"].strip(), said["text"], tags, created)
        elif not _RELATION.match(line[:_MOST_LINE]):
            prose.append(line)
    rest = _prose(prose, title)
    if rest:
        summary, text = titled(title, rest)
        fields = without_empty({"tags": tags, "provenance": {"said_by": "agent"}})
        kind = kind_for(text_of(head.get("type")), f"{title}. {rest}", {"note": ""})
        yield Item(key, kind, summary, text, created, score=0.5, fields=fields)
    elif not found:
        yield Skipped(key, NO_TEXT)


def _observation(
    key: str, title: str, category: str, text: str, tags: Sequence[str], created: str | None
) -> Item:
    own = _TAG.findall(text)
    context = _CONTEXT.search(text)
    bare = _TAG.sub("", text[: context.start()] if context else text).strip()
    about = f"From the note “{title}”" + (f" ({context[1]})" if context else "")
    summary, body = titled("", bare)
    fields = {"tags": tags_of([*own, *tags]), "provenance": {"said_by": "agent"}}
    return Item(
        f"{key}#{digest_of(bare)}",
        kind_for(category, bare, _KINDS),
        summary,
        "\n\n".join(filter(None, (body, about))),
        created,
        score=0.65,
        fields=without_empty(fields),
    )


def _prose(lines: Sequence[str], title: str) -> str:
    """Return the prose of a note without headings that have nothing below them."""
    kept: list[str] = []
    for line in reversed(lines):
        is_empty = not kept or _HEADING.match(kept[-1]) is not None
        if _HEADING.match(line) and (is_empty or line.lstrip("# ").strip() == title):
            continue
        if line.strip() or kept:
            kept.append(line)
    return text_of("\n".join(reversed(kept)))


def split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the front matter of a document and the text after it."""
    if not text.startswith("---\n"):
        return {}, text
    head, mark, body = text[4:].partition("\n---")
    return (read_block_yaml(head), body.partition("\n")[2]) if mark else ({}, text)


SOURCE = BasicMemory()
