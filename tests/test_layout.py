"""The shape of the code: no cycles, the diagram in the README, modules of a readable size."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
MOST_LINES = 400


def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for path in (SOURCE / "recollect").rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports_of(path: Path, known: dict[str, Path], *, types: bool = True) -> Iterator[str]:
    """What a module imports: at its top, in functions and, with `types`, for type checkers."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if not types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imported_names(path: Path) -> Iterator[str]:
    """The dotted name of everything that a module imports."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_cycles() -> None:
    """No module is part of an import cycle, wherever the import stands."""
    known = modules()
    graph = {
        name: {one for one in imports_of(path, known) if one in known and one != name}
        for name, path in known.items()
    }

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_the_diagram_is_the_contract() -> None:
    """The layers in the README are those that import-linter checks."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(one for one in contracts["contracts"] if one["name"] == "Layers")["layers"]
    diagram = re.search(r"```layers\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)

    assert diagram is not None
    assert diagram[1].split("\n")[:-1] == layers


def test_modules_are_short() -> None:
    """A module that grows beyond this has more than one subject."""
    long = {
        name: count
        for name, path in modules().items()
        if (count := len(path.read_text("utf-8").splitlines())) > MOST_LINES
    }

    assert not long


def test_only_the_sqlite_backend_imports_sqlite() -> None:
    """Nothing outside of the packages that own a database imports its client library."""
    allowed = ("recollect.database", "recollect.index.sqlite.", "recollect.state.")
    known = modules()
    found = {
        name
        for name, path in known.items()
        if not name.startswith(allowed)
        and any(one.split(".")[0] in ("apsw", "sqlite_vec") for one in imports_of(path, known))
    }

    assert not found


def test_only_the_postgres_backend_imports_postgres() -> None:
    """Its client library is an extra, so nothing else may need it but the server's own tables."""
    known = modules()
    allowed = ("recollect.index.postgres.", "recollect.server.database")
    found = {
        name
        for name, path in known.items()
        if not name.startswith(allowed)
        and any(one.split(".")[0] in ("psycopg", "psycopg_pool") for one in imports_of(path, known))
    }

    assert not found


def test_no_test_is_a_helper() -> None:
    """Tests share fixtures through conftest and helpers through plain modules."""
    found = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / "tests").rglob("*.py")
        for name in imported_names(path)
        if name.startswith("tests.")
        and any(part.startswith("test_") or part == "conftest" for part in name.split("."))
    }

    assert not found


def test_the_surfaces_call_the_api() -> None:
    """`cli`, `mcp` and `web` only translate: they use `Recollect`, and import no capability."""
    capabilities = {"capture", "search", "sleep", "typed", "facts", "mirror", "importing"}
    known = modules()
    found = {
        (name, imported)
        for name, path in known.items()
        if name.startswith(("recollect.cli.", "recollect.mcp.", "recollect.web."))
        for imported in imports_of(path, known, types=False)
        if imported.startswith("recollect.") and imported.split(".")[1] in capabilities
    }

    assert not found
