"""Commits of the history as answers, beside memories."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from recollect.api.results import Answer, PastCommit
from recollect.capture.sentences import paragraphs
from recollect.core.note import shorten_line
from recollect.importing.collect import nonce_of
from recollect.importing.reasons import gives_reason
from recollect.importing.titles import one_line
from recollect.index.protocol import is_purged
from recollect.search.past_commits import search_commits
from recollect.store.store import Store

_MOST_REASON = 180  # characters


def search_history(
    store: Store, query: str, limit: int, besides: Iterable[Answer] = ()
) -> list[PastCommit]:
    """Return commits for a query, without those that the answers come from."""
    origins = [answer.memory.provenance or {} for answer in besides]
    # What was learned from a document is noted on some commit, too, but does not tell that one.
    told = {str(origin.get("from")) for origin in origins if origin.get("via") == "import:git"}
    # A colleague may have purged what was learned from a commit that this clone has read.
    most = max(0, limit)
    found = search_commits(store, query, 2 * most, told)
    if found:
        index = store.indexing.fresh()
        found = [one for one in found if not is_purged(index, nonce_of("git", one.oid))]
    return [
        PastCommit(
            one.oid, one.subject, one.body, one.author, _date(one.time), one.score,
            _reason_in(one.body),
        )
        for one in found[:most]
    ]  # fmt: skip


def _reason_in(body: str) -> str:
    """Return the first sentence that gives a reason, else the first, in one line."""
    sentences = [sentence for block in paragraphs(body) for sentence in block]
    said = next(filter(gives_reason, sentences), sentences[0] if sentences else "")
    return shorten_line(one_line(said), _MOST_REASON) if said else ""


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
