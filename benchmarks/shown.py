"""What a search shows: how many of the answers are right, and how many of the right ones are there.

python -m benchmarks.shown                      # the tuning half; with and without asked_as
python -m benchmarks.shown --half held-out      # once per release; choose nothing by it

Each project of `benchmarks/questions` is a store. Every question is asked as `recollect search`
does it. Precision is the share of right ones among all that is shown for questions with an answer;
the last column has the share of the questions without one that show something all the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.prompts import HALVES, NOTHING, QUESTIONS, Project, Setting, build, read_projects
from benchmarks.quality import temporary_folder


def measure(project: Project, folder: Path) -> dict[str, list[tuple[bool, int]]]:
    """For each sort of question: whether the right one is shown, and how many are."""
    found: dict[str, list[tuple[bool, int]]] = {}
    store, names = build(folder, Setting(*project), vectors=True)
    with store:
        for prompt in project.prompts:
            shown = [
                names[answer.memory.uid] for answer in store.search(prompt.text, counting=False)
            ]
            is_right = not prompt.gold.isdisjoint(shown)
            found.setdefault(prompt.sort, []).append((is_right, len(shown)))
    return found


def row(name: str, rows: dict[str, list[tuple[bool, int]]]) -> str:
    """One line of the table."""
    asked = [one for sort, ones in rows.items() if sort != NOTHING for one in ones]
    right, shown = sum(one for one, _ in asked), sum(count for _, count in asked)
    sorts = " ".join(
        f"{sort} {sum(one for one, _ in ones) / len(ones):.2f}"
        for sort, ones in rows.items()
        if sort != NOTHING
    )
    alarms = [count > 0 for _, count in rows.get(NOTHING, ())]
    return (
        f"{name:24} recall {right / len(asked):.2f} ({sorts})  precision {right / shown:.2f}"
        f"  shown {shown / len(asked):.2f}  for nothing {sum(alarms) / max(1, len(alarms)):.2f}"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    half = parser.parse_args().half
    for asked_as in (False, True):
        every: dict[str, list[tuple[bool, int]]] = {}
        for project in read_projects(QUESTIONS / half, asked_as=asked_as):
            with temporary_folder() as folder:
                rows = measure(project, Path(folder))
            for sort, ones in rows.items():
                every.setdefault(sort, []).extend(ones)
            print(row(project.name + (", asked_as" if asked_as else ""), rows))
        print(row("all" + (", asked_as" if asked_as else ""), every))


if __name__ == "__main__":
    main()
