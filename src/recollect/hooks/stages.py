"""The stages: each does one thing to the work that goes through a pipeline.

Which stages an event has, and in which order, is in `pipelines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from recollect.capture.markers import Marked
from recollect.core.age import age
from recollect.core.fields import check_body, is_too_long
from recollect.core.marks import without_own_text
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.patterns import pattern
from recollect.errors import RecollectError
from recollect.hooks.marking import all_marked_in, draft_of
from recollect.hooks.pipeline import Halt, Stage, Work
from recollect.hooks.suggest_pasted import suggest_pasted
from recollect.hosts.protocol import SESSION_START, TOOL_POST
from recollect.index.text import query_terms
from recollect.search import selection
from recollect.search.constants import FLOOR_WORDS, MOST_CHARACTERS
from recollect.search.rendering import (
    render_block,
    render_guide,
    render_memory,
)
from recollect.search.selection import Skipped
from recollect.search.tokens import count_tokens
from recollect.search.triggers import asked_for, asks_for_memory

# Seed A's tiers: from how many memories on, tokens in all, for working memory, for knowledge.
TIERS = {
    "simple": (0, 500, 300, 100),
    "medium": (10, 1000, 500, 300),
    "complex": (50, 2000, 900, 900),
    "full": (200, 3000, 1400, 1400),
}
_LOOK_AT = 30  # candidates that a search brings
_LOOK_AT_EACH = 10  # where there are several searches
_ERROR_LENGTH = 600
_EXIT_CODE = pattern(r"^Exit code \d+\s*")


def switched_on(key: str) -> Stage:
    """A stage that ends where a setting is off."""

    def stage(work: Work) -> None:
        if not work.session.setting(key):
            raise Halt(f"{key} is off")

    return stage


# Sessions


def begin_session(work: Work) -> None:
    """Note the start; after a compaction or a clear the agent knows nothing any more."""
    if work.event.source in ("compact", "clear", "startup"):
        work.session.forget_given(work.event.context)
    if work.event.source == "resume":
        work.session.resume(work.event.session)
    work.session.begin(work.event.session)


def drain(work: Work) -> None:
    """Bring to the ledger what earlier events had no time for."""
    brought = work.session.drain()
    if brought:
        work.note("brought to the ledger", memories=brought)


def sleep(work: Work) -> None:
    """After a session ended, look after the memories, as far as nobody has to wait for it."""
    done = work.session.sleep()
    if done == {"put_off": 1}:
        work.note("sleep put off", reason="the last one could not finish")
    elif done is not None:
        work.note("slept", **done)


def end_session(work: Work) -> None:
    """Leave the mark by which the next start, or sleep, knows that a session ended."""
    work.session.end(work.event.session)
    work.note("ended", reason=work.event.source)


def forget_given(work: Work) -> None:
    """What was given goes away with the context that is about to be compacted."""
    work.session.forget_given(work.event.context)


# Guarding


def guard_mirror(work: Work) -> None:
    """Files of the mirror are written by us alone."""
    work.reply.denial = work.session.guard(work.event.files)
    if work.reply.denial:
        work.note("denied", tool=work.event.tool)


def follow_mirror(work: Work) -> None:
    """Files follow the memories once all is said; at a start, changes in them are looked for."""
    work.session.follow_mirror(look=work.event.name == SESSION_START)


# Keeping


def keep_marked(work: Work) -> None:
    """Keep what a person, or the agent, marked with `[remember]`."""
    found = all_marked_in(work.event)
    marked = [item for item in found if item.is_own]
    if len(found) > len(marked):
        suggest_pasted(work, [item for item in found if not item.is_own])
    if not marked:
        return
    with ExitStack() as stack:
        # Two events that say the same at once shall keep it once; where that would take too long,
        # better twice than not at all.
        with suppress(RecollectError):
            stack.enter_context(work.session.locked())
        _keep(work, marked)


def _keep(work: Work, marked: Iterable[Marked]) -> None:
    drafts: dict[str, dict[str, Any]] = {}
    kept: list[Memory] = []
    for number, item in enumerate(marked):
        if item.unknown_kind:
            work.reply.notice.append(
                f"Recollect: there is no kind {work.session.redact(item.unknown_kind)!r};"
                " kept as a note."
            )
        with _telling(work):
            if is_too_long(item.content):
                check_body(item.content)  # it says so, before anything looks at all of it
            # Redacted before it is cut: half a secret is not found any more.
            content = work.session.redact(item.content)
            draft = draft_of(work.event, item, content)
            nonce = work.session.identify(draft, number)
            known = work.session.known(content, item.kind)
            if known is not None and known.nonce == nonce:
                kept.append(known)  # by an engine that fell silent while it did
            elif known is not None:
                _note_known(work, known)
            elif draft not in drafts.values():
                drafts[nonce] = draft
                continue
            work.session.discard_stashed(nonce)
    with _telling(work):
        kept += work.session.keep(drafts) if drafts else []
        for nonce in drafts:
            work.session.discard_stashed(nonce)
        if not drafts.keys() <= {memory.nonce for memory in kept}:
            work.reply.notice.append("Recollect: kept, and written to the ledger in a moment.")
    work.reply.notice += [f"Recollect: remembered as {short(memory.id)}" for memory in kept]
    if drafts:
        work.session.know(work.event.context, kept)
        waiting = drafts.keys() - {memory.nonce for memory in kept}
        work.note("kept", uids=[memory.uid for memory in kept], waiting=len(waiting))


def _note_known(work: Work, known: Memory) -> None:
    work.session.touch([known.uid])
    work.note("skipped", reason="known already", uids=[known.uid])
    work.reply.notice.append(f"Recollect: known already, as {short(known.id)}")


@contextmanager
def _telling(work: Work) -> Iterator[None]:
    """Somebody asked for it, so where it fails somebody must be told."""
    try:
        yield
    except Exception as error:
        why = f"{error.message} {error.hint}" if isinstance(error, RecollectError) else ""
        work.reply.alarm.append(f"Recollect: this was NOT kept. {why}".rstrip())
        work.failures.append(error)


# Candidates


def guide(work: Work) -> None:
    """Tell the agent how to use the memory."""
    text = render_guide(str(work.session.setting("guidance.detail")))
    if text and work.event.source != "resume":  # it is still in the context that is resumed
        work.reply.context.append(text)
        work.note("guided", tokens=count_tokens(text))


def recall_standing(work: Work) -> None:
    """Working memory within its part of the budget, then what belongs to the work at hand."""
    mode = str(work.session.setting("inject.budget"))
    size = work.session.size()
    if not size:
        raise Halt("nothing is remembered here yet")
    if mode == "minimal":
        raise Halt("inject.budget is minimal: guidance only")
    total, working, knowledge = _tier(mode, size, work)
    work.note("budget", mode=mode, memories=size, tokens=total)
    standing = work.session.standing(_LOOK_AT)
    used = _inject(work, standing, working, standing=True)
    recent = work.session.surroundings()
    found = {c.memory.uid: c for c in work.session.about_files(recent.files, _LOOK_AT)}
    for text in recent.texts:
        answers = work.session.answering(text, _LOOK_AT_EACH)
        best, _ = selection.above_floor(answers, len(query_terms(text)), asked=False)
        for candidate in best:
            found.setdefault(candidate.memory.uid, candidate)
    known = {candidate.memory.uid for candidate in standing}
    work.candidates = [c for c in found.values() if c.memory.uid not in known]
    # What working memory did not need, knowledge may have.
    work.budget, work.most = knowledge + working - used, _LOOK_AT


def _tier(mode: str, size: int, work: Work) -> tuple[int, int, int]:
    if mode == "fixed":
        total = int(work.session.setting("inject.session_tokens"))
        return total, total // 2, total // 2
    name = mode if mode in TIERS else "simple"
    if mode == "adaptive":
        name = next(tier for tier in reversed(TIERS) if size >= TIERS[tier][0])
    return TIERS[name][1:]


def recall_prompt(work: Work) -> None:
    """What answers the prompt; a question for memories looks wider."""
    said = without_own_text(work.event.text)
    text = asked_for(said)
    terms = len(query_terms(text))
    if not terms:
        raise Halt("no word in it carries meaning")
    asked = asks_for_memory(said)
    found = work.session.answering(text, _LOOK_AT * 2 if asked else _LOOK_AT)
    work.candidates, skipped = selection.above_floor(found, terms, asked=asked)
    _note_skipped(work, skipped)
    if asked:
        # Somebody asks for what is remembered: then also for what has faded, if it answers better
        # than anything that has not.
        best = max((candidate.evidence for candidate in work.candidates), default=0.0)
        archived = work.session.answering(text, _LOOK_AT, archived=True)
        faded, _ = selection.above_floor(archived, terms, asked=False)
        work.candidates += [candidate for candidate in faded if candidate.evidence > best]
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.prompt_memories"))


def recall_files(work: Work) -> None:
    """What is known of the files at hand: recorded files first, then words of the path."""
    if not work.event.files:
        raise Halt("no file is touched")
    paths = [work.session.relative(path) for path in work.event.files]
    found = work.session.about_files(paths, _LOOK_AT)
    words = " ".join(_path_words(paths))
    terms = len(query_terms(words))
    also = work.session.answering(words, _LOOK_AT) if terms else []
    by_words, skipped = selection.above_floor(also, max(terms, FLOOR_WORDS), asked=False)
    _note_skipped(work, skipped)
    known = {candidate.memory.uid for candidate in found}
    work.candidates = found + [c for c in by_words if c.memory.uid not in known]
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.tool_memories"))


# Parts of a path that say nothing about what is in the file.
_PLAIN_PARTS = frozenset({"src", "lib", "tests", "test", "app", "main", "index", "init", "spec"})


def _path_words(paths: Iterable[str]) -> list[str]:
    parts = [part for path in paths for part in path.replace("\\", "/").split("/")]
    words = [word for part in parts for word in query_terms(part.rpartition(".")[0] or part)]
    return [word for word in dict.fromkeys(words) if word not in _PLAIN_PARTS]


def recall_failure(work: Work) -> None:
    """What is known about an error like this one."""
    text = _EXIT_CODE.sub("", work.event.error)[:_ERROR_LENGTH]
    terms = len(query_terms(text))
    if not terms:
        raise Halt("the error says nothing")
    found = work.session.answering(text, _LOOK_AT)
    # An error says much besides what is wrong.
    work.candidates, skipped = selection.above_floor(found, terms, asked=True)
    _note_skipped(work, skipped)
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.tool_memories"))


# Injection


def inject(work: Work) -> None:
    """Put the best of the candidates in front of the agent."""
    if not work.candidates:
        more = "nothing more" if work.reply.context else "nothing"
        raise Halt(f"{more} that is remembered belongs to this")
    # What a file brings along, nobody has asked for.
    standing = work.event.name in (SESSION_START, TOOL_POST)
    _inject(work, work.candidates, work.budget, standing=standing)


def _inject(
    work: Work, candidates: Iterable[selection.Candidate], budget: int, *, standing: bool = False
) -> int:
    """Render what fits into the budget; how many tokens that took."""
    context, now = work.event.context, work.session.now()
    fresh, given = selection.without_given(candidates, work.session.given(context))
    kept, same = selection.without_repeats(fresh)
    most = work.most or len(kept)
    kept, beyond = selection.fair(kept, most, now, work.session.author)
    uses = work.session.uses([c.memory for c in kept])
    chosen, others = selection.pick_by_age(kept, most, now, work.session.episode(), uses)
    stale = work.session.freshness([c.memory for c in chosen])

    def render(memory: Memory, brief: bool) -> str:
        return render_memory(
            memory,
            age(memory.created, now),
            stale.get(memory.uid, ""),
            brief=brief,
            is_own=work.session.is_own,
        )

    taken = sum(map(selection.utf16_length, work.reply.context))
    room = MOST_CHARACTERS - taken - len(render_block(["", ""]))
    filled = selection.fill(chosen, budget, render, room, now)
    _note_skipped(work, (*given, *same, *beyond, *others, *filled.skipped))
    if not filled.chosen:
        return 0
    work.reply.context.append(render_block(filled.elements))
    work.session.give(context, [c.memory for c in filled.chosen], standing=standing)
    work.note(
        "injected",
        tokens=filled.tokens,
        memories=[
            {
                "uid": c.memory.uid,
                "reason": c.reason,
                "score": round(c.score, 3),
                **{name: round(value, 3) for name, value in c.parts.items()},
            }
            for c in filled.chosen
        ],
    )
    return filled.tokens


def _note_skipped(work: Work, skipped: Iterable[Skipped]) -> None:
    by_reason: dict[str, list[str]] = {}
    for item in skipped:
        by_reason.setdefault(item.reason, []).append(item.uid)
    for reason, uids in by_reason.items():
        work.note("skipped", reason=reason, uids=uids)
