"""What a hook knows about its input before it parses it."""

from __future__ import annotations

import os

from recollect.hosts.environment import project_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_INPUT = 32 << 20
CLIENT_WAITS = 4.2  # seconds, input included; the agent waits five for a hook
IN_DOUBT = (
    "Recollect: this took too long. If it is not saved yet, one of the next events saves it."
    " Check with: recollect list"
)


# One of these is in every prompt with a wish that a rule finds (`capture/requests.py`), and in nine
# of ten with one that only the model finds. Such a prompt is put aside before anything else is
# done. For any other, comparing bytes is all that a hook does before it asks the engine.
_WISHES = (
    *(b"rememb", b"rember", b"remeb", b"memor", b"forget", b"note ", b"note:", b"note,", b"noting"),
    *(b"n mind", b"now on", b"here on", b"point on", b"moment on", b"today", b"of now", b"onward"),
    *(b"from now", b"forward", b"henceforth", b"future", b"for later", b"for next", b"the next "),
    *(b"coming ", b"record", b" down", b"remind", b"learn", b" fact", b"rule", b"decision"),
    *(b"preference", b"convention", b"knowledge", b"order", b"instruction", b"lesson", b"track"),
    *(b"for me", b"for us", b"for you", b"for every", b"for my", b"for our", b"for the", b"retain"),
    *(b"following", b"please", b"pls", b"now for", b"keep", b"know", b"never", b"always", b"your "),
    *(b" time", b"later", b"tell ", b"again", b"save", b" session"),
)


def asks(event: str, given: bytes) -> bool:
    """Whether the input may hold marked text (`[remember]`) or, in a prompt, a wish."""
    lower = given.lower()
    if b"[remember" in lower:
        return True
    # In other events, the words are the agent's, and only a marker counts.
    return event == "prompt" and any(words in lower for words in _WISHES)


def existing(directory: str, environment: Mapping[str, str]) -> str:
    """Return the directory of an event; if it no longer exists, that of the project."""
    if not directory or os.path.isdir(directory):  # noqa: PTH112
        return directory
    return project_in(environment) or directory
