"""The source `git`: what the history knows and the code does not say.

It reads every message once, newest first, and keeps only the commits with the most to tell. Their
files and texts are read in a second step.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.commit_message import (
    Message,
    body_of,
    cause_of,
    first_of,
    parse_message,
    title_of,
)
from recollect.importing.commit_ranking import argues, explains, rank, reason_in
from recollect.importing.related_commits import COMMIT_ID, ISSUE, Topic, relate, topic_of
from recollect.importing.source import RELATED, Item, Place, Reading, Skipped, how_many
from recollect.importing.titles import is_sentence, one_line
from recollect.ledger.commits import Commit, count_commits, files_of_commits, read_commits
from recollect.ledger.git import Git

# Commits whose text and files are read, and how many of them are offered.
MOST_READ: Final = 6_000
MOST_OFFERED: Final = 550
MOST_FILES: Final = 8
# Commits between two calls of `progress`.
_STEP = 500
# Commits that change only such files tell little about the program.
_ASIDE_FILE = pattern(
    r"(?:tests?|testing|t|docs?|examples?|bench(?:es|marks?)?)/|[^\n]*/(?:tests|docs)/"
    r"|[^\n]*\.(?:md|rst|txt|po)\Z|(?:[^\n]*/)?(?:test_[^/\n]+|[^/\n]+_tests?\.\w{1,5})\Z"
)
# Commits that change only these or the above must say why.
_BUILD_FILE = pattern(
    r"ci/|\.|[^\n]*\.(?:ya?ml|toml|cfg|ini|lock|json|in|am|ac|m4|cmake|mod|sum)\Z"
    r"|(?:[^\n]*/)?(?:Makefile[^/\n]*|[A-Z_]{4,20})\Z"
)
_SPARE = 1.3  # so many times as many commits are looked at
_ID_LENGTH = 7
_MOST_SEARCHED = 4_000  # characters of a message in which others are looked for
# What it adds that later commits name a commit, or its pull request: for each, and at most so many.
_NAMED, _NUMBERED, _MOST_NAMED = 0.6, 0.3, 3
# The history in equal parts: a time with short messages has its place too.
_PARTS = 24
# What the others of its time and area take from a commit, once they have their share.
_LATER, _AGAIN = 2.0, 0.15
_FULL = 9.0  # points of the best commits
# Points below which a commit says too little for a memory of its own, if so many others say more;
# and for anything.
_LEAST, _ENOUGH = 3.2, 100
_LEAST_RELATED = 1.5
_SHORTEST = 50  # characters of a text, without what was left out of it
_LOOSE = 2.0  # points that a commit loses if its title is no sentence


class _Candidate(NamedTuple):
    points: float
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
        past = _Past()
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
                is_loose = not (message.reverts or is_sentence(title))
                points = ranked.points - (_LOOSE if is_loose else 0.0)
                candidate = _Candidate(points, -number, commit, ranked.kind)
                if len(best) < MOST_READ:
                    heapq.heappush(best, candidate)
                else:
                    left = heapq.heappushpop(best, candidate)
                    yield Skipped(left.commit.oid, "others tell more")
        reading.progress(total, total)
        yield from self._offered(git, reading, best, past, total)

    def _offered(
        self, git: Git, reading: Reading, best: list[_Candidate], past: _Past, total: int
    ) -> Iterator[Item | Skipped]:
        rated = [c._replace(points=c.points + past.worth(c.commit)) for c in best]
        explained = [c for c in rated if past.explains(c.commit)]
        telling = [c for c in explained if c.points >= _LEAST]
        if len(telling) < _ENOUGH:  # there is room: an explanation is enough
            telling = [c for c in explained if c.points >= _LEAST_RELATED]
        chosen = _spread(telling, int(MOST_OFFERED * _SPARE), total)
        files = files_of_commits(git, [c.commit.oid for c in chosen], MOST_FILES + 1)
        chosen = [c for c in chosen if not _is_aside(c, files.get(c.commit.oid, ()))][:MOST_OFFERED]
        taken = {candidate.commit.oid for candidate in chosen}
        rest = [candidate for candidate in rated if candidate.commit.oid not in taken]
        related = relate(_topics(chosen), _topics(rest))
        told = {oid for oids in related.values() for oid in oids}
        enough = {candidate.commit.oid for candidate in telling}
        for candidate in rest:
            weak = "others tell more" if candidate.commit.oid in enough else "no reason given"
            reason = "told with a related commit" if candidate.commit.oid in told else weak
            yield Skipped(candidate.commit.oid, reason)
        by_oid = {candidate.commit.oid: candidate.commit for candidate in rest}
        for candidate in chosen:
            oid = candidate.commit.oid
            also = [by_oid[other] for other in related.get(oid, ())]
            yield _item(candidate, files.get(oid, []), also, past, reading)


class _Past:
    """What commits say about each other: what was named later, and what was taken back."""

    def __init__(self) -> None:
        self._named: Counter[str] = Counter()
        self._numbered: Counter[str] = Counter()
        self._undone: dict[str, tuple[Commit, str]] = {}  # by the id of what was taken back
        self._tried: dict[str, Commit] = {}

    def add(self, commit: Commit, message: Message) -> None:
        """Note what a commit names; the newest comes first."""
        text = commit.message[:_MOST_SEARCHED]
        own = set(ISSUE.findall(text.partition("\n")[0]))
        self._named.update({oid[:_ID_LENGTH] for oid in COMMIT_ID.findall(text)})
        self._numbered.update(set(ISSUE.findall(text)) - own)
        name = commit.oid[:_ID_LENGTH]
        if name in self._undone:
            self._tried[name] = commit
        # A revert that was taken back itself does not count.
        if message.reverted and name not in self._undone:
            self._undone[message.reverted[:_ID_LENGTH]] = (commit, cause_of(message))

    def worth(self, commit: Commit) -> float:
        """Return the points that a commit gets because later ones name it."""
        own = ISSUE.findall(commit.message.partition("\n")[0])
        named = self._named[commit.oid[:_ID_LENGTH]]
        numbered = max((self._numbered[number] for number in own), default=0)
        return _NAMED * min(named, _MOST_NAMED) + _NUMBERED * min(numbered, _MOST_NAMED)

    def explains(self, commit: Commit) -> bool:
        """Whether a commit says why; a revert without a cause must at least be the last word."""
        message = parse_message(commit.message)
        is_settled = commit.oid[:_ID_LENGTH] not in self._undone or bool(cause_of(message))
        is_told = message.reverts or len(body_of(message)) >= _SHORTEST
        return bool(explains(message) and is_told and (is_settled or not message.reverts))

    def end_of(self, commit: Commit) -> str:
        """Return who took a commit back, when, and why; empty if nobody did."""
        found = self._undone.get(commit.oid[:_ID_LENGTH])
        if found is None:
            return ""
        by, cause = found
        said = f"Commit {by.oid[:12]} reverted this in {_month(by)}"
        return f"{said}: {cause}" if cause else f"{said}."

    def tried_by(self, message: Message) -> Commit | None:
        """Return the commit that a revert takes back, if it is in this history."""
        return self._tried.get(message.reverted[:_ID_LENGTH]) if message.reverted else None


def _month(commit: Commit) -> str:
    return datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m")


def _is_aside(candidate: _Candidate, files: Sequence[str]) -> bool:
    """Whether a commit changes only tests and documents, or the build without saying why."""
    if not 0 < len(files) <= MOST_FILES:  # there are more, which were not read
        return False
    if all(_ASIDE_FILE.match(file) for file in files):
        return True
    if not all(_ASIDE_FILE.match(file) or _BUILD_FILE.match(file) for file in files):
        return False
    return not argues(parse_message(candidate.commit.message))


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
    candidate: _Candidate, files: list[str], also: Sequence[Commit], past: _Past, reading: Reading
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
    past: _Past,
    reading: Reading,
) -> str:
    parts = [reading.redact(past.end_of(commit)), body_of(message)]
    if message.breaking and message.breaking not in one_line(parts[1]):
        parts.append(f"Breaking change: {message.breaking}")
    tried = past.tried_by(message)
    if tried is not None:
        was = parse_message(reading.redact(tried.message))
        said = f"It took back commit {tried.oid[:12]} of {_month(tried)}: {was.subject}."
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
    said = f"- {_month(commit)}, {commit.oid[:12]}: {title_of(message) or message.subject}"
    return f"{said}. {why}" if why else said


def _tags(message: Message) -> list[str]:
    found = ["revert"] if message.reverts else []
    return [*found, "breaking"] if message.is_breaking else found


def _git(reading: Reading) -> Git:
    return Git(reading.repository, environment=reading.environ)


SOURCE = GitHistory()
