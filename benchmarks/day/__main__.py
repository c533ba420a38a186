"""Run with `python -m benchmarks.day`: plays the days and prints what was remembered of them."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.day.playing import play_day
from benchmarks.day.scoring import SCRIPT, Score, score_day
from benchmarks.day.scripts import HELD_OUT, TUNING, Day, all_days, read_day
from tests.realclient.client import ClientMissing, installed_client

_AIMS = "aims: wishes 100 %, needs 85 %, junk at most 15 %, at most 1 line per turn"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the days that were asked for."""
    options = _options(arguments)
    days = [read_day(path) for path in all_days()]
    days = [day for day in days if not options.days or day.number in options.days]
    try:
        client = installed_client()
    except ClientMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    room = Path(tempfile.mkdtemp(prefix="recollect-day-"))
    print(f"load {os.getloadavg()[0]:.1f} at the start, {len(days)} days, {_AIMS}")

    def play(day: Day) -> Score:
        place = room / f"{day.number:02d}"
        settings = dict(options.set)
        score = score_day(
            play_day(day, place, client, may_draft=not options.no_drafts, settings=settings)
        )
        _print_day(day, score, options)
        return score

    try:
        with ThreadPoolExecutor(options.jobs) as pool:
            scores = dict(zip((day.number for day in days), pool.map(play, days), strict=True))
    finally:
        if options.keep:
            print(f"the workplaces are in {room}")
        else:
            shutil.rmtree(room, ignore_errors=True)
    report = _report(days, scores, details=options.details)
    for name, figures in report["totals"].items():
        _print_totals(name, figures)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.day", description=__doc__)
    parser.add_argument("--days", type=_numbers, default=(), help="such as 1,2 or 1-6")
    parser.add_argument("--keep", action="store_true", help="keep the workplaces to look at")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument(
        "--details", action="store_true", help="name the misses of held-out days too"
    )
    parser.add_argument("--why", action="store_true", help="show the traces of every miss")
    parser.add_argument("--jobs", type=int, default=1, help="days at a time; more distort times")
    parser.add_argument(
        "--no-drafts", action="store_true", help="the agent drafts nothing when it is asked to"
    )
    parser.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a configuration key, such as triage.mode=draft; the default is no setting",
    )
    return parser.parse_args(arguments)


def _setting(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return "RECOLLECT_" + key.upper().replace(".", "_").replace("-", "_"), value


def _numbers(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def _report(days: Sequence[Day], scores: Mapping[int, Score], *, details: bool) -> dict[str, Any]:
    totals = {}
    for split in (TUNING, HELD_OUT):
        total = Score()
        chosen = [scores[day.number] for day in days if day.split == split]
        for score in chosen:
            total.add(score)
        if chosen:
            totals[split] = total.as_json()
    return {
        "totals": totals,
        "days": [
            {
                "day": day.number,
                "name": day.name,
                "split": day.split,
                **scores[day.number].as_json(),
                "misses": [
                    {"what": miss.what, "name": miss.name, "why": list(miss.why)}
                    for miss in scores[day.number].misses
                ],
            }
            for day in days
            if details or day.split == TUNING
        ],
    }


def _print_day(day: Day, score: Score, options: argparse.Namespace) -> None:
    said = [f"\nday {day.number}, {day.name} ({day.split}): {score.seconds:.0f} s"]
    if options.details or day.split == TUNING:
        said.append(
            f"  wishes {score.wishes_kept} of {score.wishes}, needs {score.needs_met} of"
            f" {score.needs}, junk {score.junk} of {score.injected}, kept against your word"
            f" {score.never_kept} of {score.never}, stored junk {score.stored_junk} of"
            f" {score.stored}"
        )
        shown = score.misses
    else:
        # A step that went wrong tells about the script, not about Recollect.
        shown = [miss for miss in score.misses if miss.what == SCRIPT]
    for miss in shown:
        said.append(f"  {miss.what}: {miss.name}")
        said += [f"      {line}" for line in (miss.why if options.why else miss.why[:1])]
    print("\n".join(said), flush=True)


def _print_totals(name: str, figures: Mapping[str, Any]) -> None:
    print(f"\n{name}")
    print(
        f"  wishes kept            {_share(figures, 'wishes_kept', 'wishes')}\n"
        f"  facts at their prompt  {_share(figures, 'needs_met', 'needs')}\n"
        f"  junk injected          {_share(figures, 'junk', 'injected')}\n"
        f"  titles without use     {_share(figures, 'title_junk', 'titles')}\n"
        f"  kept against your word {figures['forbidden_kept']} of {figures['forbidden']}\n"
        f"  stored and not worth it {figures['stored_junk']} of {figures['stored']}\n"
        f"  lines per turn         max {figures['lines_per_turn_max']},"
        f" mean {figures['lines_per_turn_mean']}\n"
        f"  tokens per session     mean {figures['tokens_per_session_mean']},"
        f" max {figures['tokens_per_session_max']}\n"
        f"  hooks                  median {figures['hook_ms_median']} ms,"
        f" p95 {figures['hook_ms_p95']} ms, {figures['hooks']} calls,"
        f" {figures['hooks_past_deadline']} failed or past their deadline\n"
        f"  asked to draft         {figures['drafts_asked']} times"
    )


def _share(figures: Mapping[str, Any], part: str, whole: str) -> str:
    share = figures[f"{part}_percent"]
    return f"{figures[part]} of {figures[whole]}" + ("" if share is None else f", {share:g} %")


if __name__ == "__main__":
    sys.exit(main())
