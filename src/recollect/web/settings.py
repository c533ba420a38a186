"""Settings: every key with its value, where that comes from, and what it means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.recollect import Recollect
from recollect.api.results import ExplainedSetting
from recollect.config.edit import set_key, unset_key
from recollect.web.access import Notice
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
        key, is_user = given.get("key", ""), given.get("where") == "user"

        def work() -> str:
            here = access.directory
            if given.get("unset"):
                path = unset_key(key, directory=here, environment=os.environ, user=is_user)
                return f"The file does not set {key}." if path is None else f"Removed {key}."
            value = given.get("value", "")
            path = set_key(key, value, directory=here, environment=os.environ, user=is_user)
            return f"Set {key} in {path}."

        said = await to_thread.run_sync(work)
        return pages.leave("/settings", Notice(said), all=given.get("all"))

    return [Route("/settings", show), Route("/settings", change, methods=["POST"])]
