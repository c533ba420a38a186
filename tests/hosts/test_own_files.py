"""Files that are all ours: what somebody else wrote in them is not lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import InstallFailed
from recollect.hosts import file_changes, settings_files
from recollect.hosts.own_files import OwnFile


class Machine:
    """A folder that only we use, and another one for receipts."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "agent" / "recollect"
        self.data = root / "data"

    def file(self, text: str, name: str = "command.md") -> OwnFile:
        """A file as a version of ours ships it."""
        return OwnFile(self.folder / name, text, self.folder)

    def install(self, *files: OwnFile) -> list[str]:
        """Write the files; what the user should know."""
        return self._applied(settings_files.installing(files, self._environment))

    def remove(self, *files: OwnFile) -> list[str]:
        """Remove the files; what the user should know."""
        return self._applied(settings_files.removing(files, self._environment))

    @property
    def _environment(self) -> dict[str, str]:
        return {"RECOLLECT_DATA_DIR": str(self.data)}

    def _applied(self, changes: list[file_changes.Change]) -> list[str]:
        file_changes.apply(changes, self._environment)
        return [change.note for change in changes if change.note]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without our files."""
    return Machine(tmp_path)


@pytest.mark.parametrize("version", ["one", "two"])
def test_a_file_that_the_user_changed_is_not_replaced(machine: Machine, version: str) -> None:
    """Neither by the same version nor by the next; the error says what to do."""
    machine.install(machine.file("one"))
    path = machine.file("one").path
    path.write_text("mine")

    with pytest.raises(InstallFailed, match=r"command\.md was changed") as caught:
        machine.install(machine.file(version))

    assert path.read_text() == "mine"
    assert "delete the file" in caught.value.hint
    path.unlink()
    machine.install(machine.file(version))
    assert path.read_text() == version


def test_a_file_that_the_user_changed_is_not_removed(machine: Machine) -> None:
    """It stays, and the user gets to know; the others go."""
    files = (machine.file("one"), machine.file("other", "other.md"))
    machine.install(*files)
    files[0].path.write_text("mine")

    (note,) = machine.remove(*files)

    assert f"{files[0].path} stays" in note
    assert [path.name for path in machine.folder.iterdir()] == ["command.md"]


def test_the_next_version_replaces_what_nobody_changed(machine: Machine) -> None:
    """Also if the file came with a colleague's commit meanwhile."""
    machine.install(machine.file("one"))
    machine.install(machine.file("two"))
    assert machine.file("").path.read_text() == "two"

    machine.file("").path.write_text("three")  # pulled, and then the same version is installed
    machine.install(machine.file("three"))
    machine.install(machine.file("four"))

    assert machine.file("").path.read_text() == "four"
    machine.remove(machine.file("four"))
    assert not machine.folder.parent.exists()


def test_a_colleague_without_a_receipt_can_update(machine: Machine) -> None:
    """In a folder that only we use, a file is ours."""
    machine.install(machine.file("one"))
    machine.data.rename(machine.data.with_name("gone"))

    machine.install(machine.file("two"))

    assert machine.file("").path.read_text() == "two"


def test_what_a_new_version_no_longer_has_goes(machine: Machine) -> None:
    """Unless the user changed it, or it is theirs; at the end, no folder of ours is left."""
    old = machine.file("old", "a/old.md")
    changed = machine.file("changed", "changed.md")
    machine.install(old, changed, machine.file("one"))
    changed.path.write_text("mine")
    theirs = machine.folder / "theirs.md"
    theirs.write_text("theirs")

    (note,) = machine.install(machine.file("two"))

    assert "changed.md stays" in note
    assert not old.path.parent.exists()
    assert machine.install(machine.file("two")) == []
    assert (changed.path.read_text(), theirs.read_text()) == ("mine", "theirs")
    changed.path.unlink()
    theirs.unlink()
    machine.remove(machine.file("two"))
    assert not machine.folder.parent.exists()


def test_uninstalling_removes_what_an_older_version_wrote(machine: Machine) -> None:
    """Although the plan of the new version does not name it."""
    machine.install(machine.file("old", "old.md"), machine.file("one"))

    machine.remove(machine.file("one"))

    assert not machine.folder.exists()
