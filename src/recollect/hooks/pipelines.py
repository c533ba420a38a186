"""What happens at each event, all of it on one screen.

Each event has parts, and each part goes on until a stage halts it. What a person waits for comes
first: when the time is over, that much is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hooks import citing, episodes, stages
from recollect.hooks import notice as noticing
from recollect.hooks.pipeline import Part
from recollect.hosts import protocol as event

_WANTED = stages.switched_on("inject.enabled")

PIPELINES: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: (
        (stages.begin_session, stages.drain, noticing.sum_up),
        (_WANTED, stages.guide, stages.recall_standing, stages.inject),
    ),
    event.PROMPT: (
        (stages.keep_marked,),
        (_WANTED, stages.recall_prompt, stages.inject),
        (noticing.notice_prompt,),
    ),
    event.TOOL_PRE: ((stages.guard_mirror,),),
    event.TOOL_POST: (
        (episodes.note_activity,),
        (_WANTED, stages.recall_files, stages.inject),
        (noticing.notice_tool,),
    ),
    event.TOOL_FAILURE: (
        (_WANTED, stages.recall_failure, stages.inject),
        (noticing.notice_tool,),
    ),
    event.PRE_COMPACT: ((stages.forget_given, noticing.notice_talk),),
    event.STOP: (
        (stages.keep_marked, stages.drain, noticing.notice_talk),
        (citing.notice_cited,),
    ),
    event.SUBAGENT_STOP: ((stages.keep_marked,),),
    event.SESSION_END: ((stages.end_session,),),
}

# What comes once the reply is given.
LATE: Mapping[str, tuple[Part, ...]] = {
    event.SESSION_START: ((stages.follow_mirror,), (stages.sleep,)),
    event.STOP: ((stages.follow_mirror,),),
}
