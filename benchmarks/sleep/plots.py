"""Small line charts as SVG, written by hand: no plotting library is needed to look at a year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 420, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 34, 30
_COLOURS = ("#b3541e", "#1e6fb3", "#5a8f29")


class Chart(NamedTuple):
    """Lines over the same points of one axis."""

    title: str
    labels: Sequence[str]
    lines: Mapping[str, Sequence[float]]
    percent: bool = False


def draw(charts: Sequence[Chart], columns: int = 2) -> str:
    """All charts in one picture."""
    rows = -(-len(charts) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * _WIDTH}" '
        f'height="{rows * _HEIGHT}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, chart in enumerate(charts):
        x, y = number % columns * _WIDTH, number // columns * _HEIGHT
        parts.append(f'<g transform="translate({x},{y})">')
        parts += _chart(chart)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>", ""])


def _chart(chart: Chart) -> list[str]:
    top = 1.0 if chart.percent else _round_up(max(map(max, chart.lines.values())))
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    steps = max(1, len(chart.labels) - 1)

    def at(number: int, value: float) -> str:
        return f"{_LEFT + wide * number / steps:.1f},{_TOP + high * (1 - value / top):.1f}"

    parts = [f'<text x="{_LEFT}" y="14" font-weight="bold">{escape(chart.title)}</text>']
    for tick in range(5):
        value, y = top * tick / 4, _TOP + high * (1 - tick / 4)
        shown = f"{value:.0%}" if chart.percent else f"{value:,.0f}"
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>')
    for number, label in enumerate(chart.labels):
        if number % max(1, len(chart.labels) // 6) == 0:
            x = _LEFT + wide * number / steps
            parts.append(
                f'<text x="{x:.1f}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(label)}</text>'
            )
    for number, (name, values) in enumerate(chart.lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(at(n, value) for n, value in enumerate(values))
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'
        )
        x = _LEFT + 130 * number
        parts.append(f'<text x="{x}" y="28" fill="{colour}">{escape(name)}</text>')
    return parts


def _round_up(value: float) -> float:
    """A number of one digit and zeros, at least as large."""
    if value <= 0:
        return 1.0
    size = 10.0 ** (len(str(int(value))) - 1)
    return float(-(-value // size) * size)
