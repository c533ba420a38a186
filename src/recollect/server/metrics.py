"""What Prometheus reads at `/metrics`.

`prometheus_client` counts in files that all workers share (`PROMETHEUS_MULTIPROC_DIR`), so that a
scrape of any worker shows all of them; numbers of our own would show one worker at random.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

if TYPE_CHECKING:
    from recollect.server.database import Age

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS: Final = Counter(
    "recollect_requests_total", "Requests, by route and status.", ("route", "status")
)
SECONDS: Final = Histogram(
    "recollect_request_seconds", "How long requests took.", ("route",), buckets=_BUCKETS
)
TOOL_CALLS: Final = Counter("recollect_tool_calls_total", "Calls of tools.", ("tool", "outcome"))
REFRESHES: Final = Counter("recollect_refreshes_total", "Looks at remotes, by result.", ("result",))
REFRESH_SECONDS: Final = Histogram(
    "recollect_refresh_seconds", "How long looks at remotes took.", buckets=_BUCKETS
)


def share_between_workers(data: Path) -> None:
    """Make an empty folder for the counts. Call it before this module is imported by a worker."""
    folder = data / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    os.environ[FOLDER] = str(folder)


def exposition(ages: Sequence[Age], visible: Collection[str]) -> bytes:
    """The numbers of all workers, and the ages of the mirrors, which the database knows.

    Only those of the `visible` repositories are named: names are not for everybody.
    """
    registry: CollectorRegistry = REGISTRY
    if os.environ.get(FOLDER):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    read = [age.read for age in ages if age.read is not None]
    lines = [
        *_gauge("mirrors", "Repositories that are followed.", {"": len(ages)}),
        *_gauge(
            "mirrors_failing",
            "Repositories whose last look failed.",
            {"": sum(bool(age.problem) for age in ages)},
        ),
        *_gauge(
            "mirror_age_seconds_max",
            "Seconds since the remote that waits longest was read.",
            {"": max(read, default=0.0)},
        ),
    ]
    shown = [age for age in ages if age.name in visible]
    if shown:
        lines += _gauge(
            "mirror_age_seconds",
            "Seconds since a remote was read.",
            {age.name: age.read for age in shown if age.read is not None},
        )
        lines += _gauge(
            "mirror_memories", "Memories of a repository.", {a.name: a.memories for a in shown}
        )
    return generate_latest(registry) + ("\n".join(lines) + "\n").encode()


def _gauge(name: str, help_: str, values: Mapping[str, float]) -> list[str]:
    name = f"recollect_{name}"
    return [
        f"# HELP {name} {help_}",
        f"# TYPE {name} gauge",
        *(
            f'{name}{{repository="{one}"}} {value:g}' if one else f"{name} {value:g}"
            for one, value in values.items()
        ),
    ]
