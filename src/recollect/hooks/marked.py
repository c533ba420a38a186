"""The stages for what somebody asks to keep, marked or in plain words: captured at once.

It is also linked to the files of its turn, taken back on request, and caught up on if a hook was
killed before it could put it aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

from recollect.core.fields import check_body, is_too_long
from recollect.core.marks import LEARNED, REQUESTED
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.note import shorten_line
from recollect.errors import RecollectError
from recollect.hooks.marking import (
    all_marked_in,
    as_marked,
    draft_of,
    files_named,
    forgets_kept,
    without_private,
)
from recollect.hooks.notify import KEPT, tell
from recollect.hooks.pipeline import Work
from recollect.hosts.protocol import PROMPT, WRITES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.capture.markers import Marked
    from recollect.capture.requests import Request

_SHOWN = 70  # characters of a memory in a message
_SIMILAR = 8
MAYBE_ASKED = 0.5  # the confidence of what may be a wish
DENIED = "its meaning does not ask for it"
NO_CONTENT = (
    "Recollect: what should I remember? Say for example: remember that releases are on Tuesdays"
)


def capture_marked(work: Work) -> None:
    """Capture what a person or the agent marked with `[remember]`, and a person's wishes."""
    found = all_marked_in(work.event) if work.marked is None else work.marked
    marked = [item for item in found if item.is_own]
    if len(found) > len(marked):
        from recollect.hooks.suggest_pasted import suggest_pasted

        suggest_pasted(work, [item for item in found if not item.is_own])
    if any(item.content for item in marked):
        capture_items(work, marked)
    elif marked:
        work.note("skipped", reason="nothing to remember", rule=marked[0].rule)
        tell(work, KEPT, NO_CONTENT)


def capture_items(work: Work, marked: Sequence[Marked]) -> None:
    """Capture items under the lock, so that two events with the same text capture it once."""
    with ExitStack() as stack:
        # If the lock takes too long, capturing twice is better than losing the text.
        with suppress(RecollectError):
            stack.enter_context(work.session.locked())
        _capture(work, marked)


def _capture(work: Work, marked: Iterable[Marked]) -> None:
    from recollect.capture.novelty import fingerprint

    plain: dict[str, dict[str, Any]] = {}  # the drafts by nonce, without files
    written: dict[str, Memory] = {}  # by nonce
    captured: list[Memory] = []
    wishes: dict[str, str] = {}  # uid or nonce → fingerprint
    replaced = ""
    files = work.session.store.redact(files_named(work.event))
    for number, item in enumerate(marked):
        if not item.content:
            continue
        if item.unknown_kind:
            tell(
                work,
                KEPT,
                f"Recollect: unknown kind {work.session.redact(item.unknown_kind)!r};"
                " saved as a note.",
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
            if _is_taken_back(work, item):
                work.session.discard_stashed(nonce)
                work.note("left out", reason=DENIED, rule=item.rule)
                continue
            mark = fingerprint(content)
            known = work.session.find_exact(content, item.kind)
            if known is not None and known.nonce == nonce:
                captured.append(known)  # by an engine that then stopped answering
                wishes[known.uid] = mark
            elif known is not None:
                _note_known(work, known, files)
            elif (hidden := work.session.find_hidden(content, item.kind)) is not None:
                back = _bring_back(work, hidden)
                wishes[back.uid] = mark
            elif draft not in plain.values():
                plain[nonce], wishes[nonce] = draft, mark
                continue
            work.session.discard_stashed(nonce)
    with _reporting(work):
        linked = {"files_read": files} if files else {}
        drafts = {nonce: {**draft, **linked} for nonce, draft in plain.items()}
        reversed_ = {nonce: _reversed(work, draft) for nonce, draft in drafts.items()}
        drafts = {
            nonce: work.session.relate(draft, reversed_[nonce]) for nonce, draft in drafts.items()
        }
        written = work.session.capture(drafts) if drafts else {}
        captured += {memory.uid: memory for memory in written.values()}.values()
        for nonce, memory in written.items():
            wishes[memory.uid] = wishes.pop(nonce)
            replaced += _supersede(work, memory, reversed_[nonce])
        for nonce in drafts:
            work.session.discard_stashed(nonce)
        if drafts.keys() - written.keys():
            tell(work, KEPT, "Recollect: saved. It is written to the ledger in a moment.")
    if captured:
        work.kept += captured
        tell(work, KEPT, _remembered(captured) + replaced)
    if wishes:
        work.session.record_kept(wishes)
    if plain:
        work.session.mark_known(work.event.context, captured)
        pending = plain.keys() - written.keys()
        rules = [item.rule for item in marked if item.via == REQUESTED]
        work.note(
            "captured",
            uids=[memory.uid for memory in captured],
            pending=len(pending),
            **({"rules": rules} if rules else {}),
        )


def _is_taken_back(work: Work, item: Marked) -> bool:
    """Whether the meaning of a prompt denies what its words seem to ask for."""
    if work.event.name != PROMPT or not item.rule.startswith(LEARNED):
        return False  # what an earlier prompt asked for was read already
    if not work.session.knows_meaning():
        return False
    meant = work.session.requests_in(without_private(work.event.text))
    return item.content not in (one.content for one in meant if one.is_sure)


def shown(memory: Memory) -> str:
    """Return the id of a memory and the beginning of its text."""
    return f'{short(memory.id)} "{shorten_line(memory.summary, _SHOWN)}"'


def _remembered(captured: Sequence[Memory]) -> str:
    """Say in one line what was captured, and how to undo it."""
    which = short(captured[0].id) if len(captured) == 1 else "ID"
    return (
        f"Recollect: remembered {', '.join(map(shown, captured))}. Undo: recollect retire {which}"
    )


def _note_known(work: Work, known: Memory, files: Sequence[str]) -> None:
    work.session.note_repeated([known.uid])
    known = work.session.merge_files(known, files)
    work.session.mark_known(work.event.context, [known])
    work.kept.append(known)
    work.note("skipped", reason="already remembered", uids=[known.uid])
    tell(work, KEPT, f"Recollect: already remembered as {shown(known)}")


def _bring_back(work: Work, hidden: Memory) -> Memory:
    """Restore a memory that was archived, retired or resolved: it was asked for again."""
    back = work.session.bring_back(hidden)
    work.session.mark_known(work.event.context, [back])
    work.note("restored", uids=[back.uid], was=hidden.status)
    tell(
        work,
        KEPT,
        f"Recollect: remembered again {shown(back)}, which was {hidden.status}."
        f" Undo: recollect retire {short(back.id)}",
    )
    return back


def _reversed(work: Work, draft: Mapping[str, Any]) -> list[Memory]:
    """Return the memories that what somebody asks to keep reverses."""
    with suppress(RecollectError):  # all stay, which is no loss
        text = f"{draft['summary']}\n{draft['body']}"
        return work.session.reversed_by(draft, work.session.similar(text, _SIMILAR))
    return []


def _supersede(work: Work, new: Memory, reversed_: Sequence[Memory]) -> str:
    """Hide the memories of this person that a new one reverses; say so."""
    said = ""
    with suppress(RecollectError):
        for old in work.session.supersede(new, reversed_):
            work.note("superseded", uids=[old.uid])
            said += (
                f". It replaces {shown(old)}, now {old.status}; back with: recollect restore"
                f" {short(old.id)}"
            )
    return said


def forget_kept(work: Work) -> None:
    """Retire what the session kept last, if the prompt asks to forget it ("no, forget that")."""
    if not forgets_kept(work.event):
        return
    for memory in work.session.kept_last():
        back = work.session.forget(memory)
        work.note("forgot", uids=[memory.uid])
        also = f" {', '.join(map(shown, back))} is active again." if back else ""
        tell(
            work,
            KEPT,
            f"Recollect: forgot {shown(memory)}.{_reach(work, memory)} Back with: recollect restore"
            f" {short(memory.id)}." + also,
        )


def _reach(work: Work, memory: Memory) -> str:
    """Say who else has what is forgotten; nothing if nobody can."""
    if not work.session.may_be_shared(memory):
        return ""
    return (
        " It may have been sent: a sync tells others that it is retired, with its text. To erase it"
        f" everywhere: recollect purge {short(memory.id)}."
    )


def note_changed_files(work: Work) -> None:
    """Record the files that a tool changed, for what was kept in this turn."""
    if work.event.action in WRITES:
        paths = [path for path in work.event.files if work.session.is_inside(path)]
        work.session.note_changed_files([work.session.relative_path(path) for path in paths])


def link_changed_files(work: Work) -> None:
    """Link what was kept in this turn to the files that tools changed in it."""
    changed = work.session.link_changed_files()
    if changed:
        # The agent knows them: the new version must not be injected again.
        work.session.mark_known(work.event.context, changed)
        work.note("linked", uids=[memory.uid for memory in changed])


def keep_missed(work: Work, messages: Iterable[tuple[str, str]]) -> None:
    """Capture wishes of the transcript that no prompt hook lived long enough to put aside."""
    said = [without_private(text) for role, text in messages if role == "user"]
    if not said:
        return
    unhandled = [one for text in said for one in _unhandled(work, text)]
    missed = [as_marked(one) for one in unhandled if one.is_sure]
    if missed:
        work.note("missed", count=len(missed))
        capture_items(work, missed)
    _notice(work, unhandled)


def capture_meant(work: Work) -> None:
    """Capture wishes of a prompt that only their meaning tells, if an embedder is loaded.

    Without one, or if the time is up, a later event finds them in the transcript.
    """
    if work.event.agent or not work.session.knows_meaning():
        return
    unhandled = _unhandled(work, without_private(work.event.text))
    meant = [as_marked(one) for one in unhandled if one.is_sure]
    if meant and work.take_time():
        capture_items(work, meant)
    _notice(work, unhandled)


def _notice(work: Work, wishes: Sequence[Request]) -> None:
    """Keep what may be a wish as an unconfirmed memory: no word of it asks."""
    doubtful = [wish for wish in wishes if not wish.is_sure]
    if not doubtful:
        return
    from recollect.capture.unconfirmed import NOTICED
    from recollect.hooks.consider import SIGNAL, Draft, consider, is_on, origin

    drafts = []
    for wish in doubtful if is_on(work) else ():
        record = draft_of(work.event, as_marked(wish), work.session.redact(wish.content))
        record = {**record, **origin(work, "user", NOTICED)}
        drafts.append(Draft(record, MAYBE_ASKED, False, SIGNAL + str(record["kind"])))
    consider(work, drafts)


def _unhandled(work: Work, text: str) -> list[Request]:
    """Return the wishes of a text that nobody kept, whatever became of it."""
    from recollect.capture.novelty import fingerprint

    found = []
    for one in work.session.requests_in(text):
        content = work.session.redact(one.content)
        if not content or work.session.is_handled(fingerprint(content)):
            continue
        if not work.session.has_twin(content):
            found.append(one)
    return found


@contextmanager
def _reporting(work: Work) -> Iterator[None]:
    """Report a failure to the user, because the user asked for the capture."""
    try:
        yield
    except Exception as error:
        why = f"{error.message} {error.hint}" if isinstance(error, RecollectError) else ""
        work.reply.alarm.append(f"Recollect: this was NOT saved. {why}".rstrip())
        work.failures.append(error)
