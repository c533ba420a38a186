"""How long the pages of `recollect ui` keep somebody waiting, and how heavy they are.

python -m benchmarks.ui                 # 1,000 and 50,000 memories
python -m benchmarks.ui --in FOLDER     # keeps the repositories in a folder, and uses them again

A page is asked for over HTTP, as a browser does, from a server in this process. Times are medians.
The processor time includes the client, which adds about a millisecond, and git. Search is by words,
as it is while the model is loading.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import recollect
from benchmarks.corpus import build_repository, file_names, some_words
from recollect.state.sessions import Trace
from recollect.web.access import Access
from recollect.web.environment import HTMX
from recollect.web.guard import LIVE, Guard
from recollect.web.serving import PageServer, listen

_FILES = 2000
_FACTS = 60
_EVENTS = 500
_PAST = "search in the past"
_PART = {"HX-Request": "true"}
# What a page loads once, and the browser then keeps.
_ASSETS = (HTMX, "ui.js", "ui.css", "icon.svg")


class Spent(NamedTuple):
    """Milliseconds by the clock and of the processor, and the size of the answer in bytes."""

    clock: float
    processor: float
    size: int


def build(repo: Path, memories: int) -> None:
    """A repository with memories that name files, facts about them, and the events of a session."""
    build_repository(repo, memories, files=_FILES)
    names = file_names(_FILES)
    rng = random.Random(3)
    with recollect.open(repo) as store:
        store.refresh()
        for number in range(_FACTS):
            store.store_fact(names[number % 7], "depends_on", names[10 + number])
        newest = store.newest(100)
        store.local.make_folder()
        for number in range(_EVENTS):
            given = rng.sample(newest, 3)
            step = {
                "what": "injected",
                "tokens": 180,
                "memories": [{"uid": m.uid, "reason": "match", "score": 0.7} for m in given],
            }
            at = store.now() - 600 * (_EVENTS - number)
            store.local.sessions.trace(Trace(at, f"session-{number // 20}", "prompt", 40.0, [step]))


class Client:
    """A browser without a screen."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        address = urlsplit(guard.address)
        answer = self._send(f"{address.path}?{address.query}", {})
        self._cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def _send(self, path: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self._guard.host, timeout=600)
        connection.request("GET", path, headers=dict(headers))
        return connection.getresponse()

    def get(self, path: str, headers: Mapping[str, str]) -> Spent:
        """Ask for a page."""
        before, start = _processor(), time.perf_counter()
        answer = self._send(self._guard.base + path, {"Cookie": self._cookie, **headers})
        size = len(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{path} answers {answer.status}.")
        return Spent((time.perf_counter() - start) * 1000, (_processor() - before) * 1000, size)


def _processor() -> float:
    used = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def serving(repo: Path) -> Iterator[Client]:
    """The pages of a repository."""
    guard, access = Guard(), Access(repo, os.environ)
    listening = listen(guard)
    server = PageServer(access, guard)
    thread = threading.Thread(target=server.serve_on, args=(listening,), daemon=True)
    thread.start()
    try:
        yield Client(guard)
    finally:
        server.should_exit = True
        thread.join()


def pages(repo: Path, rng: random.Random) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Every page by name: its path, and headers if only a part of a page is asked for."""
    names = file_names(_FILES)
    words = some_words(rng, 3)
    with recollect.open(repo) as store:
        uid = rng.choice(store.newest(50)).uid
    found: dict[str, tuple[str, Mapping[str, str]]] = {
        "Now": ("/", {}),
        "Search": ("/search", {}),
        "search, a key pressed": (f"/search?{urlencode({'q': words})}", _PART),
        _PAST: (f"/search?{urlencode({'q': words, 'as_of': '7d'})}", _PART),
        "a memory": (f"/memory/{uid}", {}),
        "Review": ("/review", {}),
        "Sessions": ("/sessions", {}),
        "a session": ("/sessions/session-3", {}),
        "Files": ("/files", {}),
        "a folder": ("/files?path=src/part00", {}),
        "a file, often named": (f"/files?path={names[0]}", {}),
        "a file, seldom named": (f"/files?path={names[-1]}", {}),
        "Facts": ("/facts", {}),
        "a thing": (f"/facts?thing={names[0]}", {}),
        "Sleep and sync": ("/upkeep", {}),
        "Settings": ("/settings", {}),
    }
    return {
        name: (path, {LIVE: "1", **headers} if headers else {})
        for name, (path, headers) in found.items()
    }


def measure(repo: Path, rounds: int) -> tuple[dict[str, list[Spent]], int]:
    """Every page in turn, as often as there are rounds; and the bytes of what all pages load."""
    rng = random.Random(5)
    taken: dict[str, list[Spent]] = {}
    with serving(repo) as client:
        for number in range(rounds + 1):
            for name, (path, headers) in pages(repo, rng).items():
                spent = client.get(path, headers)
                if number:  # the first round opens the stores
                    taken.setdefault(name, []).append(spent)
                elif name == _PAST:  # and makes the index of the past, which is then kept
                    taken[f"{name}, at first"] = [spent]
        assets = sum(client.get(f"/static/{name}", {}).size for name in _ASSETS)
    return taken, assets


def main() -> None:
    """Print every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,50000")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--in", dest="folder", default="")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        os.environ["RECOLLECT_DATA_DIR"] = str(folder / "data")
        os.environ["RECOLLECT_CONFIG_DIR"] = str(folder / "config")
        found = []
        for size in sizes:
            repo = folder / f"repo-{size}"
            if not repo.exists():
                build(repo, size)
            found.append(measure(repo, options.rounds))
        _print(sizes, [taken for taken, _ in found], found[0][1])


def _print(
    sizes: Sequence[int], tables: Sequence[Mapping[str, Sequence[Spent]]], assets: int
) -> None:
    print(f"{assets / 1000:.0f} KB of script, style and icon, which the browser keeps, and:")
    heads = "".join(f"{f'{size:,}':>11} {'cpu':>10} {'KB':>7}" for size in sizes)
    print(f"{'':<28}{heads}   ratio")
    for name in tables[0]:
        rows = [_medians(table[name]) for table in tables]
        cells = "".join(
            f"{one.clock:>8.1f} ms {one.processor:>7.1f} ms {one.size / 1000:>7.1f}" for one in rows
        )
        print(f"{name:<28}{cells}{rows[-1].processor / max(rows[0].processor, 0.1):>8.2f}")


def _medians(values: Sequence[Spent]) -> Spent:
    return Spent(*(statistics.median(column) for column in zip(*values, strict=True)))


if __name__ == "__main__":
    main()
