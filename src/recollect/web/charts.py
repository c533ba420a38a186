"""Small charts as SVG, made here: attributes only, because pages allow no inline styles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from markupsafe import Markup, escape

_BAR, _GAP, _HEIGHT = 10, 4, 22
_WIDE, _TALL = 320, 90
_DAYS, _DAY_WIDTH, _DAYS_TALL = 14, 20, 64


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


def tokens_per_day(spent: Mapping[str, int], now: float) -> Markup:
    """Draw the tokens that the last days put into contexts."""
    days = [
        f"{datetime.fromtimestamp(now - 86_400 * back).astimezone():%Y-%m-%d}"
        for back in reversed(range(_DAYS))
    ]
    most = max((spent.get(day, 0) for day in days), default=0) or 1
    bars = []
    for number, day in enumerate(days):
        value = spent.get(day, 0)
        tall = value / most * (_DAYS_TALL - 2)
        bars.append(
            f'<rect class="part" x="{number * _DAY_WIDTH}" y="{_DAYS_TALL - max(tall, 1):.1f}"'
            f' width="{_DAY_WIDTH - 4}" height="{max(tall, 1):.1f}">'
            f"<title>{day}: {value:,} tokens</title></rect>"
        )
    total = sum(spent.get(day, 0) for day in days)
    label = f"{total:,} tokens in {_DAYS} days, {spent.get(days[-1], 0):,} today"
    return _svg(label, _DAYS * _DAY_WIDTH - 4, _DAYS_TALL, "".join(bars), "days")


def graph(centre: str, edges: Sequence[tuple[str, str, str]]) -> Markup:
    """Draw a thing and what it is related to: lines from the middle, each with its name."""
    row, wide, left = 40, 620, min(210, 9 * len(_cut(centre, 24)) + 14)
    tall = max(1, len(edges)) * row
    middle = tall / 2
    inner = []
    for number, (name, what, address) in enumerate(edges):
        at = number * row + row / 2
        inner.append(
            f'<path class="edge" d="M{left} {middle} C{left + 60} {middle} {left + 50} {at}'
            f' {left + 120} {at}"/>'
            f'<text class="edge-name" x="{left + 126}" y="{at - 4}">{escape(name)}</text>'
            f'<a href="{escape(address)}"><text class="node" x="{left + 126}" y="{at + 12}">'
            f"{escape(_cut(what, 60))}</text></a>"
        )
    inner.append(
        f'<text class="node centre" x="0" y="{middle + 4}">{escape(_cut(centre, 24))}</text>'
    )
    label = f"{centre}: " + "; ".join(f"{name} {what}" for name, what, _ in edges)
    return Markup(  # noqa: S704 - numbers and escaped words
        f'<svg class="chart graph" role="group" aria-label="{escape(label[:300])}"'
        f' viewBox="0 0 {wide} {tall}">{"".join(inner)}</svg>'
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
