"""The stages of each event, all on one screen.

An event has parts, and each part runs until a stage halts it. What a person waits for comes first:
when the time is up, the reply is what the stages have produced so far.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hooks import citing, episodes, stages
from recollect.hooks import notice as noticing
from recollect.hooks.pipeline import Part
from recollect.hosts import protocol as event

_IF_INJECTING = stages.switched_on("inject.enabled")

PIPELINES: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: (
        (stages.begin_session, stages.flush_spool, noticing.summarise_sessions),
        (_IF_INJECTING, stages.guide, stages.recall_working_memory, stages.inject),
    ),
    event.PROMPT: (
        (stages.capture_marked,),
        (_IF_INJECTING, stages.recall_prompt, stages.inject),
        (noticing.notice_prompt,),
    ),
    event.TOOL_PRE: ((stages.protect_mirror,),),
    event.TOOL_POST: (
        (episodes.note_activity,),
        (_IF_INJECTING, stages.recall_files, stages.inject),
        (noticing.notice_tool,),
    ),
    event.TOOL_FAILURE: (
        (_IF_INJECTING, stages.recall_failure, stages.inject),
        (noticing.notice_tool,),
    ),
    event.PRE_COMPACT: ((stages.forget_injected, noticing.notice_conversation),),
    event.STOP: (
        (stages.capture_marked, stages.flush_spool, noticing.notice_conversation),
        (citing.notice_cited,),
    ),
    event.SUBAGENT_STOP: ((stages.capture_marked,),),
    event.SESSION_END: ((stages.end_session,),),
}

# Events that the user does not wait for. Their deadline is `hook.session_deadline`.
UNHURRIED = (event.SESSION_START, event.SESSION_END, event.STOP, event.PRE_COMPACT)

# Stages that run after the reply is sent.
LATE: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: ((stages.update_mirror,), (stages.sleep,)),
    event.STOP: ((stages.update_mirror,),),
}
