"""Makes the fields of a memory from a sentence that was noticed."""

from __future__ import annotations

from typing import Any

from recollect.capture.observations import facets
from recollect.capture.tags import tags_of
from recollect.capture.titles import title_and_body


def fields_of(said: str, kind: str, confidence: float) -> dict[str, Any]:
    """Return the fields: a title that is a whole sentence, and what search needs."""
    text = " ".join(said.split())
    summary, body = title_and_body(text)
    observed, concepts, importance = facets(text, kind)
    return {
        "kind": kind,
        "summary": summary,
        "body": body,
        "tags": list(tags_of(text)),
        "confidence": round(confidence, 3),
        "observation_type": observed,
        "importance": importance,
        "concepts": list(concepts),
    }
