"""Recollect's search beside plain baselines and other memories for agents.

python -m benchmarks.peers                         # the tuning half
python -m benchmarks.peers --half held-out         # once per release; choose nothing by it
python -m benchmarks.peers --peers mempalace,mem0 --asked-as --json peers.json

Each project of `benchmarks/questions` is a store of 60 memories. Every system gets the same texts
and the same questions and returns its ten best. A peer runs in an environment of its own, through
its public interface and with its defaults; installing them needs the package registry, and about
2 GB. Where a peer's own model comes from a hub that can't be reached, the table says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks.baselines import CachedEmbedder, EqualRrf, Fts, System, Vectors
from benchmarks.peers.driver import Request
from benchmarks.peers.endpoint import serve
from benchmarks.peers.environments import (
    GRANITE,
    PEERS,
    NotInstalled,
    Peer,
    cache_folder,
    python_of,
)
from benchmarks.peers.questions import Failed, Rankings, Scores, as_corpus, score, table, why
from benchmarks.prompts import HALVES, QUESTIONS, Project, Setting, build, read_projects
from benchmarks.quality import talk, temporary_folder
from recollect.embedding import open_embedder
from recollect.version import __version__

LIMIT = 10
_ROOT = Path(__file__).parents[2]
# The longest that a peer may take for one project.
_PATIENCE = 900


class Cached(CachedEmbedder):
    """Keeps the vectors of questions, too: every peer asks for the same ones."""

    keeps_queries = True


def ours(projects: Sequence[Project], *, weaker: bool) -> Rankings:
    """Recollect with its default configuration; `weaker` gives ten results as the others do."""
    rankings = []
    for project in projects:
        with temporary_folder() as folder:
            store, names = build(folder, Setting(*project), vectors=True)
            with store:
                for prompt in project.prompts:
                    if prompt.gold:
                        hits = store.search(prompt.text, limit=LIMIT, weaker=weaker, counting=False)
                        rankings.append([names[hit.memory.uid] for hit in hits])
    return rankings


def baseline(system: System, projects: Sequence[Project]) -> Rankings:
    """One of the plain systems; the halves of a fusion must have been built."""
    corpus = as_corpus(projects)
    system.build(corpus)
    return [system.search(query, LIMIT) for query in corpus.queries]


def peer_on(peer: Peer, projects: Sequence[Project], endpoint: str, model: str) -> Rankings:
    """Drive a peer in a subprocess for each project."""
    python = python_of(peer)
    rankings: list[list[str]] = []
    for project in projects:
        corpus = as_corpus([project])
        with tempfile.TemporaryDirectory(prefix="recollect-peer-") as scratch:
            store = Path(scratch) / "store"
            store.mkdir()
            request = Request(
                folder=str(store),
                memories={item.id: item.text for item in corpus.items},
                questions=[query.text for query in corpus.queries],
                limit=LIMIT,
                endpoint=endpoint,
                model=model,
                dimensions=384 if endpoint else 0,
            )
            rankings += _answer(python, peer.name, request, Path(scratch))
    return rankings


def _answer(python: Path, adapter: str, request: Request, scratch: Path) -> list[list[str]]:
    asked, answer, home = scratch / "request.json", scratch / "answer.json", scratch / "home"
    asked.write_text(json.dumps(asdict(request)), "utf-8")
    # A home of its own keeps a peer away from the user's; only what it downloads is kept.
    home.mkdir()
    models = cache_folder() / "models"
    models.mkdir(parents=True, exist_ok=True)
    (home / ".cache").symlink_to(models)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "OPENAI_"))}
    log = scratch / "log"
    try:
        with log.open("w") as output:
            subprocess.run(
                [str(python), "-m", "benchmarks.peers.driver", adapter, str(asked), str(answer)],
                cwd=_ROOT,
                env={**environment, "HOME": str(home)},
                stdout=output,
                stderr=output,
                timeout=_PATIENCE,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {_PATIENCE} seconds for 60 memories") from None
    if not answer.exists():
        raise Failed(why(log.read_text("utf-8", errors="replace")))
    rankings: list[list[str]] = json.loads(answer.read_text("utf-8"))
    return rankings


def rows(
    projects: Sequence[Project], peers: Sequence[Peer], embedders: dict[str, Cached]
) -> Iterator[tuple[str, Callable[[], Rankings]]]:
    """The systems by name, each with what measures it."""
    fts, vectors = Fts(), Vectors(embedders[GRANITE])
    yield "plain FTS5 (BM25)", lambda: baseline(fts, projects)
    yield f"{GRANITE} alone", lambda: baseline(vectors, projects)
    yield "equal-weight RRF of both", lambda: baseline(EqualRrf(fts, vectors), projects)
    yield f"Recollect {__version__}", lambda: ours(projects, weaker=True)
    yield "Recollect, only what it shows", lambda: ours(projects, weaker=False)
    with ExitStack() as stack:
        addresses = {name: stack.enter_context(serve(one)) for name, one in embedders.items()}
        for peer in peers:
            for model in peer.models:
                yield (
                    f"{peer.package} {peer.version}, {model or 'its default'}",
                    lambda peer=peer, model=model: peer_on(  # type: ignore[misc]
                        peer, projects, addresses.get(model, ""), model
                    ),
                )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--peers", default="all", help="all, none, or some by comma")
    parser.add_argument(
        "--asked-as", action="store_true", help="give every system the questions in asked_as, too"
    )
    parser.add_argument("--json", type=Path, help="save the results in this file")
    options = parser.parse_args()
    known = {peer.name: peer for peer in PEERS}
    wanted = {"all": list(known), "none": []}.get(options.peers) or [
        name for name in options.peers.split(",") if name != "none"
    ]
    if unknown := set(wanted) - set(known):
        parser.error(f"there is no peer {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    projects = read_projects(QUESTIONS / options.half, asked_as=options.asked_as)
    peers = [known[name] for name in wanted]
    embedders = {}
    for model in dict.fromkeys((GRANITE, *(m for peer in peers for m in peer.models if m))):
        embedder = open_embedder(model, environment=os.environ)
        assert embedder is not None
        embedders[model] = Cached(embedder, cache_folder() / "vectors")
    queries = as_corpus(projects).queries
    for cached in embedders.values():
        cached.embed([query.text for query in queries])
    results: dict[str, Scores | str] = {}
    for name, measure in rows(projects, peers, embedders):
        talk(name)
        try:
            results[name] = score(measure(), queries)
        except (Failed, NotInstalled) as problem:
            results[name] = str(problem)
        print("\n".join(table({name: results[name]})), file=sys.stderr)
        if options.json is not None:
            options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
