"""Writing memories: captures without duplicates, facts, typed documents, imports, purges."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.api.reads import Reads
from recollect.core.named_tuple import NamedTuple

# A hook imports this module: whatever it does not need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    from recollect.api.exporting import Exported
    from recollect.core.memory import Memory
    from recollect.facts.facts import Stored
    from recollect.importing.claude_memory import Outcome


class Captured(NamedTuple):
    """The result of `capture_once`: the memory, whether it is new, and hidden duplicates of it."""

    memory: Memory
    is_new: bool
    # Archived, retired and expired memories with the same text.
    hidden: tuple[Memory, ...] = ()
    # The fields of a known memory that got something new.
    merged: tuple[str, ...] = ()


class Writes(Reads):
    """The methods that write."""

    def capture_once(
        self,
        kind: str,
        summary: str,
        body: str = "",
        *,
        at: str | None = "HEAD",
        force: bool = False,
        **fields: Any,
    ) -> Captured:
        """Capture a memory, unless an active or resolved one has exactly the same text.

        Then you get the existing memory. Tags, concepts and files that it does not have are added
        to it, and a higher importance replaces its own. With `force` a second one is captured
        anyway. Case and white space make no difference. A fact in three words, or in three parts
        between `|`, is stored as `store_fact` does it.
        """
        from recollect.api.duplicates import find_duplicates, is_shown, merge_into

        fact = None if body or force else self._said_fact(kind, summary, fields)
        if fact is not None:
            return Captured(fact.fact.memory, fact.is_new, merged=fact.kept)
        same = find_duplicates(self, kind, summary, body, fields.get("sensitivity"))
        now = self.now()
        known = None if force else next((m for m in same if is_shown(m, now)), None)
        if known is not None:
            self.local.usage.record([known.uid], "said", now)
            known, merged = merge_into(self, known, fields)
            return Captured(known, False, merged=merged)
        memory = self.capture(kind, summary, body, at=at, **fields)
        return Captured(memory, True, tuple(m for m in same if not is_shown(m, now)))

    def _said_fact(self, kind: str, text: str, fields: Mapping[str, Any]) -> Stored | None:
        """Store a text of the kind `facts` as a fact; None if it is none, or has other fields."""
        from recollect.core.kinds import FACTS, find_kind

        known = find_kind(kind)
        if (
            known is None
            or known.name != FACTS
            or not fields.keys() <= {"provenance", "confidence"}
        ):
            return None
        from recollect.facts.facts import sentence_parts

        parts = sentence_parts(text)
        return None if parts is None else self.store_fact(*parts, **fields)

    def update_for_agent(
        self,
        memory_id: str,
        *,
        via: str,
        summary: str | None = None,
        body: str | None = None,
        if_version: str = "",
        **fields: Any,
    ) -> Memory:
        """Change a memory on behalf of an agent.

        If the agent changes the words of something that a person said, the memory counts as said
        by the agent from then on. `via` names the surface: `cli` or `mcp`.
        """
        if summary is not None or body is not None:
            from recollect.capture.vouching import reworded_by_agent

            fields |= reworded_by_agent(self.get(memory_id), via)
        return self.update(memory_id, summary=summary, body=body, if_version=if_version, **fields)

    def said_by(self, text: str, *, agent: str, environment: Mapping[str, str]) -> dict[str, Any]:
        """Who says a text that a command captures, as fields of its provenance.

        `agent` is the agent in whose shell the command runs, or empty.
        """
        from recollect.capture.vouching import speaker

        return speaker(self, agent, text, environment)

    def flush_spool(self) -> list[Memory]:
        """Write what hooks have spooled to the ledger; gives the memories that it became."""
        from recollect.state.spool import is_waiting

        if not is_waiting(self.ledger.repository.state_dir):
            return []
        from recollect.capture.spool_flush import drain
        from recollect.capture.unconfirmed import convert_suggestions

        written = drain(self)
        convert_suggestions(self)
        return written

    def store_fact(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002
        *,
        confidence: float | None = None,
        source: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
        replaces: bool | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> Stored:
        """Store a fact, unless it is known.

        `source` is the id of the memory that it comes from. `replaces` says whether it closes
        other values of the same predicate; by default the predicate decides.
        """
        from recollect.facts.facts import store_fact

        return store_fact(
            self,
            subject,
            predicate,
            object,
            confidence=confidence,
            source=self.find(source).uid if source else None,
            valid_from=valid_from,
            valid_until=valid_until,
            replaces=replaces,
            provenance=provenance,
        )

    def create_document(
        self,
        kind: str,
        document: Any,
        *,
        by_user: bool = False,
        said: Callable[[str], Mapping[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """Create a typed memory from a document, unless it is known; says what was done.

        With `by_user`, only the schema is checked, not limits and recent retirements.
        """
        from recollect.typed.write import create

        return create(self, kind, document, by_user=by_user, said=said)

    def update_document(
        self, memory_id: str, document: Any, *, if_version: str = ""
    ) -> dict[str, Any]:
        """Update a typed memory by the merge rules, if it is at the version that you read."""
        from recollect.typed.write import update

        return update(self, memory_id, document, if_version=if_version)

    def change_status(self, memory_id: str, action: str, reason: str = "") -> dict[str, Any]:
        """Retire, archive, unarchive or restore; a memory that is there already stays as it is.

        `set_status` refuses such a step; this is for agents, which may repeat themselves.
        """
        from recollect.typed.write import change_status

        return change_status(self, memory_id, action, reason)

    def write_drafts(self, drafts: Any) -> list[dict[str, Any]]:
        """Write several typed drafts, in one commit for each kind; says what became of each."""
        from recollect.typed.drafts import write_drafts

        return write_drafts(self, drafts)

    def import_claude_memory(
        self, folder: str | os.PathLike[str] | None = None, *, dry_run: bool = False
    ) -> list[Outcome]:
        """Import a store of the claude-memory plugin; says what became of each file.

        Without a folder, `.claude/memory` of the working tree. Importing twice adds nothing.
        """
        from pathlib import Path

        from recollect.importing.claude_memory import DEFAULT_FOLDER, import_folder

        start = self.work_tree or self.ledger.repository.git.directory
        path = Path(folder) if folder is not None else Path(start) / DEFAULT_FOLDER
        return import_folder(self, path.expanduser().absolute(), dry_run=dry_run)

    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        format: str = "json",  # noqa: A002 - the name of the option
        private: bool = False,
    ) -> Exported:
        """Write the memories to a file as `json` or `markdown`, or to a folder as `claude-memory`.

        Without a path, gives the text. Private, secret and unconfirmed memories come along only
        with `private`.
        """
        from recollect.api.exporting import export

        return export(self, path, format=format, private=private)

    def import_export(
        self, path: str | os.PathLike[str], *, dry_run: bool = False
    ) -> list[Outcome]:
        """Import an export (`json` or `markdown`); says what became of each memory.

        Importing twice adds nothing. What was purged here stays away.
        """
        from pathlib import Path

        from recollect.importing.recollect_export import import_export

        return import_export(self, Path(path).expanduser().absolute(), dry_run=dry_run)

    def purge(self, memory_id: str) -> list[str]:
        """Erase a memory for good, here and, after the next sync, in every clone.

        The uid of a quarantined record works too. Gives what could not be erased, in sentences.
        """
        from recollect.sleep.purge import purge_named

        return purge_named(self, memory_id)

    def quarantined_uid(self, name: str) -> str | None:
        """The uid of the quarantined record that a name means, if it means no memory."""
        from recollect.sleep.purge import find_quarantined

        return find_quarantined(self, name)
