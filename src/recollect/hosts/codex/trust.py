"""Which of our hooks Codex does not run yet, because its user has not trusted them.

For each hook that its user trusts, Codex keeps a hash in `config.toml`, by the file of the hook,
its event and its place there. A hook that is new, or has another hash by now, does not run. In a
terminal Codex asks about it at the start; `codex exec` says nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.core.patterns import pattern
from recollect.hosts import json_edit, toml_edit
from recollect.hosts.hook_commands import SIGN

_WORD = pattern(r"(?<!^)(?=[A-Z])", re.ASCII)


def untrusted(hooks: Path, config: Path) -> tuple[int, int]:
    """Return how many of our hooks in a file are not trusted, and how many there are.

    A file that cannot be read has none. What the user turned off does not count.
    """
    states = _trusted(config)
    waiting = total = 0
    for place, current in _our_hooks(hooks):
        names = (f"{hooks}:{place}", f"{hooks.resolve()}:{place}")
        state = next(filter(None, (_mapping(states.get(name)) for name in names)), _mapping(None))
        if state.get("enabled") is not False:
            total += 1
            waiting += state.get("trusted_hash") != current
    return waiting, total


def _our_hooks(hooks: Path) -> Iterator[tuple[str, str]]:
    """Yield the event and the place of each of our hooks, and its hash as Codex computes it."""
    events = _mapping(_read(hooks, json_edit.read).get("hooks"))
    for event, groups in events.items():
        label = _WORD.sub("_", str(event)).lower()
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = _mapping(group).get("hooks")
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                own = _for_this_system(_mapping(handler))
                if SIGN in str(own.get("command")):
                    matcher = _mapping(group).get("matcher")
                    identity = {
                        "event_name": label,
                        "hooks": [{"async": False, **own}],
                        **({"matcher": matcher} if matcher is not None else {}),
                    }
                    yield f"{label}:{number}:{index}", _hash(identity)


def _for_this_system(handler: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a hook with the command that Codex runs here, and not that of other systems."""
    windows = {"command": handler["commandWindows"]} if "commandWindows" in handler else {}
    own = {**handler, **(windows if sys.platform == "win32" else {})}
    own.pop("commandWindows", None)
    return own


def _hash(identity: Mapping[str, Any]) -> str:
    said = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


def _trusted(config: Path) -> Mapping[str, Any]:
    return _mapping(_mapping(_read(config, toml_edit.read).get("hooks")).get("state"))


def _read(path: Path, parse: Any) -> Mapping[str, Any]:
    try:
        return _mapping(parse(path.read_text("utf-8")))
    except (OSError, ValueError, RecursionError):
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
