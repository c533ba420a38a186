"""What happens at each event, all of it on one screen.

The order follows seed D: at a tool boundaries, capture, scaffolding; at a prompt recall early.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.flow import event, noticing, stages
from recollect.flow.pipeline import Stage

_WANTED = stages.switched_on("inject.enabled")

PIPELINES: Mapping[str, tuple[Stage, ...]] = {
    event.SESSION_START: (
        stages.begin_session,
        stages.drain,
        noticing.sum_up,
        _WANTED,
        stages.guide,
        stages.recall_standing,
        stages.inject,
    ),
    event.PROMPT: (
        stages.keep_marked,
        noticing.notice_prompt,
        _WANTED,
        stages.recall_prompt,
        stages.inject,
    ),
    event.TOOL_PRE: (),
    event.TOOL_POST: (noticing.notice_tool, _WANTED, stages.recall_files, stages.inject),
    event.TOOL_FAILURE: (noticing.notice_tool, _WANTED, stages.recall_failure, stages.inject),
    event.PRE_COMPACT: (stages.forget_given, noticing.notice_talk),
    event.STOP: (stages.keep_marked, noticing.notice_talk, stages.drain),
    event.SUBAGENT_STOP: (stages.keep_marked,),
    event.SESSION_END: (stages.end_session,),
}
