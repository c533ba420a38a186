"""Our finder finds what Python's own does, and leaves to it what is not as usual."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import recollect
from recollect import quick_import

_FINDER = quick_import._Finder
_ALL = sorted(
    ".".join(("recollect", *path.relative_to(Path(recollect.__path__[0])).with_suffix("").parts))
    for path in Path(recollect.__path__[0]).rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The source of `recollect.made`, which a process has imported before."""
    source = tmp_path / "recollect" / "made.py"
    source.parent.mkdir()
    source.write_text("VALUE = 1\n")
    cached = Path(importlib.util.cache_from_source(str(source)))
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([sys.executable, "-c", "import made"], cwd=source.parent, env=env, check=True)
    assert cached.exists()
    monkeypatch.setattr(quick_import, "_FOLDER", str(tmp_path))
    return source


def test_it_finds_what_python_finds() -> None:
    """Every module of the package, with the same places; unless it has no bytecode yet."""
    for name in _ALL:
        name = name.removesuffix(".__init__")
        found = _FINDER.find_spec(name)
        usual = importlib.util.find_spec(name)
        assert usual is not None
        if found is not None:
            assert (found.origin, found.cached) == (usual.origin, usual.cached)
            assert found.submodule_search_locations == usual.submodule_search_locations
            assert found.has_location


def test_a_module_that_was_imported_before_is_found(module: Path) -> None:
    """It has what modules have: files, a loader with its source, and a place in tracebacks."""
    spec = _FINDER.find_spec("recollect.made")

    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.VALUE == 1
    assert made.__file__ == str(module)
    assert made.__cached__ == importlib.util.cache_from_source(str(module))
    assert spec.loader.get_source("recollect.made") == "VALUE = 1\n"  # type: ignore[attr-defined]
    assert spec.loader.get_code("recollect.made").co_filename == str(module)  # type: ignore[attr-defined]


def test_bytecode_of_another_source_is_left_to_python(module: Path) -> None:
    """Another size, or another time."""
    assert _FINDER.find_spec("recollect.made") is not None
    module.write_text("VALUE = 22\n")
    assert _FINDER.find_spec("recollect.made") is None
    module.write_text("VALUE = 2\n")
    os.utime(module, (1, 1))
    assert _FINDER.find_spec("recollect.made") is None


@pytest.mark.parametrize("left", [0, 12, 16, 20])
def test_broken_bytecode_is_left_to_python(module: Path, left: int) -> None:
    """As a process that was killed may leave it."""
    cached = Path(importlib.util.cache_from_source(str(module)))
    cached.write_bytes(cached.read_bytes()[:left])

    assert _FINDER.find_spec("recollect.made") is None


def test_what_is_not_ours_or_not_there_is_left_to_python(module: Path) -> None:
    """Names of others, and modules without a file or without bytecode."""
    Path(importlib.util.cache_from_source(str(module))).unlink()

    for name in ("json", "recollection", "recollect", "recollect.made", "recollect.nothing"):
        assert _FINDER.find_spec(name) is None


def test_light_modules_do_what_they_did() -> None:
    """A path as a URL, and dates: what `lighten` loads is what everybody else gets."""
    code = (
        "import sys; from recollect.quick_import import lighten; lighten()\n"
        "assert sys.version_info >= (3, 13) or 'ipaddress' not in sys.modules\n"
        "import datetime, pathlib, pickle, urllib.parse\n"
        "assert urllib.parse.urlsplit('http://a/b').path == '/b'\n"
        "path = pathlib.Path(sys.prefix, 'a b').absolute()\n"
        "assert path.as_uri().endswith('a%20b')\n"
        "then = datetime.datetime.strptime('2026-01-02', '%Y-%m-%d')\n"
        "assert pickle.loads(pickle.dumps(then)) == then < datetime.datetime.max\n"
        "assert isinstance(then.replace(tzinfo=datetime.UTC).tzinfo, datetime.timezone)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_postponed_is_what_everybody_gets() -> None:
    """Expressions: flags, `json`, submodules, and everything else of `re` when it is needed."""
    code = (
        "import sys; from recollect import quick_import\n"
        "from recollect.core.patterns import pattern\n"
        "quick_import.postpone_expressions(pattern)\n"
        "import json, pathlib, re\n"
        "assert json.loads(' {\"a\": [1.5, \"b\"]} ') == {'a': [1.5, 'b']}\n"
        "assert 'enum' not in sys.modules or sys.version_info >= (3, 12)\n"
        "numbers = {name: getattr(re, name) for name in quick_import._FLAGS}\n"
        "import re._parser\n"
        "early, re = re, sys.modules['re']\n"
        "assert type(re) is type(sys) and numbers == {n: int(getattr(re, n)) for n in numbers}\n"
        "assert early.compile is re.compile and early.IGNORECASE is re.IGNORECASE\n"
        "assert pathlib.Path('a.py').match('*.py')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_click_finds_what_it_needs() -> None:
    """The help of options of one line and of several, with `re` loaded before or not."""
    code = (
        "import sys; from recollect import quick_import\n"
        "from recollect.core.patterns import pattern\n"
        "quick_import.lighten_for_click(pattern)\n"
        "import click, inspect\n"
        "assert not {'ast', 'dis'} & sys.modules.keys()\n"
        "texts = ['', '  one\\t line ', 'two\\n    lines\\n\\n', '\\n  three\\n    lines\\n  ']\n"
        "cleaned = [click.Option(['--a'], help=text).help for text in texts]\n"
        "assert inspect.signature(print) and type(sys.modules['inspect']) is type(sys)\n"
        "cleandoc = sys.modules['inspect'].cleandoc\n"
        "assert cleaned == ['', *map(cleandoc, texts[1:])], cleaned\n"
        "assert quick_import._cleandoc(texts[0]) == cleandoc(texts[0])\n"
        "import platform, uuid\n"
        "assert platform.system() == sys.modules['platform'].uname().system\n"
        "assert sys.modules['re'].compile('a').match('a')\n"
    )
    for before in ("", "import re\n"):
        subprocess.run([sys.executable, "-c", before + code], check=True)


def test_numpy_of_a_command_computes_as_usual() -> None:
    """It comes without documentation; what it left out is what everybody else gets."""
    code = (
        "import sys; from recollect import quick_import\n"
        "from recollect.core.patterns import pattern\n"
        "quick_import.lighten_for_click(pattern)\n"
        "quick_import.import_numpy()\n"
        "assert not {'dis', 'numpy._typing'} & sys.modules.keys()\n"
        "import ast, ctypes, inspect, pickle\n"
        "import numpy as np, numpy.typing\n"
        "numbers = np.arange(6, dtype=np.float32).reshape(2, 3)\n"
        "assert (numbers @ numbers.T).tolist() == [[5, 14], [14, 50]]\n"
        "assert np.fft.fft([1, 2]).real.tolist() == [3, -1] and np.linalg.det(np.eye(2)) == 1\n"
        "assert (pickle.loads(pickle.dumps(numbers)) == numbers).all()\n"
        "assert numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_float))[1] == 1.0\n"
        "assert ast.literal_eval('[1]') == [1]\n"
        "assert numpy.typing.NDArray is not list\n"
        "assert inspect.cleandoc('a\\n  b') == 'a\\nb'\n"
        "assert 'axis' in inspect.signature(np.sum).parameters\n"
        "assert inspect.signature(print).parameters['sep'].default == ' '\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numpy_of_other_programs_keeps_its_documentation() -> None:
    """Whoever uses Recollect from Python may read it."""
    code = (
        "from recollect.quick_import import import_numpy; import_numpy()\n"
        "import inspect, numpy as np\n"
        "assert 'Return an array' in np.concatenate.__doc__ or 'Join a' in np.concatenate.__doc__\n"
        "assert np.ndarray.reshape.__doc__ and inspect.signature(np.concatenate)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
