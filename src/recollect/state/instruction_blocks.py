"""The files of this clone in which the user wants a block with memories."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

_FILE = "instruction-blocks.json"


def files_with_block(folder: Path) -> list[str]:
    """Return the paths of the files; usually there is none."""
    try:
        said = json.loads((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return []
    return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []


def save_files(folder: Path, names: Iterable[str]) -> None:
    """Replace the list."""
    from recollect.config.locate import make_private
    from recollect.config.replacing import replace_file

    wanted = sorted(set(names))
    if wanted:
        make_private(folder)
        replace_file(folder / _FILE, json.dumps(wanted).encode())
    else:
        (folder / _FILE).unlink(missing_ok=True)
