"""Templates: everything that they print is escaped, unless `markdown` or `charts` made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from recollect.core.age import age, age_of
from recollect.core.names import short
from recollect.version import __version__
from recollect.web import charts
from recollect.web.markdown import safe_html
from recollect.web.words import clock, moment, origin, stamp

HTMX: Final = "htmx-2.0.11.min.js"


def make_environment(*packages: str) -> Environment:
    """Return the templates of some packages, the first one first, and what all of them use."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        markdown=safe_html,
        short=short,
        moment=moment,
        clock=clock,
        stamp=stamp,
        origin=origin,
        quoted=lambda text: quote(str(text), safe=""),
    )
    environment.globals.update(charts=charts, htmx=HTMX, version=__version__)
    return environment


def address(base: str, path: str, query: dict[str, Any]) -> str:
    """Return the address of a page, with what was chosen."""
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return base + path + (f"?{urlencode(given)}" if given else "")


def ages(now: float) -> dict[str, Callable[[Any], str]]:
    """Return how a page of this moment says when something was."""
    return {
        "ago": lambda timestamp: _ago(age(timestamp, now)),
        "since": lambda at: _ago(age_of(max(0.0, now - at))),
    }


def _ago(text: str) -> str:
    return text if text in ("now", "?") else f"{text} ago"
