"""The stages of each event, all on one screen.

An event has parts, and each part runs until a stage halts it. What a person waits for comes first:
when the time is up, the reply is what the stages have produced so far.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hooks import marked, stages, titles
from recollect.hooks import notice as noticing
from recollect.hooks.catching_up import read_unread
from recollect.hooks.notify import (
    offer_learning,
    offer_sync,
    tell_agent,
    tell_noticed,
    tell_waiting,
)
from recollect.hooks.pipeline import Part
from recollect.hooks.summaries import note_check, summarise_sessions
from recollect.hosts import protocol as event

_IF_INJECTING = stages.switched_on("inject.enabled")

PIPELINES: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: (
        (
            stages.begin_session,
            stages.look_ahead,
            stages.flush_spool,
            read_unread(0.5),
            summarise_sessions,
            noticing.notice_unsolved,
            tell_waiting,
            offer_sync,
            offer_learning,
        ),
        (_IF_INJECTING, stages.guide, stages.recall_working_memory, stages.inject),
        (_IF_INJECTING, titles.list_titles),
    ),
    event.PROMPT: (
        (marked.forget_kept, marked.capture_marked),
        (_IF_INJECTING, stages.recall_prompt, stages.inject),
        (_IF_INJECTING, titles.suggest_titles),
        (marked.capture_meant,),
        (noticing.notice_prompt, noticing.note_words),
        (offer_sync, tell_noticed),
        (_IF_INJECTING, tell_agent),
    ),
    event.TOOL_PRE: ((stages.protect_mirror,),),
    event.TOOL_POST: (
        (stages.check_mirror,),
        (marked.note_changed_files, stages.note_activity),
        (_IF_INJECTING, stages.recall_files, stages.inject),
        (note_check, noticing.notice_tool),
    ),
    event.TOOL_FAILURE: (
        (_IF_INJECTING, stages.recall_failure, stages.inject),
        (note_check, noticing.notice_tool),
    ),
    event.PRE_COMPACT: ((stages.forget_injected, noticing.notice_conversation),),
    event.STOP: (
        (marked.capture_marked, stages.flush_spool, marked.link_changed_files),
        (noticing.notice_conversation,),
        (noticing.notice_cited,),
        (tell_noticed,),
    ),
    event.SUBAGENT_STOP: ((marked.capture_marked, noticing.notice_subagent), (tell_noticed,)),
    event.SESSION_END: (
        (stages.end_session,),
        (noticing.notice_conversation,),
        (noticing.notice_unsolved,),
    ),
}

# What an event does while `hook.enabled` or its own switch is off: only what somebody asks for.
WHEN_OFF: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: ((stages.flush_spool,),),
    event.PROMPT: ((marked.forget_kept, marked.capture_marked), (marked.capture_meant,)),
    event.STOP: ((marked.capture_marked, stages.flush_spool),),
    event.SUBAGENT_STOP: ((marked.capture_marked,),),
}

# Events that the user does not wait for. Their deadline is `hook.session_deadline`.
UNHURRIED = (event.SESSION_START, event.SESSION_END, event.STOP, event.PRE_COMPACT)

# Stages that run after the reply is sent.
LATE: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: (
        (stages.update_mirror,),
        (read_unread(0.7), summarise_sessions),
        (stages.fetch_notes,),
        (stages.sleep,),
    ),
    event.SESSION_END: ((stages.send_notes,),),
    event.PROMPT: ((stages.keep_vectors,),),
    event.STOP: ((stages.update_mirror,),),
}
