"""Files that a text names: a memory is about them, whoever forgot to list them."""

from __future__ import annotations

from recollect.core.patterns import pattern
from recollect.index.text import LETTERS, Neighbours

_NAMES = ("Dockerfile", "Gemfile", "Jenkinsfile", "Makefile", "Procfile", "Rakefile")
# A run of path characters with a dot or a slash in it. What follows a slash is absolute, or part of
# an address.
_RUN = pattern(
    r"(?<![\w.@+:/\\-])(?!/)"
    rf"(?:[\w@+-]*+[./][\w.@+/-]++|(?:{'|'.join(_NAMES)})(?![\w@+/-]|\.\w))"
)
# What is in every text that names a path, unless it is one of the names; most texts have none.
_IN_PATHS = Neighbours(("./", f"{LETTERS}_.@+/-"))
_IN_ANY_PATHS = pattern(r"[./][\w.@+/-]")
_IN_NAMES = "file"
# Endings of a name without a folder: others are sentences without a space, or version numbers.
_SUFFIXES = """
    bash bat c cc cfg cjs clj conf cpp cs css csv cts cu cxx dart diff env erl ex exs go gradle
    graphql h hh hpp hs html ini ipynb java js json jsonl jsx kt kts less lock lua md mdx mjs mk ml
    mm mts nim nix patch php pl po proto ps1 py pyi pyx r rake rb rs rst sass scala scss sh sql
    svelte svg swift tcl tf toml ts tsx txt vue wasm xml yaml yml zig
"""
_ENDINGS = frozenset(_SUFFIXES.split())
_LONGEST = 200
_MOST = 50
_DEEP = 3  # so many parts without an ending are a path; `read/write` and `and/or` are not


def named_paths(text: str) -> list[str]:
    """Return the files and folders that a text names, relative to the repository, in order."""
    is_in = _IN_PATHS.within(text) if text.isascii() else _IN_ANY_PATHS.search(text)
    if not is_in and not (_IN_NAMES in text and any(map(text.__contains__, _NAMES))):
        return []
    found: dict[str, None] = {}
    for match in _RUN.finditer(text):
        path = match[0].removeprefix("./").rstrip(".,-+@")
        if len(path) <= _LONGEST and _is_path(path):
            found[path.rstrip("/")] = None
            if len(found) == _MOST:
                break
    return list(found)


def _is_path(text: str) -> bool:
    *folders, name = text.split("/")
    if ".." in text or not any(map(str.isalpha, text)):
        return False
    stem, _, ending = name.rpartition(".")
    if not folders:
        return name in _NAMES or (stem != "" and ending.lower() in _ENDINGS)
    return (stem != "" and ending[:1].isalpha()) or not name or len(folders) >= _DEEP - 1
