"""Replacing a file in one step."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from recollect.config.replacing import replace_file


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_a_private_file_is_private_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before the new text has the permissions of the old one."""
    path = tmp_path / "settings.json"
    path.write_text("old")
    path.chmod(0o600)
    seen, copymode = [], shutil.copymode

    def watched(source: Path, fresh: Path) -> None:
        seen.append((_mode(fresh), fresh.read_text()))
        copymode(source, fresh)

    monkeypatch.setattr(shutil, "copymode", watched)
    replace_file(path, b"new")

    assert seen == [(0o600, "new")]
    assert (_mode(path), path.read_text()) == (0o600, "new")


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions")
def test_other_permissions(tmp_path: Path) -> None:
    """A file keeps its own; a new one gets the usual ones, also after a process was killed."""
    shared, usual = tmp_path / "shared", tmp_path / "usual"
    shared.write_text("old")
    shared.chmod(0o664)
    usual.write_text("")
    fresh = tmp_path / "fresh"
    (tmp_path / f"fresh.{os.getpid()}.new").write_text("half")

    replace_file(shared, b"new")
    replace_file(fresh, b"new")

    assert _mode(shared) == 0o664
    assert _mode(fresh) == _mode(usual)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "shared", "usual"]
