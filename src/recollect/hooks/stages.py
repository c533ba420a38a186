"""The stages of the pipelines. Each does one thing with the event and the reply.

`pipelines` says which stages an event has, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.core.age import age
from recollect.core.kinds import SESSIONS
from recollect.core.marks import without_own_text
from recollect.core.memory import Memory
from recollect.core.patterns import pattern
from recollect.core.status import UNCONFIRMED
from recollect.hooks.pipeline import Halt, Stage, Work
from recollect.hosts.protocol import COMMAND, PROMPT, SESSION_START, STOP, TOOL_POST, WRITES
from recollect.index.text import query_terms
from recollect.search import selection
from recollect.search.constants import MOST_CHARACTERS, SESSION_TOKENS
from recollect.search.rendering import render_block, render_guide, render_memory
from recollect.search.selection import Skipped
from recollect.search.tokens import count_tokens
from recollect.search.triggers import asked_for, asks_for_memory, leaning_of, topicless
from recollect.state.sessions import WHOLE_TITLE

_CANDIDATES = 30  # candidates of a search
_CANDIDATES_EACH = 10  # candidates of each search if there are several
_PATH_WORDS = 2  # words of a path that a memory must contain
_ERROR_LENGTH = 600
MINIMAL = "minimal"
_EXIT_CODE = pattern(r"^Exit code \d+\s*")


def switched_on(key: str) -> Stage:
    """Make a stage that halts if a setting is off."""

    def stage(work: Work) -> None:
        if not work.session.setting(key):
            raise Halt(f"{key} is off")

    stage.__name__ = f"check_{key}"
    return stage


# Sessions


def begin_session(work: Work) -> None:
    """Record the start. After a compaction or a clear, the agent's context is empty."""
    if work.event.source in ("compact", "clear", "startup"):
        work.session.forget_injected(work.event.context)
    if work.event.source == "resume":
        work.session.resume_session(work.event.session)
    work.session.begin_session(work.event.session)
    work.session.begin_reading(is_new=work.event.source in ("startup", "clear"))


def look_ahead(work: Work) -> None:
    """Begin to ask git for what this event needs later, while the other stages run."""
    if work.session.setting("inject.enabled") and work.session.setting("inject.budget") != MINIMAL:
        work.session.look_ahead()


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


def check_mirror(work: Work) -> None:
    """After a write into the mirror, tell the agent what became of the file.

    The guard stops tools that name the file. A shell command, for example, gets past it.
    """
    if not work.session.setting("mirror.enabled"):
        return
    files: Sequence[str] = work.event.files if work.event.action in WRITES else ()
    if work.event.action == COMMAND:
        from recollect.capture.commands import files_written

        files = files_written(work.event.command)
    told = work.session.check_mirror(files)
    if told:
        from recollect.capture.drafting import as_guide

        work.reply.context.append(as_guide(told))
        work.note("checked the mirror", found=len(told))


def update_mirror(work: Work) -> None:
    """Write changed memories to the mirror, and read changed files."""
    work.session.update_mirror(read_files=work.event.name in (SESSION_START, STOP))


# Candidates


def guide(work: Work) -> None:
    """Inject the guide that tells the agent how to use the memory."""
    from recollect.hooks.budget import tier_of  # the start of a session only

    text, total = render_guide(str(work.session.setting("guidance.detail"))), tier_of(work).total
    if count_tokens(text) > total:
        text = ""
    if text and work.event.source != "resume":  # a resumed context still holds it
        work.reply.context.append(text)
        work.note("guided", tokens=count_tokens(text))


def recall_working_memory(work: Work) -> None:
    """Inject working memory within its budget; then find memories about the recent work."""
    from recollect.hooks.budget import left_of, tier_of  # the start of a session only

    mode = str(work.session.setting("inject.budget"))
    size = work.session.count_memories()
    if not size:
        raise Halt("there are no memories here yet")
    if mode == MINIMAL:
        raise Halt("inject.budget is minimal: guidance only")
    _, total, working, knowledge = tier_of(work)
    work.note("budget", mode=mode, memories=size, tokens=total)
    here = work.session.surroundings()
    if here.project or here.specs:
        work.note("here", project=here.project, spec=sorted(here.specs))
    standing = work.session.working_memory(_CANDIDATES)
    # The last session comes whole, and takes nothing from the budget of the others.
    last = next((c.memory for c in standing if c.memory.kind == SESSIONS), None)
    more = 0 if last is None else min(SESSION_TOKENS, count_tokens(render_memory(last, "")) + 9)
    budget = min(working + more, left_of(work, total))
    used = max(0, _inject(work, standing, budget, standing=True) - more)
    recent = work.session.recent_work()
    found = {c.memory.uid: c for c in work.session.memories_about(recent.files, _CANDIDATES)}
    for text in recent.texts:
        likely, _ = selection.by_probability(work.session.search(text, _CANDIDATES_EACH))
        for candidate in likely:
            found.setdefault(candidate.memory.uid, candidate)
    known = {candidate.memory.uid for candidate in standing}
    # Nobody asked, and nobody stands by an unconfirmed memory: its title is enough.
    work.candidates = [
        c for c in found.values() if c.memory.uid not in known and c.memory.status != UNCONFIRMED
    ]
    # Other knowledge may use what working memory left of its budget.
    work.budget = min(knowledge + working - used, left_of(work, total))
    work.most = _CANDIDATES


def recall_prompt(work: Work) -> None:
    """Find memories that answer the prompt. If it asks for memories, search more widely."""
    prompt = without_own_text(work.event.text)
    text = asked_for(prompt)
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.prompt_memories"))
    if not work.most:
        raise Halt("inject.prompt_memories is 0")
    question = topicless(prompt)
    work.asks_memory = question is not None
    if question is not None:
        work.candidates = work.session.answer(question)
        work.note("answered by kind and time", asks=list(question.asks), period=question.period)
        if work.candidates:
            return
    if not query_terms(text):
        raise Halt("the prompt has no words to search for")
    plan = leaning_of(prompt)
    asked = asks_for_memory(prompt, str(work.session.setting("recall.triggers")))
    work.asks_memory = asked
    found = work.session.search(text, _CANDIDATES * 2 if asked else _CANDIDATES, asked=asked)
    _pass_gate(work, found)
    if asked:
        # The prompt asks for memories, so archived ones count too, if they answer better than every
        # active one.
        best = max((candidate.probability for candidate in work.candidates), default=0.0)
        archived = without_replaced(
            work, work.session.search(text, _CANDIDATES, archived=True, asked=asked)
        )
        likely, _ = selection.by_probability(archived)
        work.candidates += [candidate for candidate in likely if candidate.probability > best]
    if plan is not None:
        from recollect.search.by_time import boost  # few prompts ask for a time

        now = work.session.now()
        work.candidates = [
            c._replace(score=c.score + boost(c.memory, plan, now)) for c in work.candidates
        ]


def note_activity(work: Work) -> None:
    """Record what a tool touched. If the topic changes, the current episode ends."""
    from recollect.hooks import episodes

    episodes.note_activity(work)


def keep_vectors(work: Work) -> None:
    """Prepare the next search by meaning, after the reply is sent."""
    work.session.keep_vectors()


def _pass_gate(work: Work, found: Sequence[selection.Candidate]) -> None:
    """Divide what was found into what comes in full, what may come as a title, and the rest."""
    found = without_replaced(work, found)
    work.candidates, work.maybe = selection.by_probability(found)
    passed = {candidate.memory.uid for candidate in (*work.candidates, *work.maybe)}
    unlikely = [c for c in found if c.memory.uid not in passed]
    note_skipped(work, [Skipped(c.memory.uid, "unlikely to answer") for c in unlikely])


def without_replaced(
    work: Work, candidates: Sequence[selection.Candidate]
) -> list[selection.Candidate]:
    """Put the newest word on a matter in the place of what it reverses."""
    kept, skipped = work.session.newest_word(candidates)
    note_skipped(work, skipped)
    return kept


def recall_files(work: Work) -> None:
    """Find memories about the touched files: those that name them, then those with their words."""
    if not work.event.files:
        raise Halt("the tool touches no file")
    _limit_tool(work)
    paths = [work.session.relative_path(path) for path in work.event.files]
    named = work.session.memories_about(paths, _CANDIDATES)
    found = [c for c in named if not selection.is_hint(c.memory)]
    words = " ".join(_path_words(paths))
    also = work.session.search(words, _CANDIDATES) if query_terms(words) else []
    # Any memory may contain one word of a path. A tag says what the memory is about.
    tagged = [
        c
        for c in also
        if not set(c.memory.tags).isdisjoint(words.split()) and not selection.is_hint(c.memory)
    ]
    _pass_gate(work, [c for c in also if c.words >= _PATH_WORDS])
    chosen = {c.memory.uid: c for c in (*tagged, *work.candidates, *found)}
    work.candidates = list(chosen.values())
    work.maybe = [c for c in work.maybe if c.memory.uid not in chosen]


def _limit_tool(work: Work) -> None:
    """Set how much an event of a tool may inject."""
    work.budget = int(work.session.setting("inject.prompt_tokens"))
    work.most = int(work.session.setting("inject.tool_memories"))
    if not work.most:
        raise Halt("inject.tool_memories is 0")


# Parts of a path that say nothing about the contents of the file.
_PLAIN_PARTS = frozenset({"src", "lib", "tests", "test", "app", "main", "index", "init", "spec"})


def _path_words(paths: Iterable[str]) -> list[str]:
    parts = [part for path in paths for part in path.replace("\\", "/").split("/")]
    words = [word for part in parts for word in query_terms(part.rpartition(".")[0] or part)]
    return [word for word in dict.fromkeys(words) if word not in _PLAIN_PARTS]


def recall_failure(work: Work) -> None:
    """Find memories about an error like this one."""
    text = _EXIT_CODE.sub("", work.event.error)[:_ERROR_LENGTH]
    if not query_terms(text):
        raise Halt("the error has no words to search for")
    _limit_tool(work)
    _pass_gate(work, work.session.search(text, _CANDIDATES))


# Injection


def inject(work: Work) -> None:
    """Inject the best candidates."""
    if not work.candidates:
        raise Halt("no more memories match" if work.reply.context else "no memory matches")
    # Nobody asked for these memories, so their injection says little about their use.
    standing = work.event.name in (SESSION_START, TOOL_POST)
    _inject(work, work.candidates, work.budget, standing=standing)


def _known(work: Work) -> Mapping[str, str]:
    """Return what the context holds: uid → version. A title is less than its memory.

    A prompt that does not ask for memories gets nothing again whose title was all of it. A file or
    a failure does, because there it is needed now.
    """
    known = work.session.injected(work.event.context)
    if work.event.name != PROMPT or work.asks_memory:
        return known
    return {uid: version.removeprefix(WHOLE_TITLE) for uid, version in known.items()}


def _inject(
    work: Work, candidates: Iterable[selection.Candidate], budget: int, *, standing: bool = False
) -> int:
    """Inject what fits into the budget; return the number of tokens."""
    context, now = work.event.context, work.session.now()
    unread, read = work.session.without_read(without_replaced(work, list(candidates)))
    fresh, given = selection.without_given(unread, _known(work))
    unique, same = selection.without_repeats(fresh)
    unique, noticed = selection.few_unconfirmed(unique, work.unconfirmed)
    most = work.most or len(unique)
    unique, beyond = selection.fair(unique, most, now, work.session.author)
    uses = work.session.uses([c.memory for c in unique])
    chosen, others = selection.pick_by_age(unique, most, now, work.session.current_episode(), uses)
    stale = work.session.file_states([c.memory for c in chosen])
    older = {c.memory.uid: c.instead_of for c in chosen}

    def render(memory: Memory, brief: bool) -> str:
        return render_memory(
            memory,
            age(memory.created, now),
            stale.get(memory.uid, ""),
            brief=brief,
            is_own=work.session.is_own,
            meaning=work.session.meaning_of(memory.kind),
            instead_of=older.get(memory.uid, ""),
        )

    taken = sum(map(selection.utf16_length, work.reply.context))
    room = MOST_CHARACTERS - taken - len(render_block(["", ""]))
    filled = selection.fill(chosen, budget, render, room, now)
    note_skipped(work, (*read, *given, *same, *noticed, *beyond, *others, *filled.skipped))
    if not filled.chosen:
        return 0
    work.unconfirmed += sum(c.memory.status == UNCONFIRMED for c in filled.chosen)
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
                **{name: round(value, 3) for name, value in c.explain().items()},
            }
            for c in filled.chosen
        ],
    )
    return filled.tokens


def note_skipped(work: Work, skipped: Iterable[Skipped]) -> None:
    """Keep why memories were skipped, for `recollect why`."""
    by_reason: dict[str, list[str]] = {}
    for item in skipped:
        by_reason.setdefault(item.reason, []).append(item.uid)
    for reason, uids in by_reason.items():
        work.note("skipped", reason=reason, uids=uids)


# Sync, in the background: nobody waits for it


def fetch_notes(work: Work) -> None:
    """Begin to get what the remote has, or to look whether it has anything, if that is on."""
    if work.event.source != "compact" and (began := work.session.fetch_notes()):
        work.note("began in the background", reason=began)


def send_notes(work: Work) -> None:
    """Begin to exchange notes with the remote, if that is on."""
    if began := work.session.send_notes():
        work.note("began in the background", reason=began)
