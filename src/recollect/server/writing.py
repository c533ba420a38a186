"""Writing through the server: into the mirror, then to the repository's remote, or not at all.

The memory passes the same gate as everywhere: redaction, validation, and no duplicates. The person
is its author. If the remote refuses it, the mirror is made equal to the remote again, so nothing
is left behind.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.api.following import write_to_remote
from recollect.core.kinds import FACTS, kind_named
from recollect.core.names import short
from recollect.errors import Contended, NotAllowed, RecollectError, ValidationError
from recollect.mcp.results import Json
from recollect.server.people import Person

if TYPE_CHECKING:
    from recollect.server.audit import Audit
    from recollect.server.indexes import Indexes
    from recollect.server.mirrors import Mirrors
    from recollect.server.settings import Followed, Settings

_VIA = {"said_by": "agent", "via": "server"}
_LOCK_WAIT = 20.0
_PAUSE = 0.1


class Writing:
    """Creates memories in repositories."""

    def __init__(
        self,
        settings: Settings,
        indexes: Indexes,
        mirrors: Mirrors,
        audit: Audit,
    ) -> None:
        self.is_on = settings.write
        self._repositories = {one.name: one for one in settings.repositories}
        self._indexes = indexes
        self._mirrors = mirrors
        self._audit = audit

    def store(self, person: Person, given: Mapping[str, Any]) -> Json:
        """Store a memory in a repository, unless it has one with the same text."""
        name = given["repository"]
        try:
            result = self._store(person, given)
        except RecollectError as error:
            self._audit.note(person.name, "store", "", [name], 0, type(error).__name__)
            raise
        self._audit.note(person.name, "store", str(result["id"]), [name], 1, result["done"])
        return result

    def _store(self, person: Person, given: Mapping[str, Any]) -> Json:
        fields = dict(given)
        name = fields.pop("repository")
        person.require(name)
        one = self._repositories.get(name)
        if one is None:
            raise NotAllowed(f"The server does not follow {name[:100]!r} any more.")
        if fields.get("sensitivity", "public") != "public":
            raise ValidationError(
                "What is private cannot be sent to a server.",
                "Nothing was stored. In your clone: recollect capture --sensitivity private",
            )
        if kind_named(fields["kind"]).name == FACTS:
            raise ValidationError(
                "Facts are stored in a clone.",
                "Nothing was stored. Use store_memory of your clone.",
            )
        deadline = time.monotonic() + _LOCK_WAIT
        while True:
            with self._indexes.leading(name) as is_leader:
                if is_leader:
                    return self._write(person, one, fields)
            if time.monotonic() > deadline:
                raise Contended("Another worker has been busy with this repository for too long.")
            time.sleep(_PAUSE)

    def _write(self, person: Person, one: Followed, fields: Mapping[str, Any]) -> Json:
        author = person.name if "@" not in person.name else f"{person.name} <{person.name}>"
        with self._mirrors.opened(one, author) as store:
            captured = write_to_remote(
                store,
                one.url,
                lambda: store.capture_once(**fields, at=None, provenance=_VIA),
            )
            warnings = list(dict.fromkeys(store.ledger.warnings))
        return {
            "done": "stored and pushed" if captured.is_new else "known already",
            "id": short(captured.memory.id),
            "repository": one.name,
            **({"warnings": warnings} if warnings else {}),
        }
