"""Refuses an agent's direct write into the mirror, and names the command to use instead.

A hook asks before every tool call that writes a file, so this module imports little until the
answer is no.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from recollect.mirror.guard import deny_reason, is_mirror_path
from recollect.store.store import Store


def denial(store: Store, paths: Sequence[str], directory: str | Path) -> str:
    """Return why a tool must not write to these files; empty if it may."""
    root = store.work_tree
    if root is None:
        return ""
    name = store.config.text("mirror.path")
    for path in paths:
        if is_mirror_path(path, str(directory), str(root), name):
            return deny_reason(path, _memory(store, root, name, Path(directory, path)))
    return ""


def _memory(store: Store, root: Path, name: str, path: Path) -> str:
    """Return the id of the memory that a file belongs to, if any."""
    from recollect.core.names import short
    from recollect.importing.document_folder import MirrorFolder, read_manifest

    folder = MirrorFolder(root, root / name, name)
    inside = os.path.relpath(path.expanduser().resolve(), folder.path.resolve())
    uids = [entry.uid for entry in read_manifest(folder).get(Path(inside).as_posix(), ())]
    found = store.indexing.using(lambda index: index.get_many(uids))
    return short(found[0].id) if found else ""
