"""A key of the user on this machine, which proves what we wrote ourselves.

What is pending in `.git/recollect` counts as the user's only if we put it there. A `.git` can be
copied from anywhere, so everything pending carries a code made with a key that never leaves the
data directory. Without the right code it is only a suggestion.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from recollect.config.locate import make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

KEY_FILE: Final = "local.key"
DRAFT: Final = "draft"
SUGGESTION: Final = "suggestion"
_CODE = "code"
_BYTES = 32
_OTHERS = 0o077


def sign(home: Path, purpose: str, uid: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with our code; without one if no key can be stored."""
    key = _key(home)
    return dict(said) if key is None else {**said, _CODE: _code(key, purpose, uid, said)}


def is_ours(home: Path, purpose: str, uid: str, said: Mapping[str, Any]) -> bool:
    """Whether we wrote this, for this purpose, under this uid."""
    given = said.get(_CODE)
    key = _key(home) if isinstance(given, str) else None
    if key is None:
        return False
    from hmac import compare_digest

    return compare_digest(_code(key, purpose, uid, said).encode(), str(given).encode())


def unsigned(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values without a code."""
    return {name: value for name, value in said.items() if name != _CODE}


def _code(key: bytes, purpose: str, uid: str, said: Mapping[str, Any]) -> str:
    from hashlib import blake2b

    text = json.dumps([purpose, uid, unsigned(said)], sort_keys=True)
    return blake2b(text.encode("ascii"), key=key, digest_size=32).hexdigest()


def _key(home: Path) -> bytes | None:
    """Return the key, created on first use; None if it can be neither read nor created."""
    return _read(home / KEY_FILE) or _make(home / KEY_FILE)


def _read(path: Path) -> bytes | None:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if sys.platform != "win32" and (found.st_uid != os.geteuid() or found.st_mode & _OTHERS):
            return None  # someone else may know it
        key = file.read(_BYTES + 1)
    return key if len(key) == _BYTES else None


def _make(path: Path) -> bytes | None:
    fresh = path.with_name(f"{KEY_FILE}.{os.getpid()}.new")
    try:
        make_private(path.parent)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            fresh.replace(path)  # what is there is not a key, or not only ours
        else:
            with suppress(FileExistsError):  # another process was faster
                os.link(fresh, path)
    except OSError:
        with suppress(OSError):
            if fresh.exists() and not path.exists():
                fresh.replace(path)  # a file system without links
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return _read(path)
