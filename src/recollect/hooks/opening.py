"""Opens the configuration and the stores for one event."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.api.opening import existing_directory, leave_named_repository, open_stores
from recollect.config.config import Config, load_config, without_files
from recollect.errors import BadConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hooks.session import HookSession
    from recollect.hosts.protocol import Event


def read_config(event: Event, environment: Mapping[str, str]) -> Config:
    """Read the configuration of the event's directory.

    If it cannot be read, the defaults apply, so that capturing still works. `doctor` reports it.
    """
    try:
        return load_config(existing_directory(event.directory or None), environment)
    except BadConfig as error:
        return without_files(error.message, environment)


def open_session(event: Event, config: Config, environment: Mapping[str, str]) -> HookSession:
    """Open the hook session of an event, with the project's store and the user's own."""
    from recollect.hooks.session import HookSession

    directory = existing_directory(event.directory or None)
    variables = dict(environment)
    if event.directory:
        leave_named_repository(variables)
    store, personal = open_stores(directory, config, variables)
    return HookSession(store, personal, event._replace(directory=str(directory)))
