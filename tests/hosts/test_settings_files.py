"""Our entries in other programs' settings: in, and out again, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.errors import InstallFailed
from recollect.hosts import file_changes, settings_files
from recollect.hosts.own_files import OwnFile
from recollect.hosts.settings_files import Entry, File, Item, SettingsFile

SERVER = {"command": "recollect", "args": ["mcp"]}
HOOK = {"hooks": [{"type": "command", "command": "recollect-hook prompt", "timeout": 5000}]}
JSON_SETTINGS = [
    '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {"other": {"command": "x"}}\n}\n',
    '{"hooks": {"BeforeAgent": [{"hooks": []}]}, "mcpServers": {}}',
    '{\r\n\t"hooks": {},\r\n}\r\n',
    "{}",
    "",
    "\n\n",
]
TOML_SETTINGS = [
    'model = "o" # why\n\n[mcp_servers.other]\ncommand = "x"\n',
    "# nothing yet",
    'a = 1\r\n[b]\r\nc = """\r\n[mcp_servers.recollect]\r\n"""\r\n',
    "",
]


class Machine:
    """A folder with settings, and another one for receipts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {"RECOLLECT_DATA_DIR": str(root / "data")}

    def json_file(self) -> SettingsFile:
        """A settings file with a server and a hook."""
        entries = (
            Entry(("mcpServers", "recollect"), SERVER),
            Item(("hooks", "BeforeAgent"), HOOK, "recollect-hook"),
        )
        return SettingsFile(self.root / "agent" / "settings.json", entries)

    def toml_file(self) -> SettingsFile:
        """A settings file with a server."""
        entries = (Entry(("mcp_servers", "recollect"), SERVER),)
        return SettingsFile(self.root / "agent" / "config.toml", entries)

    def install(self, *files: File) -> None:
        """Put the entries in."""
        file_changes.apply(settings_files.installing(files, self.environment), self.environment)

    def remove(self, *files: File) -> None:
        """Take them out."""
        file_changes.apply(settings_files.removing(files, self.environment), self.environment)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without an agent."""
    return Machine(tmp_path)


@pytest.mark.parametrize("text", [*JSON_SETTINGS, *TOML_SETTINGS])
def test_in_twice_and_out(machine: Machine, text: str) -> None:
    """The second time changes nothing, and at the end every byte is as before."""
    file = machine.json_file() if text in JSON_SETTINGS else machine.toml_file()
    file.path.parent.mkdir()
    file.path.write_bytes(text.encode())

    machine.install(file)
    once = file.path.read_bytes()
    machine.install(file)

    assert once != text.encode()
    assert file.path.read_bytes() == once
    assert settings_files.is_in_place([file])
    machine.remove(file)
    assert file.path.read_bytes() == text.encode()
    machine.remove(file)
    assert file.path.read_bytes() == text.encode()
    assert not settings_files.is_in_place([file])


def test_files_and_folders_that_were_not_there(machine: Machine) -> None:
    """They are made, and removed again; what somebody put beside them stays."""
    own = OwnFile(machine.root / "agent" / "extension" / "hooks" / "hooks.json", "{}\n")
    beside = OwnFile(machine.root / "agent" / "extension" / "plugin.json", "{}\n")
    files = (own, beside, machine.json_file())

    machine.install(*files)
    assert settings_files.is_in_place(files)
    machine.remove(*files)
    assert not (machine.root / "agent").exists()

    machine.install(*files)
    (machine.root / "agent" / "notes.txt").write_text("mine")
    machine.remove(*files)
    assert [path.name for path in (machine.root / "agent").iterdir()] == ["notes.txt"]


def test_what_the_user_changed_since_stays(machine: Machine) -> None:
    """Our entries go, with the objects that were made for them; theirs stay."""
    file = machine.json_file()
    file.path.parent.mkdir()
    file.path.write_text('{\n  "theme": "dark"\n}\n')
    machine.install(file)
    changed = file.path.read_text().replace('"dark"', '"light" /* day */')
    file.path.write_text(changed)

    machine.remove(file)

    assert file.path.read_text() == '{\n  "theme": "light" /* day */\n}\n'


@pytest.mark.parametrize("has_receipt", [True, False])
def test_a_hook_of_the_user_beside_ours_stays(machine: Machine, has_receipt: bool) -> None:
    """In our group, only our handler goes, also if a new version replaces it."""
    file = machine.json_file()
    machine.install(file)
    said = json.loads(file.path.read_text())
    linter = {"type": "command", "command": "my-own-linter"}
    said["hooks"]["BeforeAgent"][0]["hooks"].append(linter)
    file.path.write_text(json.dumps(said))
    if has_receipt:
        machine.install(file)
        groups = json.loads(file.path.read_text())["hooks"]["BeforeAgent"]
        assert groups == [{"hooks": [linter]}, HOOK]
    else:
        (machine.root / "data").rename(machine.root / "gone")

    machine.remove(file)

    assert json.loads(file.path.read_text())["hooks"] == {"BeforeAgent": [{"hooks": [linter]}]}


def test_our_handlers_alone_go_with_their_group(machine: Machine) -> None:
    """Also if somebody doubled them or changed their timeout."""
    file = machine.json_file()
    machine.install(file)
    said = json.loads(file.path.read_text())
    handlers = said["hooks"]["BeforeAgent"][0]["hooks"]
    handlers.append({**handlers[0], "timeout": 1})
    file.path.write_text(json.dumps({**said, "theme": "dark"}))

    machine.remove(file)

    assert json.loads(file.path.read_text()) == {"theme": "dark"}


def test_a_toml_that_the_user_changed_since(machine: Machine) -> None:
    """A table that was added after ours stays, with its comment."""
    file = machine.toml_file()
    file.path.parent.mkdir()
    file.path.write_text("a = 1\n")
    machine.install(file)
    file.path.write_text(file.path.read_text() + "\n# more\n[more]\nb = 2\n")

    machine.remove(file)

    assert file.path.read_text() == "a = 1\n\n# more\n[more]\nb = 2\n"


@pytest.mark.parametrize("is_toml", [False, True])
def test_an_entry_of_the_user_is_not_ours(machine: Machine, is_toml: bool) -> None:
    """It has our name, but we did not put it there: it is not touched, then or later."""
    file = machine.toml_file() if is_toml else machine.json_file()
    mine = {True: '[mcp_servers.recollect]\ncommand = "mine"\n'}.get(
        is_toml, '{"mcpServers": {"recollect": {"command": "mine"}}}'
    )
    file.path.parent.mkdir()
    file.path.write_text(mine)

    machine.install(file)
    assert '"mine"' in file.path.read_text()
    file.path.write_text(file.path.read_text() + "\n")
    machine.remove(file)

    assert file.path.read_text() == mine + "\n"


def test_a_new_version_replaces_what_the_old_one_wrote(machine: Machine) -> None:
    """And the end is still the beginning."""
    old = machine.json_file()
    before = '{\n  "theme": "dark"\n}'
    old.path.parent.mkdir()
    old.path.write_text(before)
    machine.install(old)
    new = old._replace(entries=(Entry(("mcpServers", "recollect"), {"command": "new"}),))

    machine.install(new)

    said = json.loads(old.path.read_text())
    assert said == {"theme": "dark", "mcpServers": {"recollect": {"command": "new"}}}
    machine.remove(new)
    assert old.path.read_text() == before


def test_without_a_receipt_only_what_is_as_we_write_it(machine: Machine) -> None:
    """As in a colleague's clone: the entries are found by what they say."""
    file = machine.json_file()
    machine.install(file)
    (machine.root / "data").rename(machine.root / "gone")

    machine.remove(file)

    assert json.loads(file.path.read_text()) == {"mcpServers": {}, "hooks": {"BeforeAgent": []}}


def test_the_difference_is_shown_and_nothing_is_written(machine: Machine) -> None:
    """As `diff -U0` shows it: the lines around it may be secret."""
    file = machine.toml_file()
    file.path.parent.mkdir()
    file.path.write_text("a = 1\n")

    (change,) = settings_files.installing([file], machine.environment)

    assert change.difference.splitlines() == [
        f"--- {file.path}",
        f"+++ {file.path}",
        "@@ -1,0 +2,4 @@",
        "+",
        "+[mcp_servers.recollect]",
        '+command = "recollect"',
        '+args = ["mcp"]',
    ]
    assert file.path.read_text() == "a = 1\n"
    assert not (machine.root / "data").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("settings.json", "{broken"),
        ("settings.json", '{"mcpServers": []}'),
        ("settings.json", '{"hooks": 1}'),
        ("config.toml", "broken ["),
        ("config.toml", "mcp_servers = {}\n"),
        ("config.toml", "mcp_servers = 1\n"),
    ],
)
def test_a_file_that_cannot_be_changed_is_not(machine: Machine, name: str, text: str) -> None:
    """The error names it and says that nothing happened."""
    file = machine.json_file() if name.endswith("json") else machine.toml_file()
    file.path.parent.mkdir()
    file.path.write_text(text)

    with pytest.raises(InstallFailed, match=name) as caught:
        machine.install(file)

    assert "Nothing was changed" in caught.value.hint
    assert file.path.read_text() == text


def test_a_file_of_somebody_else_is_not_replaced(machine: Machine) -> None:
    """Even if it has the name of ours."""
    own = OwnFile(machine.root / "plugin.ts", "ours")
    own.path.write_text("theirs")

    with pytest.raises(InstallFailed, match=r"plugin\.ts exists"):
        machine.install(own)
    machine.remove(own)

    assert own.path.read_text() == "theirs"


def test_a_link_stays_a_link(machine: Machine) -> None:
    """People keep their settings in a repository of their own."""
    file = machine.json_file()
    file.path.parent.mkdir()
    real = machine.root / "dotfiles.json"
    real.write_text("{}")
    file.path.symlink_to(real)

    machine.install(file)

    assert file.path.is_symlink()
    assert "recollect" in real.read_text()


def test_a_receipt_holds_nothing_of_the_user(machine: Machine) -> None:
    """A settings file can hold keys; only our own text is kept."""
    file = machine.json_file()
    file.path.parent.mkdir()
    file.path.write_text('{"apiKey": "sk-secret-value", "mcpServers": {"other": {"env": "hush"}}}')

    machine.install(file)

    (receipt,) = (machine.root / "data" / "installed").iterdir()
    assert "sk-secret" not in receipt.read_text()
    assert "hush" not in receipt.read_text()


CODE = '{\n   "model": "opus", // the big one\n   "keys": [1, 2]\n}\n'
OURS = {"mcpServers": {"recollect": SERVER}}


@pytest.mark.parametrize(
    ("before", "written"),
    [
        (CODE, {"keys": [1, 2], "model": "opus", **OURS}),
        (CODE, {"keys": [1, 2], "model": "opus", "mcpServers": {}}),
        ('{"mcpServers": {"recollect": {}}}', OURS),
        ("", OURS),
        (None, OURS),
        (None, {"mcpServers": {}}),
    ],
)
def test_a_file_keeps_its_form_if_a_command_writes_only_our_entries(
    tmp_path: Path, before: str | None, written: dict[str, object]
) -> None:
    """Also where the command made the file."""
    file = a_server_in(tmp_path / "settings.json", before)

    with settings_files.keeping_form([file]):
        file.path.write_text(json.dumps(written))

    assert (file.path.read_text() if file.path.exists() else None) == before


@pytest.mark.parametrize(
    ("before", "written"),
    [
        (CODE, '{"model": "haiku", "keys": [1, 2]}'),
        (CODE, '{"model": "opus"}'),
        (CODE, '{"model": "opus", "keys": [1, 2], "mcpServers": {"other": {}}}'),
        (CODE, "no JSON"),
        ("no JSON", "{}"),
        (None, '{"model": "opus"}'),
    ],
)
def test_what_a_command_changes_besides_stays(
    tmp_path: Path, before: str | None, written: str
) -> None:
    """It may be the client's own news, so nothing is put back."""
    file = a_server_in(tmp_path / "settings.json", before)

    with settings_files.keeping_form([file]):
        file.path.write_text(written)

    assert file.path.read_text() == written


def a_server_in(path: Path, text: str | None) -> SettingsFile:
    """A settings file that is to have our server."""
    if text is not None:
        path.write_text(text)
    return SettingsFile(path, (Entry(("mcpServers", "recollect"), SERVER),))
