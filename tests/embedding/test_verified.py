"""A file is verified again as soon as it may be another one."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from recollect.embedding.verified import Verified, forget

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is remembered there")
LONG_AGO = 1_700_000_000_000_000_000


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that nobody has changed for an hour."""
    file = tmp_path / "weights"
    for one in (file, beside(file)):
        one.write_bytes(b"abc")
        os.utime(one, ns=(LONG_AGO, LONG_AGO))
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    return file


@pytest.fixture
def known(tmp_path: Path, file: Path) -> Verified:
    """A file that was verified."""
    known = Verified(tmp_path / "data", {file: "digest", beside(file): "another"})
    assert not known.holds(file.stat())
    known.keep(file.stat())
    assert known.holds(file.stat())
    return known


def beside(file: Path) -> Path:
    """A second file, which is verified with the first one."""
    return file.with_name("vocabulary")


def kept(folder: Path) -> Path:
    """Where it is remembered."""
    (found,) = (folder / "data" / "verified").iterdir()
    return found


def test_another_process_remembers(tmp_path: Path, file: Path, known: Verified) -> None:
    """For this file and this hash, and no other."""
    other = tmp_path / "other"
    other.write_bytes(b"abc")

    assert known.holds(file.stat())
    same = {file: "digest", beside(file): "another"}
    assert Verified(tmp_path / "data", same).holds(file.stat())
    assert not Verified(tmp_path / "data", same).holds(other.stat())
    for hashes in ({**same, file: "x"}, {**same, beside(file): "x"}, {file: "digest"}):
        assert not Verified(tmp_path / "data", hashes).holds(file.stat())
    assert not Verified(tmp_path / "data", {other: "digest"}).holds(other.stat())
    assert not Verified(None, same).holds(file.stat())


@pytest.mark.parametrize("which", ["first", "second"])
@pytest.mark.parametrize("change", ["content", "time", "replaced", "length", "gone"])
def test_a_file_that_was_written_to_is_verified_again(
    tmp_path: Path, file: Path, known: Verified, change: str, which: str
) -> None:
    """Also with the size and the time that it had."""
    changed = file if which == "first" else beside(file)
    opened = file.stat()
    match change:
        case "content":
            with changed.open("r+b") as stream:
                stream.write(b"x")
        case "time":
            before = changed.stat().st_ctime_ns
            while changed.stat().st_ctime_ns == before:  # until the file system's clock ticks
                changed.write_bytes(b"xyz")
                os.utime(changed, ns=(LONG_AGO, LONG_AGO))
            assert changed.stat().st_mtime_ns == LONG_AGO
        case "replaced":
            (tmp_path / "new").write_bytes(b"xyz")
            os.utime(tmp_path / "new", ns=(LONG_AGO, LONG_AGO))
            (tmp_path / "new").replace(changed)
        case "length":
            changed.write_bytes(b"abcd")
        case _:
            changed.unlink()

    assert not known.holds(file.stat() if file.exists() else opened)


def test_what_was_changed_a_moment_ago_is_not_remembered(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may change again within one tick of the clock."""
    now = file.stat().st_ctime + 1
    monkeypatch.setattr(time, "time", lambda: now)
    known = Verified(tmp_path / "data", {file: "digest"})

    known.keep(file.stat())

    assert not known.holds(file.stat())


def test_what_was_changed_while_it_was_verified_is_not_remembered(
    tmp_path: Path, file: Path
) -> None:
    """The hash was that of the file before."""
    before = file.stat()
    os.utime(file, ns=(LONG_AGO, LONG_AGO + 1))
    known = Verified(tmp_path / "data", {file: "digest"})

    known.keep(before)

    assert not known.holds(before)
    assert not known.holds(file.stat())


def test_what_others_could_have_written_does_not_count(
    tmp_path: Path, file: Path, known: Verified
) -> None:
    """Nor does a part of a line, or nothing at all."""
    place = kept(tmp_path)
    line = place.read_bytes()
    for content, mode in ((line, 0o622), (line[:-1], 0o600), (b"", 0o600), (b"\xff\0", 0o600)):
        place.write_bytes(content)
        place.chmod(mode)
        assert not known.holds(file.stat())

    place.write_bytes(line)
    place.chmod(0o600)
    assert known.holds(file.stat())


def test_it_is_private_and_can_be_forgotten(tmp_path: Path, file: Path, known: Verified) -> None:
    """`recollect doctor` verifies everything again."""
    assert kept(tmp_path).stat().st_mode & 0o777 == 0o600
    assert kept(tmp_path).parent.stat().st_mode & 0o777 == 0o700

    forget(tmp_path / "data")
    forget(tmp_path / "data")

    assert not known.holds(file.stat())


def test_a_folder_that_cannot_be_written(tmp_path: Path, file: Path) -> None:
    """The file is verified each time."""
    (tmp_path / "data").write_text("a file")
    known = Verified(tmp_path / "data", {file: "digest"})

    known.keep(file.stat())

    assert not known.holds(file.stat())
