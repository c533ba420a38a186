"""Drafts the summary of a session from its log: what it was for, what came of it, what is open.

The summary is for the next session, which reads it at its start. So it is short, it states only
what still holds, and it calls the session a success only if the last check passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from recollect.capture.error_lines import one_line
from recollect.capture.outcomes import goal_of, is_plan, is_prompt, is_task, tells_what_to_do
from recollect.capture.sentences import split_line
from recollect.capture.tool_learning import is_ours
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.state.session_marks import (
    COMMIT_MADE,
    CORRECTED,
    DONE,
    FILE,
    OPEN,
    TESTS_FAIL,
    TESTS_PASS,
    WRONG,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RUNNING = "No end was recorded; it may still be running."
_MOST_FILES, _MOST_ITEMS, _MOST_DECIDED, _MOST_CORRECTED = 10, 5, 4, 2
_LONGEST_GOAL, _LONGEST_ITEM, _LONGEST_FILES = 200, 140, 220
# Characters of the whole summary, which are at most 300 tokens.
_MOST_TEXT = 800
_TOLD, _SAID, _WEAK = 1.0, 0.8, 0.5  # how certain it is that a headline stands for its session
_SEVERAL = 3  # commits that say more than the first task of a session
_MOST_PROMPT = 8_000
_FEWEST_WORDS = 4

# A later prompt with such words says nothing without what was said before it.
_POINTS = pattern(r"\b(?:this|that|these|those|it|them)\b", re.IGNORECASE)
_MERGE = pattern(r"Merge (?:remote-tracking )?(?:branch|pull request|commit|tag)\b")
# Commits that commonly accompany the one that names a session.
_ASIDE = pattern(r"\W*(?:build|chore|ci|docs?|refactor|style|tests?)(?:\([^)]*\))?!?: ")
_NEW = pattern(r"\W*feat(?:\([^)]*\))?!?: ")


class Story(NamedTuple):
    """What is known about a session. Everything is redacted."""

    # The first prompts that say what the session is for.
    goals: Sequence[str]
    # What happened, in order: the moment, and an entry with one of the `session_marks`.
    entries: Sequence[tuple[float, str]]
    # Failures without a solution: the moment, and what failed.
    failures: Sequence[tuple[float, str]] = ()
    # What was kept in the session: decisions, wishes, and what blocks the work.
    decided: Sequence[str] = ()
    blockers: Sequence[str] = ()
    is_running: bool = False


def summary_of(story: Story) -> dict[str, Any] | None:
    """Draft the summary of a session; None if there is nothing to tell."""
    story = _without_wrong(story)
    happened = [what for _, what in story.entries]
    files = _after(FILE, happened)
    told = _after(DONE, happened)
    commits = [subject for subject in _after(COMMIT_MADE, happened) if not _MERGE.match(subject)]
    left = [*_after(OPEN, happened), *_unique(f"Unsolved: {what}" for _, what in story.failures)]
    is_green = _passes(story)
    steps = [what for what in happened if what.startswith((COMMIT_MADE, TESTS_PASS))]
    if not any((files, told, steps, left, story.decided, story.blockers)):
        return None
    corrected = _after(CORRECTED, happened)
    told = [one for one in told if not _is_corrected(one, corrected)]
    asked = (one_line(goal_of(p[:_MOST_PROMPT])) for p in story.goals if is_prompt(p))
    goals = _unique(_holding(goal, corrected) for goal in asked)
    goal = goals[0] if goals else ""
    other = [*steps[-1:], *story.decided, *story.blockers, *left]
    main = next((goal for goal in reversed(goals) if not _POINTS.search(goal)), goal)
    headline, sure = _headline(_first_sentence(main), commits, told, files, other)
    content = {
        "goal": shorten_line(
            "; then: ".join(goal.rstrip(".") for goal in goals) or headline, _LONGEST_GOAL
        ),
        "outcome": _outcome(story, is_green=is_green),
        "next_actions": _short(left, _MOST_ITEMS),
        "completed": [
            *_short(told, _MOST_ITEMS),
            *_short((f"Commit: {subject}" for subject in commits[-_MOST_ITEMS:]), _MOST_ITEMS),
            *(["Tests pass."] if is_green and TESTS_PASS in happened else []),
        ],
        "in_progress": [RUNNING] if story.is_running else [],
        "blockers": _short(story.blockers, _MOST_ITEMS),
        "key_changes": [
            *_short((f"Kept: {what}" for what in _unique(story.decided)), _MOST_DECIDED),
            *_short(
                (f"Corrected by the user: {what}" for what in _after(CORRECTED, happened)),
                _MOST_CORRECTED,
            ),
            *_files_line(files),
        ],
    }
    return {
        "kind": "sessions",
        "summary": shorten_line(headline),
        "confidence": max(sure, _SAID) if goal else sure,
        "body": "",
        "content": _bounded(content, len(headline)),
        "files_modified": [path for path in files if is_ours(path)][:200],
        "concepts": ["what-changed"],
    }


def _without_wrong(story: Story) -> Story:
    """Return a story without what was kept in it and taken back later."""
    wrong = [(at, what.removeprefix(WRONG)) for at, what in story.entries if what.startswith(WRONG)]
    if not wrong:
        return story
    from recollect.capture.restating import restates

    def holds(text: str, at: float = 0.0) -> bool:
        return not any(
            at <= since and (restates(text, old) or restates(old, text)) for since, old in wrong
        )

    def is_left(at: float, what: str) -> bool:
        mark = next((mark for mark in (DONE, OPEN) if what.startswith(mark)), "")
        return not mark or holds(what.removeprefix(mark), at)

    goals = (" ".join(one for one in split_line(goal) if holds(one)) for goal in story.goals)
    return story._replace(
        goals=[goal for goal in goals if goal],
        entries=[(at, what) for at, what in story.entries if is_left(at, what)],
        decided=[what for what in story.decided if holds(what)],
        blockers=[what for what in story.blockers if holds(what)],
    )


def without_taken_back(
    written: dict[str, Any], entries: Sequence[tuple[float, str]], own: dict[str, Any] | None
) -> dict[str, Any]:
    """Return a summary that an agent wrote, without what the person took back since.

    `own` is the summary that the log gives: its goal and its headline stand in for those that do
    not hold.
    """
    from recollect.capture.restating import restates

    happened = [what for _, what in entries]
    wrong, corrected = _after(WRONG, happened), _after(CORRECTED, happened)

    def holds(text: str) -> bool:
        if any(restates(text, old) or restates(old, text) for old in wrong):
            return False
        return not _is_corrected(text, corrected)

    def left_of(text: str, instead: str) -> str:
        said = split_line(text)
        kept = [one for one in said if holds(one)]
        return text if len(kept) == len(said) else instead or " ".join(kept) or text

    content = dict(written["content"])
    for name, value in content.items():
        if isinstance(value, list):
            content[name] = [
                one for one in value if not isinstance(one, str) or all(map(holds, split_line(one)))
            ]
    goal = str(content.get("goal") or "")
    content["goal"] = left_of(goal, str(own["content"]["goal"]) if own else "")
    title = left_of(str(written["summary"]), str(own["summary"]) if own else "")
    return {**written, "summary": title, "content": content}


def _holding(goal: str, corrected: Sequence[str]) -> str:
    """Return a goal without the sentences that the person corrected later."""
    if not corrected:
        return goal
    return " ".join(one for one in split_line(goal) if not _is_corrected(one, corrected))


def _is_corrected(said: str, corrected: Sequence[str]) -> bool:
    """Return whether the person took back what was said earlier in the session."""
    from recollect.capture.reversals import corrects, takes_back

    return any(takes_back(one, said) or corrects(one, said) for one in corrected)


def _first_sentence(goal: str) -> str:
    """Return the first sentence of a goal, which makes a title; all of it if that says little."""
    first = next(iter(split_line(goal)), "")
    return first if len(first.split()) >= _FEWEST_WORDS else goal


def says_something(draft: dict[str, Any]) -> bool:
    """Whether a summary is worth keeping: a goal, a commit or a report, and not file names only."""
    return float(draft["confidence"]) >= _SAID


def _after(mark: str, happened: Iterable[str]) -> list[str]:
    """Return what follows a mark, without repeats."""
    return _unique(one_line(what.removeprefix(mark)) for what in happened if what.startswith(mark))


def _unique(items: Iterable[str]) -> list[str]:
    return [item for item in dict.fromkeys(items) if item]


def _short(items: Iterable[str], most: int) -> list[str]:
    return [shorten_line(one_line(item), _LONGEST_ITEM) for item in items][:most]


def _files_line(files: Sequence[str]) -> list[str]:
    if not files:
        return []
    named: list[str] = []
    for path in reversed(files):  # what was changed last matters most
        if len(named) == _MOST_FILES or len(", ".join((*named, path))) > _LONGEST_FILES:
            break
        named.insert(0, path)
    more = len(files) - len(named)
    if not named:
        return [f"Files: {more}"]
    return ["Files: " + ", ".join(named) + (f" and {more} more" if more else "")]


def _passes(story: Story) -> bool:
    """Whether the last check passed or a commit was made, and nothing failed after it."""
    good = [at for at, what in story.entries if what.startswith((TESTS_PASS, COMMIT_MADE))]
    bad = [at for at, what in story.entries if what == TESTS_FAIL]
    bad += [at for at, _ in story.failures]
    return bool(good) and (not bad or max(bad) < max(good))


def _outcome(story: Story, *, is_green: bool) -> str:
    if story.blockers:
        return "blocked"
    return "success" if is_green and not story.is_running else "partial"


def _bounded(content: dict[str, Any], taken: int) -> dict[str, Any]:
    """Drop the least important items until the summary is short enough."""

    def size() -> int:
        return taken + sum(
            len(value) if isinstance(value, str) else sum(map(len, value)) + 3 * len(value)
            for value in content.values()
        )

    while size() > _MOST_TEXT:
        lists = [value for value in content.values() if isinstance(value, list) and len(value) > 1]
        if not lists:
            break
        longest = max(lists, key=lambda items: sum(map(len, items)))
        longest.pop(0)  # what came last matters most
    return {name: value for name, value in content.items() if value or name in _REQUIRED}


_REQUIRED = ("goal", "outcome", "next_actions", "completed")


def _headline(
    goal: str,
    commits: Sequence[str],
    done: Sequence[str],
    paths: Sequence[str],
    other: Sequence[str],
) -> tuple[str, float]:
    """Return the headline of a session, and how certain it is.

    A task or a commit is certain. What the agent says about its work is often a detail, and file
    names, a question or a chore say little.
    """
    if is_task(goal) and (is_plan(goal) or len(commits) < _SEVERAL):
        return goal[:1].upper() + goal[1:], _TOLD
    if commits:  # the main work comes first, and follow-ups after it
        new = [subject for subject in commits if _NEW.match(subject)]
        main = [subject for subject in commits if not _ASIDE.match(subject)]
        return (new or main or commits)[0], _TOLD
    if tells_what_to_do(goal):
        return goal[:1].upper() + goal[1:], _TOLD
    if done:
        return done[0][:1].upper() + done[0][1:], _SAID
    if paths:
        names = ", ".join(dict.fromkeys(path.rsplit("/", 1)[-1] for path in paths))
        return f"Changed {names}", _WEAK
    said = goal or other[0]
    return said[:1].upper() + said[1:], _WEAK
