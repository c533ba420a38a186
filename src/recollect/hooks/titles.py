"""Titles: what may matter comes in one line each, at the start of a session and with a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recollect.core.age import age
from recollect.core.status import UNCONFIRMED
from recollect.hooks.pipeline import Halt, Work
from recollect.hooks.stages import MINIMAL, note_skipped, without_replaced
from recollect.index.text import query_terms
from recollect.search import selection
from recollect.search.constants import (
    INDEX_TOKENS,
    LEAST_LINE_TOKENS,
    LEAST_TITLE_TOKENS,
    MOST_CHARACTERS,
    MOST_INDEXED,
    MOST_LINE,
    MOST_TITLES,
    TITLE_TOKENS,
)
from recollect.search.rendering import render_title, render_titles, says_all, shorten_titles
from recollect.search.selection import Skipped
from recollect.search.tokens import count_tokens

_ASKING_WORDS = 2  # "please remember: …"


def list_titles(work: Work) -> None:
    """End the start of a session with the titles of the other memories, or of the best of them.

    What a short text says beside its title follows it.
    """
    from recollect.hooks.budget import left_of, tier_of  # the start of a session only

    if str(work.session.setting("inject.budget")) == MINIMAL:
        return
    candidates = work.session.memories_for_index(MOST_INDEXED)
    heading = "Titles of other memories"
    around = count_tokens(render_titles([""], heading))
    room = min(INDEX_TOKENS, left_of(work, tier_of(work).total) - around)
    _add_titles(work, candidates, heading, MOST_INDEXED, room, longest=MOST_LINE)


def suggest_titles(work: Work) -> None:
    """Add the titles of memories that may belong to the prompt, though not clearly."""
    if _only_asks_to_keep(work):
        raise Halt("the prompt only asks to keep something")
    _add_titles(
        work, work.maybe, "Possibly related", MOST_TITLES, TITLE_TOKENS, selection.worth_naming
    )


def _only_asks_to_keep(work: Work) -> bool:
    """Whether a prompt has hardly a word beside what it asks to keep."""
    kept = " ".join(item.content for item in work.marked or () if item.is_own)
    if not kept:
        return False
    return len(set(query_terms(work.event.text)) - set(query_terms(kept))) <= _ASKING_WORDS


def _add_titles(
    work: Work,
    candidates: Iterable[selection.Candidate],
    heading: str,
    most: int,
    tokens: int,
    is_worth_it: Callable[[Sequence[selection.Candidate]], bool] = bool,
    *,
    longest: int = 0,
) -> None:
    """Add titles of memories that the context does not have, in full or as a title.

    `tokens` is what they may take together, without the element around them. With `longest`, they
    have their age, and text after the title, up to so many characters.
    """
    context, now = work.event.context, work.session.now()
    given = work.session.injected(context)
    unread, _ = work.session.without_read(without_replaced(work, list(candidates)))
    fresh = [c for c in unread if c.memory.uid not in given and not c.memory.altered]
    unique, same = selection.without_repeats(fresh[: 2 * most])
    note_skipped(work, same)
    rendered: list[tuple[str, selection.Candidate]] = []
    told: set[str] = set()  # the memories whose line, uncut, is all they say
    for candidate in unique:
        memory, own = candidate.memory, work.session.is_own
        when = age(memory.created, now) if longest else ""
        # Nobody stands by an unconfirmed memory; and a text that needs a note has no room for it.
        room = 0 if memory.status == UNCONFIRMED else longest
        title = render_title(memory, when, is_own=own, most=room) if room else ""
        if not title:
            room, title = 0, render_title(memory, when, is_own=own)
        if title and len(rendered) < most:
            rendered.append((title, candidate))
            told |= {memory.uid} if says_all(memory, room) else set()
    least = LEAST_LINE_TOKENS if longest else LEAST_TITLE_TOKENS
    titles = shorten_titles([title for title, _ in rendered], tokens, least)
    named = [candidate for _, candidate in rendered[: len(titles)]]
    memories = [candidate.memory for candidate in named]
    if not is_worth_it(named):
        note_skipped(work, [Skipped(memory.uid, "unlikely to answer") for memory in memories])
        return
    block = render_titles(titles, heading)
    taken = sum(map(selection.utf16_length, work.reply.context))
    if not block or taken + selection.utf16_length(block) > MOST_CHARACTERS:
        return
    work.reply.context.append(block)
    # A title that is all of a memory need not come again in full.
    cut = {c.memory.uid for t, (full, c) in zip(titles, rendered, strict=False) if t != full}
    whole_ones = [m for m in memories if m.uid in told - cut]
    known = {memory.uid for memory in whole_ones}
    work.session.record_titles(context, [m for m in memories if m.uid not in known], whole_ones)
    work.note("titles", tokens=count_tokens(block), uids=[memory.uid for memory in memories])
