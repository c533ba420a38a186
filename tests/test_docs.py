"""The documentation names what the code has, and nothing that it does not have."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from recollect import errors
from recollect.api.recollect import Recollect
from recollect.cli import VERBS, root
from recollect.config.config import load_config
from recollect.config.keys import KEYS
from recollect.core.content_schemas import SCHEMAS
from recollect.core.fields import CONCEPTS, FIELDS, OBSERVATION_TYPES, SENSITIVITIES
from recollect.core.kinds import FACTS, KINDS
from recollect.core.memory import Memory
from recollect.core.note import parse_note, render_note
from recollect.core.status import HIDDEN, STATUSES, TRANSITIONS, find_status
from tests.support.docs import (
    _CODE,
    _FENCE,
    _HEADING,
    DOCS,
    ROOT,
    code,
    fences,
    page,
    rows,
    sections,
)

README = ROOT / "README.md"
PAGES = [*sorted(DOCS.rglob("*.md")), README]

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^()\s]+)\)")
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


def _walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            assert found is not None
            yield from _walk(f"{name} {verb}", found)


COMMANDS = dict(_walk("recollect", root))
ERRORS: list[type[errors.RecollectError]] = sorted(
    (
        found
        for found in vars(errors).values()
        if isinstance(found, type) and issubclass(found, errors.RecollectError)
    ),
    key=lambda error: error.exit_code,
)


def _options(command: click.Command) -> set[str]:
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


def _section_of(name: str) -> str:
    found = sections(page("commands.md"))
    title = "Commands" if name == "recollect" else name
    assert title in found, f"docs/commands.md has no section “{title}”"
    return found[title]


def _documented_options(section: str) -> set[str]:
    cells = [row[0] for row in rows(section)]
    return {option for cell in cells for option in _OPTION.findall(cell)}


def test_every_verb_is_a_command() -> None:
    """The commands that the other tests walk over are all the verbs, sub-commands included."""
    assert {f"recollect {verb}" for verb in VERBS} <= COMMANDS.keys()
    assert {"recollect config list", "recollect config explain"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_with_its_options(name: str) -> None:
    """A command's section lists all its options, in all their spellings, and no others."""
    wanted = _options(COMMANDS[name])
    if name == "recollect":
        wanted |= {"-h", "--help"}

    assert _documented_options(_section_of(name)) == wanted


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "recollect"])
def test_every_command_shows_how_it_is_called(name: str) -> None:
    """A command's section opens with its usage line, the arguments in their order."""
    command = COMMANDS[name]
    context = click.Context(command, info_name=name)

    if isinstance(command, click.Group):
        assert f"`{name} COMMAND`" in _section_of(name)
    else:
        pieces = " ".join(piece for piece in command.collect_usage_pieces(context) if piece)
        assert _section_of(name).strip().startswith(f"`{name} {pieces}`")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    """`--help` explains each option, and the command itself."""
    command = COMMANDS[name]

    assert command.help
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help, parameter.name


def test_no_section_describes_a_command_that_does_not_exist() -> None:
    """Every heading of the form `recollect …` is a command."""
    titles = {title for title in sections(page("commands.md")) if title.startswith("recollect ")}

    assert titles == COMMANDS.keys() - {"recollect"}


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("--type", OBSERVATION_TYPES),
        ("--concept", CONCEPTS),
        ("--sensitivity", SENSITIVITIES),
        ("--status", (*STATUSES, "all")),
    ],
)
def test_every_choice_is_named_next_to_its_option(option: str, choices: tuple[str, ...]) -> None:
    """Where an option takes one of a few words, its row names them."""
    section = _section_of("recollect list" if option == "--status" else "recollect capture")
    (row,) = [row for row in rows(section) if option in _OPTION.findall(row[0])]

    assert set(choices) <= code(row[1])


def test_every_json_field_of_a_memory_is_documented() -> None:
    """The table of JSON fields is the list of fields that `--json` prints, in its order."""
    memory = Memory(uid="", id="", kind="", summary="", extra={"new": 1}, altered=True)

    documented = [row[0].strip("`") for row in rows(sections(page("commands.md"))["JSON"])]

    assert documented == list(memory.as_json())


def test_every_error_is_documented() -> None:
    """The table of errors has each class with its category and its exit code, and no others."""
    table = {row[0].strip("`"): row[1:] for row in rows(sections(page("commands.md"))["Errors"])}

    assert list(table) == [error.__name__ for error in ERRORS]
    for error in ERRORS:
        category, exit_code, meaning, remedy = table[error.__name__]
        assert (category, exit_code) == (error.category, str(error.exit_code))
        assert meaning
        assert remedy


def test_every_error_has_an_exit_code_of_its_own() -> None:
    """No two errors share an exit code, and the tens of it are the category."""
    codes = {error.exit_code: error for error in ERRORS}

    assert len(codes) == len(ERRORS)
    tens = {(exit_code // 10, error.category) for exit_code, error in codes.items()}
    assert len(tens) == len({category for _, category in tens})


def test_every_configuration_key_is_documented() -> None:
    """The table of keys has each key with its default and its variable, and no others."""
    table = [[*row[:3]] for row in rows(sections(page("configuration.md"))["Keys"])]

    assert table == [
        [f"`{key.name}`", f"`{_toml(key.default)}`", f"`{key.variable}`"]
        for key in KEYS
        if not key.name.startswith("kinds.")
    ]


def test_the_keys_of_kinds_are_documented() -> None:
    """Two tables: what each key means, and the defaults that are not the same for every kind."""
    defaults = {key.name: key.default for key in KEYS if key.name.startswith("kinds.")}
    assert {key.rpartition(".")[2] for key in defaults} == {
        row[0].strip("`").rpartition(".")[2]
        for row in rows(sections(page("configuration.md"))["Kinds"])
        if row[0].startswith("`kinds.<kind>.")
    }
    table = [
        row
        for row in rows(sections(page("configuration.md"))["Kinds"])
        if not row[0].startswith("`kinds") and row[0] not in ("key", "kind")
    ]
    named = {row[0].strip("`"): row[1:] for row in table}
    for kind in KINDS:
        most, days, model, threshold = named.get(kind.name, named["every other"])
        assert defaults[f"kinds.{kind.name}.max_memories"] == float(most)
        assert defaults[f"kinds.{kind.name}.retention_days"] == float(days)
        drafted = f"kinds.{kind.name}.model" in defaults
        assert (model != "–", threshold != "–") == (drafted, drafted)
        if drafted:
            assert defaults[f"kinds.{kind.name}.model"] == model.strip("`")
            assert defaults[f"kinds.{kind.name}.triage_threshold"] == float(threshold)


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def test_every_documented_variable_is_read(tmp_path: Path) -> None:
    """Setting the variable of a row changes the value of its key, and the source is named."""
    for name, default, variable, _ in rows(sections(page("configuration.md"))["Keys"]):
        choices = next(key.choices for key in KEYS if key.name == name.strip("`"))
        least = next(key.least for key in KEYS if key.name == name.strip("`"))
        given = next((c for c in choices if f'"{c}"' != default.strip("`")), "") or _another(
            default.strip("`"), least
        )
        if name == "`index.url`":
            given = "postgresql://db.example.com/memories"
        environment = {variable.strip("`"): given, "RECOLLECT_CONFIG_DIR": str(tmp_path)}

        setting = load_config(tmp_path, environment).explain(name.strip("`"))

        assert setting.source == variable.strip("`")
        assert str(setting.value).lower().startswith(given)


def _another(default: str, least: float) -> str:
    """A value of the same type that is not the default."""
    if default[0].isdigit() and least > 7:
        return str(int(least))
    if default in ("true", "false"):
        return "false" if default == "true" else "true"
    if default.startswith("0."):
        return "0.3"
    return "7" if default[0].isdigit() else "seven"


def test_the_example_configuration_is_valid(tmp_path: Path) -> None:
    """The TOML that the page shows is read without a warning."""
    (example,) = fences(page("configuration.md"), "toml")
    (tmp_path / "config.toml").write_text(example, "utf-8")

    config = load_config(tmp_path, {"RECOLLECT_CONFIG_DIR": str(tmp_path)})

    assert config.warnings == ()
    assert {setting.source for setting in config.settings.values()} > {"default"}


def test_what_a_project_may_set_is_documented() -> None:
    """The table has every key that needs no trust, or never counts, with what is allowed."""
    words = {
        "any": ("set it",),
        "less": ("lower it", "switch it off"),
        "more": ("raise it", "switch it on"),
        "never": ("never set it",),
    }
    table = dict(rows(sections(page("configuration.md"))["What a project may set"]))
    found = {}
    for key in KEYS:
        if key.project != "trust":
            parts = key.name.split(".")
            group = {"kinds": "<kind>", "hook": "<event>"}.get(parts[0], "")
            name = f"{parts[0]}.{group}.{parts[2]}" if group and len(parts) > 2 else key.name
            found[f"`{name}`"] = words[key.project]
    assert set(table) - {"key"} == set(found)
    for name, allowed in found.items():
        assert table[name].startswith(allowed), name


def test_the_directories_are_documented() -> None:
    """The two variables that are no keys are named in the section of their own."""
    documented = {row[0] for row in rows(sections(page("configuration.md"))["Directories"])}

    assert documented == {"`RECOLLECT_CONFIG_DIR`", "`RECOLLECT_DATA_DIR`"}


def test_every_kind_is_documented() -> None:
    """The table of kinds has each kind with its aliases, its purpose and how long it is kept."""
    table = list(rows(sections(page("how-it-works.md"))["Kinds"]))

    assert table == [
        [
            f"`{kind.name}`",
            ", ".join(f"`{alias}`" for alias in kind.aliases),
            kind.purpose,
            "permanent" if kind.permanent else "may fade",
        ]
        for kind in KINDS
    ]


def test_every_status_is_documented() -> None:
    """The table of statuses has each with the steps it allows, and says what is listed."""
    table = {row[0].strip("`"): row for row in rows(sections(page("how-it-works.md"))["Status"])}

    assert list(table) == list(STATUSES)
    for status, (_, meaning, listed, steps) in table.items():
        assert meaning
        assert listed == ("no" if status in HIDDEN else "yes")
        assert _CODE.findall(steps) == list(TRANSITIONS[status])


def test_every_alias_of_a_status_is_true() -> None:
    """The words that the page says mean a status do."""
    sentence = sections(page("how-it-works.md"))["Status"].replace("\n", " ")
    claims = re.findall(r"((?:`\w+`(?:, | and )?)+) means? `(\w+)`", sentence)

    assert {status for _, status in claims} == {"active", "resolved", "retired"}
    for aliases, status in claims:
        assert {find_status(alias) for alias in code(aliases)} == {status}


def test_every_sync_case_is_documented() -> None:
    """The table of sync cases has every case that the code knows."""
    source = (ROOT / "src/recollect/ledger/sync.py").read_text("utf-8")

    documented = [row[0] for row in rows(sections(page("how-it-works.md"))["Sync"])]

    assert documented == sorted(set(re.findall(r"\bS[0-9]\b", source)))


def test_the_example_note_is_one() -> None:
    """The note that the page shows is, byte for byte, what we would write."""
    (example,) = [
        block for block in fences(page("how-it-works.md"), "text") if block.startswith("---\nuid: ")
    ]

    assert len(parse_note(example)) == 2
    assert render_note(parse_note(example)) == example


def test_every_field_is_documented_for_python() -> None:
    """The table of fields in `python.md` has each field that `capture` takes, and no others."""
    documented = [
        name
        for row in rows(sections(page("python.md"))["Writing"])
        for name in _CODE.findall(row[0])
        if "(" not in name
    ]

    assert sorted(documented) == sorted(FIELDS)


def test_every_method_is_documented_for_python() -> None:
    """`python.md` has each public method of the object that `recollect.open` gives."""
    public = {
        name
        for name, value in inspect.getmembers(Recollect)
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }

    assert public <= {name.partition("(")[0] for name in code(page("python.md"))}


def test_the_python_example_runs(tmp_path: Path) -> None:
    """The example does in a repository what the page says that it prints."""
    example, printed = fences(page("python.md"), "python")[0], fences(page("python.md"), "text")[0]
    (tmp_path / "home").mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUTF8": "1",
    }
    subprocess.run(["git", "init", "-q", tmp_path], check=True, env=environment)

    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )

    assert done.stderr == ""
    first, *rest = [line.rstrip() for line in done.stdout.splitlines()]
    assert re.fullmatch(r"decisions:[0-9a-f]{40}:0", first)
    assert rest == [line.rstrip() for line in printed.splitlines()]


def test_the_layers_of_the_readme_are_those_of_the_contract() -> None:
    """The diagram in the README is the same text as the import contract."""
    (diagram,) = fences(README.read_text("utf-8"), "layers")
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = [
        contract
        for contract in configuration["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]

    assert diagram.split("\n")[:-1] == contract["layers"]


def _links() -> Iterator[tuple[Path, str]]:
    for source in PAGES:
        for link in _LINK.findall(_FENCE.sub("", source.read_text("utf-8"))):
            if "://" not in link and not link.startswith("mailto:"):
                yield source, link


def _slugs(target: Path) -> set[str]:
    """The anchors of a page, made from its headings as mkdocs and GitHub make them."""
    text = _FENCE.sub("", target.read_text("utf-8"))
    titles = (heading.group(2).replace("`", "") for heading in _HEADING.finditer(text))
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


def test_there_are_links() -> None:
    """The test below looks at something."""
    assert sum(1 for _ in _links()) > 20


def test_every_relative_link_resolves() -> None:
    """A link in the documentation or the README leads to a file, and to a heading in it."""
    broken = []
    for source, link in _links():
        path, _, anchor = link.partition("#")
        target = (source.parent / path).resolve() if path else source
        if not target.exists() or not target.is_relative_to(ROOT):
            broken.append(f"{source.relative_to(ROOT)}: {link}")
        elif anchor and anchor not in _slugs(target):
            broken.append(f"{source.relative_to(ROOT)}: {link} (no such heading)")

    assert broken == []


_ATTACKERS = (
    "Nobody (accidents)",
    "A cloned repository",
    "A pull request",
    "A colleague with push rights",
    "Another user of the machine",
    "A program in the agent's shell",
)


def _tests_of(path: Path) -> set[str]:
    """The names of the tests in a file, without running it."""
    tree = ast.parse(path.read_text("utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("attacker", _ATTACKERS)
def test_every_test_of_the_threat_model_exists(attacker: str) -> None:
    """Each row of an attacker's table says what happens and names tests that are there."""
    table = list(rows(sections(page("security.md"))[attacker]))

    assert table
    for tries, happens, tests in table:
        assert tries
        assert happens
        names = _CODE.findall(tests)
        assert ", ".join(f"`{name}`" for name in names) == tests != "", tries
        for name in names:
            path, _, test = name.partition("::")
            assert (ROOT / path).is_file(), name
            assert test in _tests_of(ROOT / path), name


def _navigation(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for target in entry.values():
            if isinstance(target, str):
                yield target
            else:
                yield from _navigation(target)


def test_every_page_is_in_the_navigation() -> None:
    """`mkdocs.yml` lists every page under `docs/`, and no page that is not there."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))

    pages = sorted(found.relative_to(DOCS).as_posix() for found in DOCS.rglob("*.md"))

    assert sorted(_navigation(site["nav"])) == pages


def test_every_decision_is_listed() -> None:
    """The list of decisions links each of them."""
    listed = set(_LINK.findall(page("decisions/README.md")))

    assert {found.name for found in DOCS.glob("decisions/0*.md")} <= listed


_TYPED = [kind.name for kind in KINDS if kind.name in SCHEMAS and kind.name != FACTS]
_GUIDED = [kind.name for kind in KINDS if kind.in_guide]


@pytest.mark.parametrize(
    ("file", "before", "kinds"),
    [
        ("plugin/commands/remember.md", "Choose the kind: ", _GUIDED),
        ("plugin/commands/save.md", "may name the kind: ", _TYPED),
        ("plugin/skills/memory/SKILL.md", "These kinds are typed: ", _TYPED),
        (
            "plugin/skills/memory/SKILL.md",
            "Everything else (",
            [*(name for name in _GUIDED if name not in _TYPED), "…"],
        ),
        ("docs/typed.md", "These kinds have content with a fixed structure: ", _TYPED),
    ],
)
def test_the_texts_for_agents_list_the_kinds(file: str, before: str, kinds: list[str]) -> None:
    """A text lists every kind that an agent may choose there, in the order of the table."""
    _, found, after = (ROOT / file).read_text("utf-8").partition(before)

    assert found
    assert re.split(r"(?:,| or| and)\s+", re.split(r"[.)]", after)[0]) == kinds
