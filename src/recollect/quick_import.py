"""Imports in fewer steps than Python does, for processes that end soon.

Python looks for a module in every way in which a package may be installed: it lists folders, tries
the suffixes of libraries in C, and asks the file system twice about each file. A cold hook imports
more than a hundred and fifty modules of ours, and that takes longer than its search. Here, a module
is where its name says. Bytecode is taken if it was made from the source as that is now, as Python
does; whatever is not as usual is left to Python itself.

Some modules of Python itself load others that a hook does without: see `lighten` and `Postponed`.
"""

from __future__ import annotations

import _imp
import _thread
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import CodeType, ModuleType
    from typing import Any

_PACKAGE = __name__.partition(".")[0] + "."
_FOLDER = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
_CACHED = f"{os.sep}__pycache__{os.sep}%s.{sys.implementation.cache_tag}.pyc"
# What bytecode begins with whose validity depends on time and size of the source; these follow.
_HEAD = MAGIC_NUMBER + bytes(4)
_LOW = 0xFFFFFFFF
# What numpy imports for its documentation and its annotations, which a command does not read, and
# what each stand-in knows. An annotation only has to take another one in brackets.
_UNREAD: dict[str, dict[str, Any]] = {
    "inspect": {"cleandoc": str, "signature": lambda _: None},
    "numpy._core._add_newdocs": {},
    "numpy._core._add_newdocs_scalars": {},
    "numpy._typing": {"__path__": [], "NDArray": list},
}
# The flags of expressions that modules name while they are imported, as numbers.
_FLAGS = {"ASCII": 256, "DOTALL": 16, "IGNORECASE": 2, "MULTILINE": 8, "VERBOSE": 64}


class _Loader(SourceFileLoader):
    """Loads a module whose code has been read; all else is as usual."""

    code: CodeType

    def get_code(self, fullname: str) -> CodeType | None:
        return self.code if fullname == self.name else super().get_code(fullname)


class _Finder:
    """Finds modules of this package."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is; None if Python should look for it itself."""
        if not name.startswith(_PACKAGE):
            return None
        place = f"{_FOLDER}{os.sep}{name.replace('.', os.sep)}"
        for source in (f"{place}.py", f"{place}{os.sep}__init__.py"):
            try:
                found = os.stat(source)  # noqa: PTH116
            except OSError:
                continue
            folder, _, file = source.rpartition(os.sep)
            cached = folder + _CACHED % file[:-3]
            code = _code(cached, int(found.st_mtime), found.st_size)
            if code is None:
                return None
            _imp._fix_co_filename(code, source)  # type: ignore[attr-defined]
            loader = _Loader(name, source)
            loader.code = code
            is_package = file == "__init__.py"
            spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
            spec.has_location = True
            spec.cached = cached
            if is_package:
                spec.submodule_search_locations = [place]
            return spec
        return None


def _code(cached: str, changed: int, size: int) -> CodeType | None:
    """Read bytecode; None if it is not there, or not of this source."""
    try:
        file = os.open(cached, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        read = os.read(file, os.fstat(file).st_size)
    except OSError:
        return None
    finally:
        os.close(file)
    expected = b"%b%b%b" % (_HEAD, _as_bytes(changed), _as_bytes(size))
    if read[:16] != expected:
        return None
    try:
        code: CodeType = marshal.loads(memoryview(read)[16:])  # noqa: S302
    except (EOFError, ValueError, TypeError):
        return None
    return code


def _as_bytes(number: int) -> bytes:
    return (number & _LOW).to_bytes(4, "little")


def install() -> None:
    """Look for the modules of this package here first."""
    if sys.flags.optimize == 0 and sys.pycache_prefix is None:
        sys.meta_path.insert(0, _Finder)


def lighten() -> None:
    """Load `pathlib` and `datetime` without what takes longer than they do.

    `pathlib` imports `urllib.parse`, with `ipaddress`, for paths as URLs; since Python 3.13 it no
    longer does. `datetime` of Python 3.11 defines its classes twice, in Python and in C.
    """
    modules = sys.modules
    if not {"pathlib", "urllib.parse"} & modules.keys() and sys.version_info < (3, 13):
        stand_in = type(sys)("urllib.parse")
        stand_in.quote_from_bytes = _quote_from_bytes  # type: ignore[attr-defined]
        modules["urllib.parse"] = stand_in
        try:
            import pathlib  # noqa: F401
        finally:
            del modules["urllib.parse"]
    if "datetime" not in modules and sys.version_info < (3, 12):
        try:
            modules["datetime"] = __import__("_datetime")
        except ImportError:
            return  # a Python without it


def _quote_from_bytes(*given: Any, **named: Any) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(*given, **named)


class Postponed(type(sys)):  # type: ignore[misc]  # a module
    """A module of Python until somebody needs more of it than what is known; then it is loaded."""

    def __init__(self, name: str, known: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(known)
        self.__dict__["_lock"] = _thread.allocate_lock()

    def __getattr__(self, name: str) -> Any:
        """Load the module, and be what it is from now on."""
        with self.__dict__["_lock"]:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            __import__(self.__name__)
            loaded = sys.modules[self.__name__]
            self.__dict__.update(vars(loaded))
        return getattr(loaded, name)


def _postpone(name: str, known: Mapping[str, Any]) -> None:
    if name not in sys.modules:
        sys.modules[name] = Postponed(name, known)


def postpone_expressions(compiled: Callable[..., Any]) -> None:
    """Load `re` when something needs more of it than flags, and expressions that others compile.

    With its compiler, and with `enum` for the flags, it takes a hook a third of what a bare
    interpreter takes. Our expressions are kept compiled (`core/patterns.py`), and so are those of
    `json` and whatever else a hook imports.
    """
    _postpone("re", {**_FLAGS, "compile": compiled})


def lighten_for_click(compiled: Callable[..., Any]) -> None:
    """Prepare the import of click, which a command needs before anything else.

    It cleans the help of options with `inspect`, and its `uuid` asks `platform` for the system.
    Both are loaded when more of them is needed. `gettext` and `json` get kept expressions.
    """
    _postpone("inspect", {"cleandoc": _cleandoc})
    if sys.platform != "win32":
        _postpone("platform", {"system": lambda: os.uname().sysname})
    loaded = sys.modules.pop("re", None)  # the script of an installer may have imported it
    try:
        postpone_expressions(compiled)
        import gettext  # noqa: F401
        import json  # noqa: F401
    finally:
        if loaded is not None:
            sys.modules["re"] = loaded


def import_numpy() -> None:
    """Import numpy; in a command, without what it loads for its documentation and annotations.

    A command is a process for which `inspect` was postponed and that has not needed it since. There
    the functions of numpy may have no documentation. That saves a third of the import.
    """
    modules = sys.modules
    if type(modules.get("inspect")) is not Postponed or "numpy" in modules:
        import numpy

        return
    for name in ("ast", "ctypes", "pickle"):
        _postpone(name, {})
    before = {name: modules.get(name) for name in _UNREAD}
    modules.update((name, Postponed(name, known)) for name, known in _UNREAD.items())
    try:
        import numpy  # noqa: F401
    finally:
        for name, module in before.items():
            if module is None:
                modules.pop(name, None)
            else:
                modules[name] = module


def _cleandoc(text: str) -> str:
    if "\n" not in text:
        return text.expandtabs().lstrip()
    import inspect

    inspect.getdoc  # noqa: B018  (any other name loads the module)
    return inspect.cleandoc(text)
