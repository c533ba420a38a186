"""Stages that begin a sync in the background. Nobody waits for it."""

from __future__ import annotations

from recollect.hooks.pipeline import Work


def fetch_notes(work: Work) -> None:
    """Begin to get what the remote has, or to look whether it has anything, if that is on."""
    if work.event.source != "compact" and (began := work.session.fetch_notes()):
        work.note("began in the background", reason=began)


def send_notes(work: Work) -> None:
    """Begin to exchange notes with the remote, if that is on."""
    if began := work.session.send_notes():
        work.note("began in the background", reason=began)
