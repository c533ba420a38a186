"""An event as a hook receives it: read once, then passed to everything that serves it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.hosts.registry import host_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.capture.markers import Marked
    from recollect.config.config import Config
    from recollect.hosts.protocol import Event, Host


class Received(NamedTuple):
    """An event, its host, and what the stash has already worked out about it."""

    host: Host
    event: Event
    # The configuration of the event's directory; None if nobody has read it yet.
    config: Config | None = None
    # The marked texts in the event; None if nobody has searched for them yet.
    marked: Sequence[Marked] | None = None
    # Marked text → the same text without secrets, under `config`.
    redacted: Mapping[str, str] = {}


def receive(name: str, given: bytes, environment: Mapping[str, str], named: str = "") -> Received:
    """Parse a hook's input. JSON that is not an object becomes an empty event.

    `named` is the host that the hook's command names, if it does.
    """
    payload = json.loads(given)
    payload = payload if isinstance(payload, dict) else {}
    host = host_of(payload, environment, named)
    return Received(host, host.read_event(name, payload, environment)._replace(host=host.NAME))
