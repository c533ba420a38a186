"""Records of what tools taught: their provenance, and stored failures as learnings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.capture.tool_learning import Learning
from recollect.hooks.consider import origin
from recollect.hooks.pipeline import Work
from recollect.state.tool_log import StoredFailure

# In the provenance of a memory: the failure that it is about.
FAILURE = "failure"


def with_origin(work: Work, record: Mapping[str, Any], learning: Learning) -> dict[str, Any]:
    """Return a record with where it comes from, how severe it was, and the exit code."""
    said = origin(work, "tool", "tool")
    told: dict[str, Any] = {"severity": learning.severity, "category": learning.category}
    if learning.exit_code is not None:
        told["exit_code"] = learning.exit_code
    told[FAILURE] = learning.fingerprint
    return {**record, **said, "provenance": {**said["provenance"], **told}}


def read_learning(failure: StoredFailure) -> Learning:
    """Return what a stored failure teaches."""
    fields = json.loads(failure.learning)
    return Learning(**{**fields, "files": tuple(fields["files"])})
