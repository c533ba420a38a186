"""Settings: every key with its value, where that comes from, and what it means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.api.results import ExplainedSetting
from recollect.config.edit import set_key, unset_key, value_in_file
from recollect.web.access import Notice, Place, SettingStep
from recollect.web.rendering import Pages

_OF_KINDS = "kinds."


def routes(pages: Pages) -> list[Route]:
    """Return the routes of settings."""
    access = pages.access

    async def show(request: Request) -> Response:
        every = request.query_params.get("all") == "yes"

        def read(store: Recollect) -> tuple[Sequence[ExplainedSetting], list[str], float]:
            found = [
                store.explain_setting(name)
                for name, setting in store.settings().items()
                if every or not name.startswith(_OF_KINDS) or setting.source != "default"
            ]
            return found, list(store.config.warnings), store.now()

        found, warnings, now = await access.ask(read)
        groups = [
            (name, list(settings))
            for name, settings in groupby(found, lambda one: one.key.partition(".")[0])
        ]
        return pages.page(
            request,
            "settings.html",
            title="Settings",
            now=now,
            groups=groups,
            warnings=warnings,
            every=every,
        )

    async def change(request: Request) -> Response:
        given = await pages.form(request)
        place = Place(given.get("key", ""), access.directory, given.get("where") == "user")

        def work() -> Notice:
            before = _said(place)
            value = None if given.get("unset") else given.get("value", "")
            path = _change(place, value)
            now = _said(place)
            if before == now:
                file = "Your file" if place.is_user else "The project's file"
                return Notice(f"{file} says that already. Nothing was changed.")
            done = "Removed" if value is None else "Set"
            return Notice(f"{done} {place.key} in {path}.", setting=SettingStep(place, before, now))

        return pages.leave("/settings", await to_thread.run_sync(work), all=given.get("all"))

    return [Route("/settings", show), Route("/settings", change, methods=["POST"])]


def _change(place: Place, value: str | None) -> Path | None:
    """Set a key in a file or, without a value, remove it."""
    key, here, is_user = place
    if value is None:
        return unset_key(key, directory=here, environment=os.environ, user=is_user)
    return set_key(key, value, directory=here, environment=os.environ, user=is_user)


def _said(place: Place) -> str | None:
    key, here, is_user = place
    return value_in_file(key, directory=here, environment=os.environ, user=is_user)


def take_back(step: SettingStep) -> bool:
    """Let a file say again what it said before; return whether it still said what we wrote."""
    if _said(step.place) != step.now:
        return False
    _change(step.place, step.before)
    return True
