"""The commands of the plugin as files for hosts that want another format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.core.patterns import pattern
from recollect.hosts.own_files import OwnFile
from recollect.hosts.plugin_folder import plugin_folder

_HEAD = pattern(r"---\n(.*?)\n---\n", re.DOTALL)
_DESCRIPTION = pattern(r"^description: (.+)$", re.MULTILINE)


def toml_commands(folder: Path) -> tuple[OwnFile, ...]:
    """Return the commands as TOML, in which `{{args}}` stands for what the user types."""
    import tomlkit

    files = []
    for name, description, text in _commands():
        document = tomlkit.document()
        document["description"] = description
        prompt = text.replace("$ARGUMENTS", "{{args}}")
        document["prompt"] = tomlkit.string(prompt, multiline=True)
        files.append(OwnFile(folder / f"{name}.toml", tomlkit.dumps(document), folder))
    return tuple(files)


def markdown_commands(folder: Path, *, arguments: str = "{{args}}") -> tuple[OwnFile, ...]:
    """Return the commands as Markdown; `arguments` stands for what the user types."""
    return tuple(
        OwnFile(
            folder / f"{name}.md",
            f"---\ndescription: {description}\n---\n{text.replace('$ARGUMENTS', arguments)}",
            folder,
        )
        for name, description, text in _commands()
    )


def _commands() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the description and the text of each command."""
    for path in sorted((plugin_folder() / "commands").glob("*.md")):
        text = path.read_text("utf-8")
        head = _HEAD.match(text)
        described = _DESCRIPTION.search(head[1]) if head else None
        yield path.stem, described[1] if described else "", text[head.end() if head else 0 :]
