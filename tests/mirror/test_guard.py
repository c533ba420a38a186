"""The mirror's folder is guarded whatever it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect.mirror.guard import deny_reason, is_mirror_path

MIRROR = ".claude/memory"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A working tree with a mirror, and links into it and out of it."""
    tree = tmp_path / "tree"
    (tree / MIRROR / "decisions").mkdir(parents=True)
    (tree / "src").mkdir()
    (tree / "link").symlink_to(tree / MIRROR)
    (tree / "file-link.json").symlink_to(tree / MIRROR / "decisions" / "a.json")
    (tree / MIRROR / "out").symlink_to(tree / "src")
    (tmp_path / "other-way").symlink_to(tree)
    return tree


@pytest.mark.parametrize(
    "path",
    [
        ".claude/memory",
        ".claude/memory/",
        ".claude/memory/decisions/a.json",
        "./.claude//memory/./index.md",
        "src/../.claude/memory/new.json",
        "missing/../.claude/memory/new.json",
        ".CLAUDE/Memory/decisions/a.json",
        "link/decisions/a.json",
        "link",
        "file-link.json",
        "src/../link/new/deep.json",
        ".claude/memory/out/x.py",
        "../other-way/.claude/memory/x",
        "../tree/.claude/memory/x",
    ],
)
def test_every_way_into_the_folder_is_seen(root: Path, path: str) -> None:
    """Relative, roundabout, linked, in capitals; absolute too."""
    assert is_mirror_path(path, str(root), str(root), MIRROR)
    assert is_mirror_path(str(root / path), "/", str(root), MIRROR)
    assert is_mirror_path(f"../{path}", str(root / "src"), str(root), MIRROR)


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "src/app.py",
        ".claude/memory.json",
        ".claude/memory-notes/a.json",
        ".claude/settings.json",
        ".claude/memory/../settings.json",
        "docs/.claude/memory/a.json",
        "/etc/passwd",
        "~/notes.txt",
        "a\0b",
    ],
)
def test_everything_else_is_free(root: Path, path: str) -> None:
    """Also what is only called alike."""
    assert not is_mirror_path(path, str(root), str(root), MIRROR)


def test_a_home_directory_is_followed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` is what the person's shell makes of it."""
    monkeypatch.setenv("HOME", str(root.parent))

    assert is_mirror_path("~/tree/.claude/memory/a.json", "/", str(root), MIRROR)


def test_the_reason_names_the_command() -> None:
    """With the memory where it is known."""
    known = deny_reason(".claude/memory/decisions/a.json", "decisions/a")

    assert "recollect write update decisions/a --input FILE --if-version V" in known
    assert "recollect write create --kind KIND --input FILE" in deny_reason(
        ".claude/memory/new.json"
    )


def test_it_is_light() -> None:
    """A hook asks before every tool that writes; nothing big may come with it."""
    code = (
        "import sys; before = set(sys.modules); import recollect.mirror.guard;"
        "print(*sorted(m for m in set(sys.modules) - before if m.startswith('recollect.')))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.split() == [
        "recollect.mirror",
        "recollect.mirror.guard",
        "recollect.version",
    ]
