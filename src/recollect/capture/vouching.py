"""Finds out who said what a command captures: a person, or the agent that runs it.

If a person types `/recollect:remember …`, they ask in their own words, although the agent's shell
runs the command. The hook that sees their prompt records it, and vouches for one capture of the
same session with the same text within a few minutes. Everything else in an agent's shell is the
agent's.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from recollect.core.patterns import pattern
from recollect.errors import ValidationError
from recollect.state.noticed import PROMPT_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.core.memory import Memory
    from recollect.hosts.protocol import Event
    from recollect.store.store import Store

USER, AGENT = "user", "agent"
VOUCHED_FOLDER = "vouched"
_SECONDS = 15 * 60.0
# The share of the requested words, and of the captured words, that must be in the other.
_SHARE = 0.5
_MOST_WAITING = 20
# The user's words that an agent must quote: all of a shorter prompt.
_FEWEST_WORDS = 3
_WORD = pattern(r"[^\W_]+")


def note_request(event: Event, environment: Mapping[str, str]) -> None:
    """Record what a person asks to capture by a command; if that fails, nothing is vouched for."""
    from recollect.state.spool import Spool

    with suppress(Exception):
        from recollect.config.config import load_config
        from recollect.config.locate import git_state
        from recollect.core.uid import derive_uid
        from recollect.redact.gate import Gate, clean_event, make_redactor

        folder = git_state(event.directory)
        if folder is None:
            return
        config = load_config(Path(event.directory), environment)
        event = clean_event(event, config)
        said = Gate(make_redactor(config))(event.asked)
        spool = Spool(folder / VOUCHED_FOLDER)
        moment = event.moment or time.time_ns() // 1_000_000
        spool.put(
            derive_uid(f"{event.session}\n{said}", moment),
            {"session": event.session, "text": said, "at": moment / 1000},
        )
        spool.trim(_MOST_WAITING, lambda one: float(one.get("at") or 0))


def speaker(store: Store, agent: str, text: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return who said a text that a command captures, as provenance fields."""
    from recollect.hosts.agents import agent_in  # no hook needs it

    agent = agent or agent_in(environment)
    if not agent:
        return {"said_by": USER}
    if _is_vouched(store, text, environment):
        return {"said_by": USER, "vouched": True}
    return {"said_by": AGENT}


def check_permission(store: Store, words: str, since: float) -> None:
    """Refuse unless the user typed these words in a prompt, lately and after that moment."""
    own = list(store.local.noticed.hashed(words_of(words)))
    now = store.ledger.clock().timestamp()
    for at, prompt in store.local.noticed.prompts_since(max(since, now - PROMPT_SECONDS)):
        if at <= now + 1 and len(own) >= min(_FEWEST_WORDS, len(prompt)) and _is_in(own, prompt):
            return
    raise ValidationError(
        "Only the user can confirm a memory, and these are not words that the user typed lately.",
        "Show the user the memory and ask. Then pass the user's exact words with --user-said.",
    )


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def _is_in(words: list[int], prompt: list[int]) -> bool:
    """Return whether words stand in a prompt, one after the other."""
    size = len(words)
    return size > 0 and any(
        prompt[start : start + size] == words for start in range(len(prompt) - size + 1)
    )


def reworded_by_agent(memory: Memory, via: str) -> dict[str, Any]:
    """Return the provenance of a person's memory after an agent changed its words: the agent's."""
    if memory.provenance.get("said_by", USER) != USER:
        return {}
    return {"provenance": {**memory.provenance, "said_by": AGENT, "reworded": via}}


def _is_vouched(store: Store, text: str, environment: Mapping[str, str]) -> bool:
    """Return whether the person asked for this in this session; each request counts once."""
    from recollect.hosts.agents import session_in  # no hook needs it
    from recollect.state.spool import Spool

    spool = Spool(store.ledger.repository.state_dir / VOUCHED_FOLDER)
    session, now = session_in(environment), store.ledger.clock().timestamp()
    for uid, request in spool.waiting().items():
        try:
            age = now - float(request["at"])
            asked, theirs = str(request["text"]), str(request["session"])
        except (KeyError, TypeError, ValueError):
            continue
        if age > _SECONDS:
            spool.drop(uid)
        elif age >= -1 and session and session == theirs and _says(text, asked):
            spool.drop(uid)
            return True
    return False


def _says(text: str, asked: str) -> bool:
    """Return whether a text says, in other words, what was requested."""
    from recollect.index.text import query_terms

    kept, wanted = set(query_terms(text)), set(query_terms(asked))
    shared = len(kept & wanted)
    return bool(shared) and shared >= _SHARE * len(wanted) and shared >= _SHARE * len(kept)
