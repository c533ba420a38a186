"""Switching the mirror on and off in the project's configuration."""

from __future__ import annotations

import os
from pathlib import Path

from recollect.config.config import load_config
from recollect.config.edit import set_key
from recollect.core.named_tuple import NamedTuple
from recollect.errors import ValidationError
from recollect.mirror.mirror import Mirror, Report
from recollect.store.store import Store

_KEY = "mirror.enabled"


class SwitchedOn(NamedTuple):
    """The configuration file that says so, what was written, and what overrides the file."""

    config: Path
    report: Report
    overridden: str = ""


class SwitchedOff(NamedTuple):
    """The configuration file that says so, and the files that stay; `None`: all of them stay."""

    config: Path | None
    stay: list[str] | None
    overridden: str = ""


def enabled_mirror(store: Store) -> Mirror:
    """The mirror; refused if it is off."""
    mirror = Mirror(store)
    if not store.config.flag(_KEY):
        raise ValidationError("The mirror is off.", "Switch it on with: recollect mirror on")
    return mirror


def switch_on(store: Store) -> SwitchedOn:
    """Set the key, and write the files."""
    mirror = Mirror(store)
    path, overridden = _switch(store, True)
    return SwitchedOn(path, mirror.update(), overridden)


def switch_off(store: Store, *, remove: bool) -> SwitchedOff:
    """Set the key, if it is on; remove the files if that is wanted."""
    mirror = Mirror(store)
    path, overridden = _switch(store, False) if store.config.flag(_KEY) else (None, "")
    return SwitchedOff(path, mirror.clear() if remove else None, overridden)


def _switch(store: Store, enabled: bool) -> tuple[Path, str]:
    """Write the key to the project's file; also says which stronger source overrides it, if any."""
    directory = store.ledger.repository.git.directory
    path = set_key(_KEY, str(enabled).lower(), directory=directory, environment=os.environ)
    found = load_config(directory, os.environ).explain(_KEY)
    overridden = "" if found.value == enabled else f"{found.source} says {_KEY} = {found.value}"
    return path, overridden
