"""The source `git`: what the history knows and the code does not say.

It reads every message once, newest first, and keeps only the commits with the most to tell. Their
files and texts are read in a second step.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.errors import ParseError
from recollect.importing.commit_bar import is_firm, is_firm_title, still_stands
from recollect.importing.commit_history import Past, month_of
from recollect.importing.commit_message import (
    Message,
    body_of,
    first_of,
    parse_message,
)
from recollect.importing.commit_ranking import rank, reason_in
from recollect.importing.commit_remains import LEAST_LEFT, Remains
from recollect.importing.commit_survival import Survival, survival_of
from recollect.importing.commit_titles import title_of
from recollect.importing.commit_worth import features, is_aside, is_passing, worth_of
from recollect.importing.related_commits import Topic, relate, topic_of
from recollect.importing.source import RELATED, Item, Place, Reading, Skipped, how_many
from recollect.importing.titles import one_line
from recollect.ledger.commits import (
    Change,
    Commit,
    blobs_at,
    changes_of_commits,
    count_commits,
    read_commits,
)
from recollect.ledger.git import Git

# Commits whose text is read, whose files are, too, and how many of them are offered.
MOST_READ: Final = 6_000
MOST_RATED: Final = 4_000
MOST_OFFERED: Final = 300
MOST_FILES: Final = 8
_YEAR = 365 * 86_400  # seconds
_FILES_SEEN = 30  # of a commit, to judge it
# Commits between two calls of `progress`.
_STEP = 500
# The history in equal parts: a time with short messages has its place too.
_PARTS = 24
# What the others of its time and area take from the worth of a commit, once they have their share.
_LATER, _AGAIN = 0.5, 0.05
_FULL = 3.0  # the worth of the best commits
# The worth below which a commit makes no memory, once there are so many; and the points with which
# it is looked at.
_LEAST = ((80, 1.6), (25, 1.4), (0, 1.0))
_LEAST_RELATED = 1.5
# The commits whose lines are looked for today, for each that is offered; and what one loses with
# all of its lines.
_SOUGHT = 2
_GONE_COSTS = 0.5
# What is older makes no memory, unless it is among the newest commits: two blind judges found half
# of it outdated. Search has it.
_MOST_YEARS, _NEWEST = 5, 1_000


class _Candidate(NamedTuple):
    points: float  # then what it is worth
    number: int  # in the history, newest first
    commit: Commit
    kind: str


class GitHistory:
    """Reads the history of the checked-out branch."""

    name = "git"
    about = "decisions, reverts, breaking changes and causes of bugs in commit messages"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the repository, if it has commits."""
        count = count_commits(_git(reading))
        return [Place("HEAD", how_many(count, "commit"))] if count else []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the commits that tell most."""
        git = _git(reading)
        total = count_commits(git, place.path)
        if not total:
            raise ParseError(f"There is no commit {place.path!r}.")
        best: list[_Candidate] = []
        past = Past()
        seen: set[str] = set()
        for number, commit in enumerate(read_commits(git, place.path)):
            if number % _STEP == 0:
                reading.progress(number, total)
            message = parse_message(commit.message)
            past.add(commit, message)
            ranked = rank(message, commit.author)
            subject = f"{message.area}: {message.subject}".casefold()
            if ranked.is_chore:
                yield Skipped(commit.oid, "a chore: nothing was decided or learned")
            elif ranked.points < _LEAST_RELATED:
                yield Skipped(commit.oid, "no reason given")
            elif subject in seen:
                yield Skipped(commit.oid, "the same subject as a newer commit")
            elif not (title := title_of(message)) or title.endswith("…"):
                yield Skipped(commit.oid, "no sentence that stands alone")
            else:
                seen.add(subject)
                candidate = _Candidate(ranked.points, -number, commit, ranked.kind)
                if len(best) < MOST_READ:
                    heapq.heappush(best, candidate)
                else:
                    left = heapq.heappushpop(best, candidate)
                    yield Skipped(left.commit.oid, "others tell more")
        reading.progress(total, total)
        yield from self._offered(git, reading, best, past, total)

    def _offered(
        self, git: Git, reading: Reading, best: list[_Candidate], past: Past, total: int
    ) -> Iterator[Item | Skipped]:
        rated = [c._replace(points=c.points + past.worth(c.commit)) for c in best]
        over = {c.commit.oid for c in rated if past.is_over(c.commit)}
        holding = [c for c in rated if c.commit.oid not in over and past.explains(c.commit)]
        weak_of = {c.commit.oid: fault for c in holding if (fault := _fault_of(c.commit))}
        holding = [c for c in holding if c.commit.oid not in weak_of]
        explained = sorted(holding, reverse=True)[:MOST_RATED]
        newest = max((c.commit.time for c in explained), default=0)
        old = {c.commit.oid for c in rated if _is_old(c, newest)}
        fresh = [c for c in explained if c.commit.oid not in old]
        changes = changes_of_commits(git, [c.commit.oid for c in fresh], _FILES_SEEN)
        blobs = dict(blobs_at(git))
        remains = Remains(blobs)
        judged = [_judged(c, newest, changes.get(c.commit.oid, []), remains) for c in fresh]
        ordered = sorted(judged, reverse=True)
        wanted = _telling(ordered)
        sought = wanted[: _SOUGHT * MOST_OFFERED]
        survived = survival_of(git, [c.commit.oid for c in sought], blobs)
        gone = {oid for oid, survival in survived.items() if survival.is_gone}
        large = {oid for oid, s in survived.items() if not still_stands(s)} - gone
        left = [_weighed(c, survived) for c in sought if c.commit.oid not in gone | large]
        chosen = _spread(_telling(sorted(left, reverse=True)), MOST_OFFERED, total)
        taken = {candidate.commit.oid for candidate in chosen}
        rest = [candidate for candidate in rated if candidate.commit.oid not in taken]
        related = relate(_topics(chosen), _topics(rest))
        told = {oid for oids in related.values() for oid in oids}
        enough = {candidate.commit.oid for candidate in wanted}
        for candidate in rest:
            weak = "others tell more" if candidate.commit.oid in enough else "no reason given"
            weak = weak_of.get(candidate.commit.oid, weak)
            weak = "no longer in the code" if candidate.commit.oid in gone else weak
            weak = "a large change, or partly rewritten" if candidate.commit.oid in large else weak
            weak = (
                "more than five years old, so search only" if candidate.commit.oid in old else weak
            )
            weak = "a later commit took it back" if candidate.commit.oid in over else weak
            reason = "told with a related commit" if candidate.commit.oid in told else weak
            yield Skipped(candidate.commit.oid, reason)
        by_oid = {candidate.commit.oid: candidate.commit for candidate in rest}
        for candidate in chosen:
            oid = candidate.commit.oid
            also = [by_oid[other] for other in related.get(oid, ())]
            files = [change.path for change in changes.get(oid, [])]
            yield _item(candidate, files, also, past, reading)


def _fault_of(commit: Commit) -> str:
    """Return why a commit makes no memory by itself; empty if it may make one."""
    message = parse_message(commit.message)
    if not is_firm_title(title_of(message), message):
        return "a title that says too little, or what is gone"
    return "" if is_firm(message) else "several things, or nothing settled"


def _is_old(candidate: _Candidate, newest: int) -> bool:
    """Return whether a commit is too old to be true of the code of today without being read."""
    return -candidate.number >= _NEWEST and newest - candidate.commit.time > _MOST_YEARS * _YEAR


def _judged(
    candidate: _Candidate, newest: int, changes: Sequence[Change], remains: Remains
) -> _Candidate:
    """Return a commit with its worth instead of its points; nothing if its files are gone."""
    message = parse_message(candidate.commit.message)
    files = [change.path for change in changes]
    is_weak = is_passing(message) and not message.reverts
    if is_weak or is_aside(message, files) or remains.left_of(changes) < LEAST_LEFT:
        return candidate._replace(points=0.0)
    years = (newest - candidate.commit.time) / _YEAR
    return candidate._replace(
        points=worth_of(features(message, candidate.points, years, files, remains.files))
    )


def _weighed(candidate: _Candidate, survived: Mapping[str, Survival]) -> _Candidate:
    """Return a commit that counts less, the less of its code is left."""
    found = survived.get(candidate.commit.oid, Survival())
    return candidate._replace(points=candidate.points - _GONE_COSTS * (1 - found.share))


def _telling(ordered: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the commits that are worth enough, of those that are ordered by it."""
    return [c for n, c in enumerate(ordered) if c.points >= _least(n)]


def _least(number: int) -> float:
    """Return the worth that a commit needs after so many better ones."""
    return next(least for enough, least in _LEAST if number >= enough)


def _spread(rated: list[_Candidate], most: int, total: int) -> list[_Candidate]:
    """Return the best commits; each further one of a time or an area counts a little less."""
    parts: Counter[int] = Counter()
    areas: Counter[str] = Counter()
    share = max(1.0, most / _PARTS)

    def worth(candidate: _Candidate) -> float:
        part, area = _part(candidate, total), _area(candidate)
        again = _AGAIN * math.log2(1 + areas[area]) if area else 0.0  # "" is no area
        return candidate.points - _LATER * parts[part] / share - again

    queue = [(-c.points, n) for n, c in enumerate(rated)]
    heapq.heapify(queue)
    chosen: list[_Candidate] = []
    while queue and len(chosen) < most:
        claimed, n = heapq.heappop(queue)
        now = worth(rated[n])
        if now < -claimed - 1e-9:  # others were chosen since; try again at its present worth
            heapq.heappush(queue, (-now, n))
            continue
        parts[_part(rated[n], total)] += 1
        areas[_area(rated[n])] += 1
        chosen.append(rated[n])
    return chosen


def _part(candidate: _Candidate, total: int) -> int:
    return -candidate.number * _PARTS // max(1, total)


def _area(candidate: _Candidate) -> str:
    return parse_message(candidate.commit.message).area.casefold()


def _topics(candidates: Sequence[_Candidate]) -> list[Topic]:
    """Return what commits are about, the best first."""
    ordered = sorted(candidates, key=lambda c: -c.points)
    return [topic_of(c.commit, parse_message(c.commit.message)) for c in ordered]


def _item(
    candidate: _Candidate, files: list[str], also: Sequence[Commit], past: Past, reading: Reading
) -> Item:
    commit = candidate.commit
    # Redact before anything is cut: rules do not find half a secret.
    message = parse_message(reading.redact(commit.message))
    title = title_of(message) or title_of(parse_message(commit.message))
    return Item(
        identity=commit.oid,
        kind=candidate.kind,
        summary=reading.redact(title),
        body=_text(title, message, commit, also, past, reading),
        created=datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        commit=commit.oid,
        score=min(1.0, candidate.points / _FULL),
        fields={"files_modified": files[:MOST_FILES], "tags": _tags(message)},
    )


def _text(
    title: str,
    message: Message,
    commit: Commit,
    also: Sequence[Commit],
    past: Past,
    reading: Reading,
) -> str:
    parts = [body_of(message)]
    if message.breaking and message.breaking not in one_line(parts[0]):
        parts.append(f"Breaking change: {message.breaking}")
    tried = past.tried_by(message)
    if tried is not None:
        was = parse_message(reading.redact(tried.message))
        said = f"It took back commit {tried.oid[:12]} of {month_of(tried)}: {was.subject}."
        parts.append(" ".join(filter(None, (said, first_of(was)))))
    elif message.reverts and message.reverted:
        parts.append(f"It reverts commit {message.reverted[:12]}.")
    origin = f"From commit {commit.oid[:12]}"
    whole = message.reverts or message.subject  # a title may be shorter
    parts.append(origin if whole.lower() in title.lower() else f"{origin}: {whole}")
    lines = [_line(other, reading) for other in also]
    if lines:
        parts.append(f"{RELATED}\n" + "\n".join(lines))
    return "\n\n".join(filter(None, parts))


def _line(commit: Commit, reading: Reading) -> str:
    """Return a related commit in one line: what was done, and why."""
    message = parse_message(reading.redact(commit.message))
    why = reason_in(message)
    said = f"- {month_of(commit)}, {commit.oid[:12]}: {title_of(message) or message.subject}"
    return f"{said}. {why}" if why else said


def _tags(message: Message) -> list[str]:
    found = ["revert"] if message.reverts else []
    return [*found, "breaking"] if message.is_breaking else found


def _git(reading: Reading) -> Git:
    return Git(reading.repository, environment=reading.environ)


SOURCE = GitHistory()
