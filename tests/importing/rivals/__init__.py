"""Stores that other programs wrote, each with the version of the program in its name."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

FOLDER = Path(__file__).parent
# The versions that wrote the files beside this one; `make` writes them again.
CLAUDE_MEM = ("10.6.3", "13.25.3")
SERVER_MEMORY = "2026.8.31"
AGENTMEMORY = "0.9.29"
BASIC_MEMORY = "0.24.1"
MEM0 = "2.2.1"
MEMPALACE = "3.11.0"


def unpacked(name: str, target: Path) -> Path:
    """Write one of the stores to a path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    source = FOLDER / name
    if source.is_dir():
        shutil.copytree(source, target)
    elif name.endswith(".gz"):
        target.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        target.write_bytes(source.read_bytes())
    return target
