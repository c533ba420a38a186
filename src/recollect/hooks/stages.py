"""The stages of the pipelines. Each does one thing with the event and the reply.

`pipelines` says which stages an event has, and in which order.
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

# Tier: (minimum number of memories, tokens in total, for working memory, for other knowledge).
TIERS = {
    "simple": (0, 500, 300, 100),
    "medium": (10, 1000, 500, 300),
    "complex": (50, 2000, 900, 900),
    "full": (200, 3000, 1400, 1400),
}
_CANDIDATES = 30  # candidates of a search
_CANDIDATES_EACH = 10  # candidates of each search if there are several
_ERROR_LENGTH = 600
_EXIT_CODE = pattern(r"^Exit code \d+\s*")


def switched_on(key: str) -> Stage:
    """Make a stage that halts if a setting is off."""

    def stage(work: Work) -> None:
        if not work.session.setting(key):
            raise Halt(f"{key} is off")

    return stage


# Sessions


def begin_session(work: Work) -> None:
    """Record the start. After a compaction or a clear, the agent's context is empty."""
    if work.event.source in ("compact", "clear", "startup"):
        work.session.forget_injected(work.event.context)
    if work.event.source == "resume":
        work.session.resume_session(work.event.session)
    work.session.begin_session(work.event.session)


def flush_spool(work: Work) -> None:
    """Write the memories to the ledger that earlier events had no time for."""
    written = work.session.flush_spool()
    if written:
        work.note("wrote the spool to the ledger", memories=written)


def sleep(work: Work) -> None:
    """Run sleep if it is due, after the reply is sent."""
    done = work.session.sleep()
    if done == {"postponed": 1}:
        work.note("sleep postponed", reason="the last run did not finish")
    elif done is not None:
        work.note("slept", **done)


def end_session(work: Work) -> None:
    """Record the end of a session, for the next session start and for sleep."""
    work.session.end_session(work.event.session)
    work.note("ended", reason=work.event.source)


def forget_injected(work: Work) -> None:
    """Forget which memories the context holds, because it is about to be compacted."""
    work.session.forget_injected(work.event.context)


# Mirror


def protect_mirror(work: Work) -> None:
    """Deny writes to the files of the mirror: only Recollect writes them."""
    work.reply.denial = work.session.mirror_denial(work.event.files)
    if work.reply.denial:
        work.note("denied", tool=work.event.tool)


def update_mirror(work: Work) -> None:
    """Write changed memories to the mirror. At a session start, also read changed files."""
    work.session.update_mirror(read_files=work.event.name == SESSION_START)


# Capture


def capture_marked(work: Work) -> None:
    """Capture what a person or the agent marked with `[remember]`."""
    found = all_marked_in(work.event) if work.marked is None else work.marked
    marked = [item for item in found if item.is_own]
    if len(found) > len(marked):
        from recollect.hooks.suggest_pasted import suggest_pasted

        suggest_pasted(work, [item for item in found if not item.is_own])
    if not marked:
        return
    with ExitStack() as stack:
        # The lock makes two events with the same text capture it once. If the lock takes too long,
        # capturing twice is better than losing the text.
        with suppress(RecollectError):
            stack.enter_context(work.session.locked())
        _capture(work, marked)


def _capture(work: Work, marked: Iterable[Marked]) -> None:
    drafts: dict[str, dict[str, Any]] = {}
    captured: list[Memory] = []
    for number, item in enumerate(marked):
        if item.unknown_kind:
            work.reply.notice.append(
                f"Recollect: unknown kind {work.session.redact(item.unknown_kind)!r};"
                " saved as a note."
            )
        with _reporting(work):
            if is_too_long(item.content):
                check_body(item.content)  # raises before anything reads the whole text
            # Redact before cutting: redaction would miss half a secret.
            content = work.redacted.get(item.content)
            if content is None:
                content = work.session.redact(item.content)
            draft = draft_of(work.event, item, content)
            nonce = work.session.derive_nonce(draft, number)
            known = work.session.find_exact(content, item.kind)
            if known is not None and known.nonce == nonce:
                captured.append(known)  # by an engine that then stopped answering
            elif known is not None:
                _note_known(work, known)
            elif draft not in drafts.values():
                drafts[nonce] = draft
                continue
            work.session.discard_stashed(nonce)
    with _reporting(work):
        captured += work.session.capture(drafts) if drafts else []
        for nonce in drafts:
            work.session.discard_stashed(nonce)
        if not drafts.keys() <= {memory.nonce for memory in captured}:
            work.reply.notice.append("Recollect: saved. It is written to the ledger in a moment.")
    work.reply.notice += [f"Recollect: remembered as {short(memory.id)}" for memory in captured]
    if drafts:
        work.session.mark_known(work.event.context, captured)
        pending = drafts.keys() - {memory.nonce for memory in captured}
        work.note("captured", uids=[memory.uid for memory in captured], pending=len(pending))


def _note_known(work: Work, known: Memory) -> None:
    work.session.note_repeated([known.uid])
    work.note("skipped", reason="already remembered", uids=[known.uid])
    work.reply.notice.append(f"Recollect: already remembered as {short(known.id)}")


@contextmanager
def _reporting(work: Work) -> Iterator[None]:
    """Report a failure to the user, because the user asked for the capture."""
    try:
        yield
    except Exception as error:
        why = f"{error.message} {error.hint}" if isinstance(error, RecollectError) else ""
        work.reply.alarm.append(f"Recollect: this was NOT saved. {why}".rstrip())
        work.failures.append(error)


# Candidates


def guide(work: Work) -> None:
    """Inject the guide that tells the agent how to use the memory."""
    text = render_guide(str(work.session.setting("guidance.detail")))
    if text and work.event.source != "resume":  # a resumed context still holds it
        work.reply.context.append(text)
        work.note("guided", tokens=count_tokens(text))


def recall_working_memory(work: Work) -> None:
    """Inject working memory within its budget; then find memories about the recent work."""
    mode = str(work.session.setting("inject.budget"))
    size = work.session.count_memories()
    if not size:
        raise Halt("there are no memories here yet")
    if mode == "minimal":
        raise Halt("inject.budget is minimal: guidance only")
    total, working, knowledge = _tier(mode, size, work)
    work.note("budget", mode=mode, memories=size, tokens=total)
    standing = work.session.working_memory(_CANDIDATES)
    used = _inject(work, standing, working, standing=True)
    recent = work.session.recent_work()
    found = {c.memory.uid: c for c in work.session.memories_about(recent.files, _CANDIDATES)}
    for text in recent.texts:
        answers = work.session.search(text, _CANDIDATES_EACH)
        best, _ = selection.above_floor(answers, len(query_terms(text)), asked=False)
        for candidate in best:
            found.setdefault(candidate.memory.uid, candidate)
    known = {candidate.memory.uid for candidate in standing}
    work.candidates = [c for c in found.values() if c.memory.uid not in known]
    # Other knowledge may use what working memory left of its budget.
    work.budget, work.most = knowledge + working - used, _CANDIDATES


def _tier(mode: str, size: int, work: Work) -> tuple[int, int, int]:
    if mode == "fixed":
        total = int(work.session.setting("inject.session_tokens"))
        return total, total // 2, total // 2
    name = mode if mode in TIERS else "simple"
    if mode == "adaptive":
        name = next(tier for tier in reversed(TIERS) if size >= TIERS[tier][0])
    return TIERS[name][1:]


def recall_prompt(work: Work) -> None:
    """Find memories that answer the prompt. If it asks for memories, search more widely."""
    prompt = without_own_text(work.event.text)
    text = asked_for(prompt)
    terms = len(query_terms(text))
    if not terms:
        raise Halt("the prompt has no words to search for")
    asked = asks_for_memory(prompt)
    found = work.session.search(text, _CANDIDATES * 2 if asked else _CANDIDATES)
    work.candidates, skipped = selection.above_floor(found, terms, asked=asked)
    _note_skipped(work, skipped)
    if asked:
        # The prompt asks for memories, so archived ones count too, if they answer better than every
        # active one.
        best = max((candidate.evidence for candidate in work.candidates), default=0.0)
        archived = work.session.search(text, _CANDIDATES, archived=True)
        archived_best, _ = selection.above_floor(archived, terms, asked=False)
        work.candidates += [candidate for candidate in archived_best if candidate.evidence > best]
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.prompt_memories"))


def recall_files(work: Work) -> None:
    """Find memories about the touched files: those that name them, then those with their words."""
    if not work.event.files:
        raise Halt("the tool touches no file")
    paths = [work.session.relative_path(path) for path in work.event.files]
    found = work.session.memories_about(paths, _CANDIDATES)
    words = " ".join(_path_words(paths))
    terms = len(query_terms(words))
    also = work.session.search(words, _CANDIDATES) if terms else []
    by_words, skipped = selection.above_floor(also, max(terms, FLOOR_WORDS), asked=False)
    _note_skipped(work, skipped)
    known = {candidate.memory.uid for candidate in found}
    work.candidates = found + [c for c in by_words if c.memory.uid not in known]
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.tool_memories"))


# Parts of a path that say nothing about the contents of the file.
_PLAIN_PARTS = frozenset({"src", "lib", "tests", "test", "app", "main", "index", "init", "spec"})


def _path_words(paths: Iterable[str]) -> list[str]:
    parts = [part for path in paths for part in path.replace("\\", "/").split("/")]
    words = [word for part in parts for word in query_terms(part.rpartition(".")[0] or part)]
    return [word for word in dict.fromkeys(words) if word not in _PLAIN_PARTS]


def recall_failure(work: Work) -> None:
    """Find memories about an error like this one."""
    text = _EXIT_CODE.sub("", work.event.error)[:_ERROR_LENGTH]
    terms = len(query_terms(text))
    if not terms:
        raise Halt("the error has no words to search for")
    found = work.session.search(text, _CANDIDATES)
    # An error message holds many words besides the cause, so the lower floor applies.
    work.candidates, skipped = selection.above_floor(found, terms, asked=True)
    _note_skipped(work, skipped)
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.tool_memories"))


# Injection


def inject(work: Work) -> None:
    """Inject the best candidates."""
    if not work.candidates:
        raise Halt("no more memories match" if work.reply.context else "no memory matches")
    # Nobody asked for these memories, so their injection says little about their use.
    standing = work.event.name in (SESSION_START, TOOL_POST)
    _inject(work, work.candidates, work.budget, standing=standing)


def _inject(
    work: Work, candidates: Iterable[selection.Candidate], budget: int, *, standing: bool = False
) -> int:
    """Inject what fits into the budget; return the number of tokens."""
    context, now = work.event.context, work.session.now()
    fresh, given = selection.without_given(candidates, work.session.injected(context))
    unique, same = selection.without_repeats(fresh)
    most = work.most or len(unique)
    unique, beyond = selection.fair(unique, most, now, work.session.author)
    uses = work.session.uses([c.memory for c in unique])
    chosen, others = selection.pick_by_age(unique, most, now, work.session.current_episode(), uses)
    stale = work.session.file_states([c.memory for c in chosen])

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
    work.session.record_injected(context, [c.memory for c in filled.chosen], standing=standing)
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
