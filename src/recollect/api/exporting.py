"""Writes an export: one file, or a folder that the claude-memory plugin can use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from recollect.core.claude_memory import render_document, to_document
from recollect.core.named_tuple import NamedTuple
from recollect.errors import NotWritable, ValidationError
from recollect.importing import export_format
from recollect.importing.document_folder import INDEX_PAGE
from recollect.importing.recollect_export import entries, exported
from recollect.index.protocol import ALL, Filters
from recollect.mirror.page import file_names, render_index, row_of
from recollect.store.store import Store


class Exported(NamedTuple):
    """How many memories an export has, how many stayed here, and its text or its place."""

    memories: int
    # Private, secret and unconfirmed memories that nobody asked for.
    left_out: int
    text: str = ""
    path: Path | None = None


def export(
    store: Store,
    path: str | os.PathLike[str] | None,
    *,
    format: str,  # noqa: A002 - the name of the option
    private: bool,
) -> Exported:
    """Export the memories of a repository."""
    if format not in export_format.FORMATS:
        raise ValidationError(
            f"There is no format {format!r}.", "Use one of: " + ", ".join(export_format.FORMATS)
        )
    target = None if path is None else Path(path).expanduser().absolute()
    everything = store.indexing.fresh().select(Filters(statuses=ALL, project=store.project))
    chosen = exported(everything, private=private)
    left_out = len(everything) - len(chosen)
    if format == export_format.CLAUDE_MEMORY:
        if target is None:
            raise ValidationError("This format is a folder.", "Name the folder to write it to.")
        names = file_names(chosen)
        files = {
            names[memory.uid]: render_document(to_document(memory, Path(names[memory.uid]).stem))
            for memory in chosen
        }
        rows = {name: row_of(memory) for memory, name in zip(chosen, files, strict=True)}
        _write_folder(target, {**files, INDEX_PAGE: render_index(rows, target.name)})
        return Exported(len(chosen), left_out, path=target)
    found = entries(store, private=private)
    is_json = format == export_format.JSON
    text = (export_format.render_json if is_json else export_format.render_markdown)(found)
    if target is None:
        return Exported(len(found), left_out, text)
    _write_file(target, text)
    return Exported(len(found), left_out, path=target)


def _write_file(path: Path, text: str) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if path.exists() and not export_format.is_export(path):
            raise ValidationError(
                f"{path} exists and is not an export.", "Name another file, or delete this one."
            )
        _create(temporary, text)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise NotWritable(f"Cannot write {path}: {error.strerror}") from None


def _write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write the files of a new folder."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise ValidationError(f"{folder} is not empty.", "Name a new folder.")
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create(path, text)
    except OSError as error:
        raise NotWritable(f"Cannot write {folder}: {error.strerror}") from None


def _create(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        os.fsync(descriptor)
