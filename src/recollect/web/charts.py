"""Small charts as SVG, made here: attributes only, because pages allow no inline styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup, escape

from recollect.api.activity import DaySpent
from recollect.core.named_tuple import NamedTuple

_BAR, _GAP, _HEIGHT = 10, 4, 22
_WIDE, _TALL = 320, 90
_DAYS, _DAY_WIDTH, _DAYS_TALL = 14, 20, 64
# A graph: the height of a row, the width of a curve and of a letter, and the letters of a name.
_ROW, _CURVE, _LETTER, _LONGEST = 40, 64, 7, 44


def _svg(label: str, width: float, height: float, inner: str, kind: str) -> Markup:
    return Markup(  # noqa: S704 - numbers and escaped words
        f'<svg class="chart {kind}" role="img" aria-label="{escape(label)}" width="{width:g}"'
        f' height="{height:g}" viewBox="0 0 {width:g} {height:g}">{inner}</svg>'
    )


def score_bars(score: float, parts: Mapping[str, float]) -> Markup:
    """Draw a score and its parts as small upright bars; the label says the numbers."""
    values = {"score": score, **parts}
    bars = []
    for number, (name, value) in enumerate(values.items()):
        tall = max(1.0, min(1.0, value) * _HEIGHT)
        bars.append(
            f'<rect class="{"whole" if not number else "part"}" x="{number * (_BAR + _GAP)}"'
            f' y="{_HEIGHT - tall:.1f}" width="{_BAR}" height="{tall:.1f}">'
            f"<title>{escape(name)} {value:.2f}</title></rect>"
        )
    label = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
    return _svg(label, len(values) * (_BAR + _GAP) - _GAP, _HEIGHT, "".join(bars), "bars")


def strength_line(
    course: Sequence[tuple[float, float]], now: float, used: Sequence[float]
) -> Markup:
    """Draw the strength of a memory over time; dots are uses, the upright line is now."""
    first, last = course[0][0], course[-1][0]
    span = (last - first) or 1.0

    def x(at: float) -> float:
        return 4 + (_WIDE - 8) * (at - first) / span

    def y(value: float) -> float:
        return 4 + (_TALL - 8) * (1 - value)

    line = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in course)
    dots = "".join(
        f'<circle class="use" cx="{x(at):.1f}" cy="{_TALL - 5}" r="2.5"/>'
        for at in used
        if first <= at <= last
    )
    today = f'<line class="now" x1="{x(now):.1f}" x2="{x(now):.1f}" y1="0" y2="{_TALL}"/>'
    value = min(course, key=lambda point: abs(point[0] - now))[1]
    label = f"Strength over time: {value:.2f} now, used {len(used)} times"
    inner = f'{today}<polyline class="line" points="{line}"/>{dots}'
    return _svg(label, _WIDE, _TALL, inner, "strength")


def tokens_per_day(spent: Sequence[DaySpent], now: float) -> Markup:
    """Draw the tokens of the last days; the dark part is the share of memories that were used."""
    days = last_days(spent, now)
    most = max(day.tokens for day in days) or 1
    bars = []
    for number, day in enumerate(days):
        tall = max(day.tokens / most * (_DAYS_TALL - 2), 1)
        used = tall * day.used / day.given if day.given else 0.0
        x, wide = number * _DAY_WIDTH, _DAY_WIDTH - 4
        bars.append(
            f"<g><title>{day.day}: {day.tokens:,} tokens, {day.used} of {day.given} memories"
            f' used</title><rect class="part" x="{x}" y="{_DAYS_TALL - tall:.1f}" width="{wide}"'
            f' height="{tall:.1f}"/><rect class="whole" x="{x}" y="{_DAYS_TALL - used:.1f}"'
            f' width="{wide}" height="{used:.1f}"/></g>'
        )
    total = sum(day.tokens for day in days)
    label = f"{total:,} tokens in {_DAYS} days, {days[-1].tokens:,} today"
    return _svg(label, _DAYS * _DAY_WIDTH - 4, _DAYS_TALL, "".join(bars), "days")


def last_days(spent: Sequence[DaySpent], now: float) -> list[DaySpent]:
    """Return the last two weeks, also the days on which nothing happened."""
    known = {day.day: day for day in spent}
    days = (
        f"{datetime.fromtimestamp(now - 86_400 * back).astimezone():%Y-%m-%d}"
        for back in reversed(range(_DAYS))
    )
    return [known.get(day, DaySpent(day)) for day in days]


class Branch(NamedTuple):
    """A line of a graph: its name, the thing at its end with its address, and the lines from there.

    What is no longer true is drawn with a broken line.
    """

    name: str
    what: str
    address: str
    twigs: Sequence[Branch] = ()
    is_past: bool = False


def graph(centre: str, branches: Sequence[Branch]) -> Markup:
    """Draw a thing, what it is related to, and what that is related to, from left to right."""
    second = _width(branches)
    third = _width([twig for branch in branches for twig in branch.twigs])
    first = _LETTER * len(_cut(centre, _LONGEST))
    starts = (0, first + _CURVE, first + second + 2 * _CURVE)
    tall = max(1, sum(max(1, len(branch.twigs)) for branch in branches)) * _ROW
    middle = tall / 2
    inner = [_node(centre, "", 0, middle + 4, "node centre")]
    at = 0
    for branch in branches:
        span = max(1, len(branch.twigs)) * _ROW
        y = at + span / 2
        inner.append(_line(branch, first, middle, starts[1], y))
        for number, twig in enumerate(branch.twigs):
            ends = starts[1] + _width([branch])
            inner.append(_line(twig, ends, y, starts[2], at + _ROW * number + _ROW / 2))
        at += span
    label = f"{centre}: " + "; ".join(f"{one.name} {one.what}" for one in branches)
    wide = starts[2] + third if third else starts[1] + second
    return Markup(  # noqa: S704 - numbers and escaped words
        f'<svg class="chart graph" role="group" aria-label="{escape(label[:300])}"'
        f' width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}">{"".join(inner)}</svg>'
    )


def _width(branches: Sequence[Branch]) -> int:
    """Return how wide the names of some lines, or what they lead to, are at most."""
    texts = (_cut(text, _LONGEST) for one in branches for text in (one.name, one.what))
    return _LETTER * max(map(len, texts), default=0)


def _line(branch: Branch, left: int, start: float, right: int, end: float) -> str:
    """Draw a curve from the thing in one column to the thing in the next, and that thing."""
    x, to = left + 6, right - 6
    half = (x + to) / 2
    return (
        f'<path class="edge{" past" if branch.is_past else ""}" d="M{x} {start:.1f}'
        f' C{half} {start:.1f} {half} {end:.1f} {to} {end:.1f}"/>'
        f'<text class="edge-name" x="{right}" y="{end - 3:.1f}">'
        f"{escape(_cut(branch.name, _LONGEST))}</text>"
        + _node(branch.what, branch.address, right, end + 12, "node")
    )


def _node(text: str, address: str, x: int, y: float, kind: str) -> str:
    """Write a name that fits, with the whole of it for whoever points at it."""
    drawn = (
        f'<text class="{kind}" x="{x}" y="{y:.1f}">{escape(_cut(text, _LONGEST))}'
        f"<title>{escape(text)}</title></text>"
    )
    return f'<a href="{escape(address)}">{drawn}</a>' if address else drawn


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
