"""The source `transcripts`: past sessions of the agents that ran in this repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from recollect.core.named_tuple import NamedTuple
from recollect.errors import ParseError
from recollect.hosts.agents import session_in
from recollect.hosts.protocol import PROMPT, Host, PastSession
from recollect.hosts.registry import HOSTS, host
from recollect.importing.session_owner import SessionOwner
from recollect.importing.session_replay import SessionReplay
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

NOTHING = "nothing in the session is worth keeping"
COPY = "the session repeats one that was read before"


class _Found(NamedTuple):
    host: Host
    past: PastSession


class Transcripts:
    """Past sessions: wishes, decisions, corrections, failures with cures, one summary each."""

    name = "transcripts"
    about = "past sessions of your agents in this repository: summaries, decisions, fixes"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the sessions of this repository as one place for each agent."""
        places = []
        for package in HOSTS:
            found = list(_sessions(reading, SessionOwner(reading.repository), [package]))
            if found:
                size = sum(one.past.size for one in found)
                about = f"{how_many(len(found), 'session')} of {found[0].host.TITLE}, {_size(size)}"
                places.append(Place(found[0].host.NAME, about))
        return places

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield what the sessions hold; the place is an agent, or a transcript or a folder."""
        owner = SessionOwner(reading.repository)
        found = list(_at(reading, owner, place))
        total = sum(one.past.size for one in found)
        seen: set[int] = set()
        done = 0
        for one in sorted(found, key=lambda one: one.past.modified):
            past = one.past
            stamp = f"{past.size} {past.modified}"
            if not reading.known(str(past.path), stamp):
                yield from _read(reading, owner, one, seen)
                reading.done(str(past.path), stamp)
            done += past.size
            reading.progress(done, total)


def _read(
    reading: Reading, owner: SessionOwner, found: _Found, seen: set[int]
) -> Iterator[Item | Skipped]:
    """Yield what one session holds.

    A client that resumes a session may copy its lines into the new transcript. So a prompt that was
    read before, with its time, counts as a copy, and so does what follows it up to the next prompt.
    """
    past = found.past
    replay = SessionReplay(
        past.session, reading.redact, owner.relative(past.directory), owner.commit_at
    )
    is_copy = has_items = False
    events = 0
    for at, event in found.host.replay(past.path):
        if event.name == PROMPT:
            mark = hash((event.moment, event.text))
            is_copy = bool(event.moment) and mark in seen
            seen.add(mark)
        if not is_copy:
            events += 1
            for item in replay.feed(at, event):
                has_items = True
                yield item
    for item in replay.end():
        has_items = True
        yield item
    if not has_items:
        yield Skipped(past.session, NOTHING if events or not is_copy else COPY)


def _sessions(reading: Reading, owner: SessionOwner, packages: Sequence[str]) -> Iterator[_Found]:
    """Yield the sessions of this repository, without the one that reads: it is not past."""
    running = session_in(reading.environ)
    for package in packages:
        agent = host(package)
        for past in agent.past_sessions(reading.home, reading.environ):
            if past.session != running and owner.owns(past, agent.replay):
                yield _Found(agent, past)


def _at(reading: Reading, owner: SessionOwner, place: Place) -> Iterator[_Found]:
    """Yield the sessions of a place. What somebody names by its path is read, whoever owns it."""
    named = [package for package in HOSTS if place.path == host(package).NAME]
    if named:
        yield from _sessions(reading, owner, named)
        return
    path = Path(place.path).expanduser()
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    found = [one for file in files if (one := _named(file)) is not None]
    if not found:
        raise ParseError(
            f"There is no transcript of a known agent at {path}",
            "Name a .jsonl file that the agent wrote, or a folder with such files.",
        )
    yield from found


def _named(file: Path) -> _Found | None:
    """Return a transcript with the agent that can read it; None if none can."""
    for package in HOSTS:
        agent = host(package)
        first = next(iter(agent.replay(file)), None)
        if first is not None:
            event, status = first.event, file.stat()
            session = event.session or file.stem
            return _Found(
                agent,
                PastSession(file, session, event.directory, status.st_size, status.st_mtime_ns),
            )
    return None


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"


SOURCE = Transcripts()
