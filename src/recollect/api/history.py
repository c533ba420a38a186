"""Commits of the history as answers, beside memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from recollect.api.results import MOST_COMMITS, Answer, PastCommit
from recollect.capture.sentences import paragraphs
from recollect.core.note import shorten_line
from recollect.core.status import UNCONFIRMED
from recollect.importing.collect import nonce_of
from recollect.importing.reasons import gives_reason
from recollect.importing.titles import one_line
from recollect.index.protocol import is_purged
from recollect.search.past_commits import SURE_COSINE, search_commits, sureness
from recollect.store.commit_index import FoundCommit
from recollect.store.store import Store

_MOST_REASON = 180  # characters
_UNSAID = 0.85  # what a memory counts that has no word of the query


def search_history(
    store: Store, query: str, limit: int, besides: Iterable[Answer] = ()
) -> list[PastCommit]:
    """Return commits for a query, without those that the answers come from."""
    most = max(0, limit)
    told = {oid for answer in besides if (oid := _commit_of(answer))}
    return [_past(one) for one in _found(store, query, 2 * most, told)[:most]]


def answers_in_order(
    store: Store, query: str, answers: Sequence[Answer], limit: int
) -> list[Answer | PastCommit]:
    """Return all answers, and commits until there are `limit` of both, the best first.

    What somebody confirmed or wrote comes first, as the answers have it. A memory of a commit that
    nobody confirmed is worth as much as that commit, so it stands where the commit would, and after
    all commits if the commit is not found itself; one of a document stands by its cosine, which
    counts less without words of the query.
    """
    own = [one for one in answers if not _is_guess(one)]
    guesses = [one for one in answers if _is_guess(one)]
    room = min(MOST_COMMITS, limit - len(answers))
    if room <= 0:
        return list(answers)
    found = _found(store, query, 2 * MOST_COMMITS + len(guesses), ())
    by_commit = {oid: one for one in guesses if (oid := _commit_of(one))}
    placed = {one.oid for one in found} & by_commit.keys()
    apart = [one for one in guesses if not _commit_of(one)]
    last = [one for one in guesses if (oid := _commit_of(one)) and oid not in placed]
    ordered: list[Answer | PastCommit] = []
    for one in found:
        while apart and _sureness_of(apart[0]) >= sureness(one):
            ordered.append(apart.pop(0))
        if one.oid in by_commit:
            ordered.append(by_commit[one.oid])
        elif room:
            room -= 1
            ordered.append(_past(one))
    return [*own, *ordered, *apart, *last]


def _sureness_of(answer: Answer) -> float:
    """Return how well a memory of a document answers by itself, as `sureness` of a commit."""
    is_said = answer.why.keyword > 0
    return answer.why.vector / SURE_COSINE * (1.0 if is_said else _UNSAID)


def _is_guess(answer: Answer) -> bool:
    """Whether an import made a memory of it, and nobody has confirmed it."""
    via = str((answer.memory.provenance or {}).get("via", ""))
    return answer.memory.status == UNCONFIRMED and via.startswith("import:") and not answer.mine


def _commit_of(answer: Answer) -> str:
    """Return the commit that a memory tells; empty if it tells none.

    What was learned from a document is noted on some commit, too, but does not tell that one.
    """
    origin = answer.memory.provenance or {}
    return str(origin.get("from")) if origin.get("via") == "import:git" else ""


def _found(store: Store, query: str, most: int, told: Iterable[str]) -> list[FoundCommit]:
    found = search_commits(store, query, most, set(told))
    if not found:
        return []
    # A colleague may have purged what was learned from a commit that this clone has read.
    index = store.indexing.fresh()
    return [one for one in found if not is_purged(index, nonce_of("git", one.oid))]


def _past(one: FoundCommit) -> PastCommit:
    return PastCommit(
        one.oid, one.subject, one.body, one.author, _date(one.time), one.score,
        shorten_line(one.undone, _MOST_REASON) if one.undone else _reason_in(one.body),
    )  # fmt: skip


def _reason_in(body: str) -> str:
    """Return the first sentence that gives a reason, else the first, in one line."""
    sentences = [sentence for block in paragraphs(body) for sentence in block]
    said = next(filter(gives_reason, sentences), sentences[0] if sentences else "")
    return shorten_line(one_line(said), _MOST_REASON) if said else ""


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
