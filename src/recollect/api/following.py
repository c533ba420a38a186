"""Following a remote: its mirror, then the index of the mirror.

One process at a time may work on a mirror; whoever calls this holds its lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import PushRejected
from recollect.ledger.following import (
    Taken,
    follow,
    push_written,
    seen_tips,
    settle,
    unsettle,
)
from recollect.ledger.sync import FINAL

if TYPE_CHECKING:
    from recollect.api.recollect import Recollect

T = TypeVar("T")
_ATTEMPTS = 5
# Of a repository that has many new memories, so many get their vectors at once: about 2 seconds.
_EMBEDDED = 64


def follow_remote(
    store: Recollect, url: str, *, most: int = _EMBEDDED, pause: Callable[[], None] | None = None
) -> Taken:
    """Take what a remote has into its mirror and the index, and erase what it has no more.

    At most `most` memories get their vectors, because others wait for the lock; `store.indexing`
    knows how many are left. `pause` is called every few milliseconds meanwhile, and may raise an
    exception: nothing depends on the vectors.
    """
    repository = store.ledger.repository
    taken = follow(repository, url, store.config.number("sync.timeout"))
    # Deleted text stays in the files of a database until somebody erases it there.
    index = store.indexing.rebuild() if taken.removed else store.indexing.fresh()
    if taken.changed:
        settle(repository, erases=taken.removed)
    store.indexing.embed_pending(index, most=most, replace=True, pause=pause)
    return taken


def write_to_remote(store: Recollect, url: str, write: Callable[[], T]) -> T:
    """Write something into a mirror and push it; what the remote refuses is taken back."""
    repository = store.ledger.repository
    rejected = ""
    for _ in range(_ATTEMPTS):
        follow_remote(store, url)
        unsettle(repository)  # if this process is killed, whoever follows next erases the rest
        try:
            before = seen_tips(repository)
            written = write()
            rejected = push_written(store.ledger, url, before, store.config.number("sync.timeout"))
        except BaseException:
            follow_remote(store, url)
            raise
        # Either what the remote has now is what was written, or the mirror forgets it.
        follow_remote(store, url)
        if not rejected:
            return written
        if any(word in rejected.lower() for word in FINAL):
            break
    raise PushRejected(
        f"The remote refused the memory: {rejected}",
        "Nothing was stored. Ask whoever runs the server to let it push to refs/notes/mem/*.",
    )
