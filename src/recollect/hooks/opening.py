"""Opening what counts where an agent works, for one event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recollect.api.opening import existing_directory, leave_named_repository, open_stores
from recollect.config.config import Config, load_config, without_files
from recollect.errors import BadConfig

if TYPE_CHECKING:
    from recollect.hooks.session import HookSession
    from recollect.hosts.protocol import Event


def read_config(event: Event, environment: Mapping[str, str]) -> Config:
    """The configuration where an agent works.

    One that cannot be read must not keep anybody from keeping something: then the defaults count,
    and `doctor` tells.
    """
    try:
        return load_config(existing_directory(event.directory or None), environment)
    except BadConfig as error:
        return without_files(error.message, environment)


def open_session(event: Event, config: Config, environment: Mapping[str, str]) -> HookSession:
    """Open what counts where an agent works: the repository's memory and the person's own."""
    from recollect.hooks.session import HookSession

    directory = existing_directory(event.directory or None)
    surroundings = dict(environment)
    if event.directory:
        leave_named_repository(surroundings)
    store, personal = open_stores(directory, config, surroundings)
    return HookSession(store, personal, event._replace(directory=str(directory)))
