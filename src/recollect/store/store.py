"""`recollect.open`: the memory of one repository, for Python.

The command line, the hooks, the MCP server and the web page are thin users of this object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect.api.accountable import Accountable
from recollect.config.config import Config
from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory, fold
from recollect.core.names import parse_name
from recollect.core.places import Place
from recollect.core.record import Record
from recollect.errors import Ambiguous, NotFound, RecollectError, ValidationError
from recollect.index.protocol import ALL, Filters, Index, Progress
from recollect.index.sqlite.apply import seconds
from recollect.ledger.ledger import Ledger
from recollect.ledger.worktree import find_root
from recollect.search.search import MODES, Embed, Hit, Question, search
from recollect.state.local import LocalState
from recollect.store.indexing import Indexing
from recollect.store.uids import NonceMaker

# A search gives vectors to as many new memories as nobody will notice; `reindex` does the rest.
_MOST_PENDING = 64


# What a hook needs on every prompt is imported above; the rest where it is used.
if TYPE_CHECKING:
    from recollect.api.sync import SyncResult
    from recollect.ledger.health import Finding
    from recollect.ledger.writes import Change, Creation, Write
    from recollect.redact.gate import Gate
    from recollect.search.cache import ResultCache


class Recollect(Accountable):
    """The memories of one repository: capture, find, read, change, share, erase."""

    def __init__(
        self,
        ledger: Ledger,
        config: Config,
        project: str | None = None,
        cache: ResultCache | None = None,
    ) -> None:
        self._cache = cache
        self.ledger = ledger
        self.config = config
        self.project = project
        self.indexing = Indexing(
            ledger, config.text("embedding.model"), config.text("embedding.path")
        )
        self.local = LocalState(ledger.repository.state_dir)
        self.new_nonce = NonceMaker()
        self._gate: Gate | None = None
        ledger.gate = self._last_look
        # Somebody waits for an answer: what can be done afterwards must wait.
        self.is_hurried = False
        # The summaries of sessions that the last write retired.
        self.rolled_out: list[Memory] = []

    def __enter__(self) -> Recollect:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files; the object can be used again."""
        self.indexing.close()
        self.local.close()

    def redact(self, value: Any) -> Any:
        """A value without secrets, whatever it is made of; nothing else may be written."""
        return self._opened_gate()(value, self.ledger.warnings)

    def _last_look(self, value: Any) -> Any:
        """What the ledger writes passes once more, whoever prepared it; that costs a lookup."""
        return self._opened_gate()(value)

    def _opened_gate(self) -> Gate:
        if self._gate is None:
            from recollect.redact.gate import Gate, make_redactor

            self._gate = Gate(make_redactor(self.config))
        return self._gate

    @property
    def work_tree(self) -> Path | None:
        """The working tree it was opened in; none in a bare repository or outside of any."""
        repository = self.ledger.repository
        return None if repository.is_user_ledger else find_root(repository.git.directory)

    @property
    def warnings(self) -> list[str]:
        """What went wrong without doing harm."""
        parts = (self.config, self.ledger, self.indexing, self.local)
        return [warning for part in parts for warning in part.warnings]

    # Writing

    def capture(
        self, kind: str, summary: str, body: str = "", *, at: str | None = "HEAD", **fields: Any
    ) -> Memory:
        """Remember something, next to the commit `at`; with None, next to the project as a whole.

        When this returns, the memory is in the ledger and survives a crash.
        """
        draft = {"kind": kind, "summary": summary, "body": body, "at": at, **fields}
        return self.capture_many([draft])[0]

    def capture_many(self, records: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Remember several things at once, in one commit for each kind: all of them or none."""
        return self.create([self.prepare(record) for record in records])

    def create(self, creations: Sequence[Creation]) -> list[Memory]:
        """Write what was prepared."""
        if not creations:
            return []
        written = self.write(creations, "capture")
        return [
            fold(record, (), kind=creation.kind, name=record.id or "")
            for creation, record in zip(creations, written, strict=True)
        ]

    def write(self, writes: Sequence[Write], reason: str) -> list[Record]:
        """Write what was prepared, in one commit for each kind; what depends on it follows."""
        written = self.ledger.write(writes, reason)
        created = zip(writes, written, strict=True)
        sessions = [record.uid for w, record in created if getattr(w, "kind", "") == SESSIONS]
        if sessions:
            from recollect.typed.session_rollover import retire_oldest

            try:
                self.rolled_out = retire_oldest(self, sessions)
            except RecollectError as error:  # what was asked for is written
                self.ledger.warnings.append(f"Old sessions were not retired: {error.message}")
        moved = [getattr(w, "of", "") for w in writes if "status" in w.fields]
        if moved:
            from recollect.sleep.purge import follow_status

            follow_status(self, moved)
        self.mirror()
        return written

    def mirror(self) -> None:
        """Bring the mirror up to date, where there is one; what goes wrong is told, not raised."""
        if self.config.flag("mirror.enabled") and not self.is_hurried:
            from recollect.mirror.mirror import follow

            follow(self)

    def prepare(self, record: Mapping[str, Any], nonce: str | None = None) -> Creation:
        """A memory that can be written, with a new nonce or one that it was given before."""
        from recollect.store.prepare import prepare

        return prepare(self, record, nonce)

    def update(
        self,
        memory_id: str,
        *,
        summary: str | None = None,
        body: str | None = None,
        if_version: str = "",
        **fields: Any,
    ) -> Memory:
        """Change a memory; a field set to None is taken back. The history keeps what it was.

        With `if_version`, one that is at another version by now is left alone: a conflict.
        """
        from recollect.store.prepare import prepare_update

        memory = self.get(memory_id)
        change = prepare_update(self, memory, summary, body, fields)
        if change is None:
            return memory
        return self._write(change._replace(expected=if_version), "edit")

    def set_status(self, memory_id: str, status: str, reason: str = "") -> Memory:
        """Resolve, archive, retire or restore a memory; an illegal step is refused."""
        from recollect.store.prepare import prepare_status

        change = prepare_status(self, self.get(memory_id), status, reason)
        return self._write(change, str(change.fields["status"]))

    def _write(self, change: Change, reason: str) -> Memory:
        self.write([change], reason)
        return self.get(change.of)

    def purge(self, memory_id: str) -> list[str]:
        """Erase a memory for good, here and, after the next sync, in every clone.

        The uid of a quarantined record will do. Gives what could not be erased, in sentences.
        """
        from recollect.sleep.purge import purge_named

        return purge_named(self, memory_id)

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides hold the same."""
        from recollect.api.health import untrusted_programs
        from recollect.api.sync import sync

        self.ledger.warnings += untrusted_programs(self)
        return sync(self, remote)

    # Reading

    def refresh(self, progress: Progress | None = None) -> None:
        """Read what changed in the ledger since the last time."""
        self.indexing.fresh(progress)

    def get(self, memory_id: str) -> Memory:
        """The memory of an id; refuses one that means none, or several."""
        found = self.candidates(memory_id)
        if not found:
            raise NotFound(f"There is no memory {memory_id}")
        if len(found) > 1:
            names = [memory.id for memory in found]
            raise Ambiguous(f"{memory_id} means {len(found)} memories.", names)
        typed = parse_name(memory_id)
        if typed is not None and not typed.tail and "~" in found[0].id:
            # An id must never silently come to mean another memory.
            raise Ambiguous(f"{memory_id} was also the id of a purged memory.", [found[0].id])
        return found[0]

    def candidates(self, memory_id: str) -> list[Memory]:
        """Every memory that an id can mean."""
        return self.indexing.using(lambda index: index.resolve(memory_id))

    def memories(self, *, newest_first: bool = False, **filters: Any) -> list[Memory]:
        """Memories that pass the filters, oldest first; active and resolved ones by default."""
        wanted = self._filters(**filters)
        return self.indexing.using(lambda index: index.select(wanted))[:: -1 if newest_first else 1]

    def newest(self, limit: int, **filters: Any) -> list[Memory]:
        """The newest memories that pass the filters; no author crowds out others."""
        wanted, now = self._filters(**filters), self.ledger.clock().timestamp()
        return self.indexing.using(lambda index: index.newest(wanted, limit, now))

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        mode: str | None = None,
        min_similarity: float | None = None,
        as_of: str | None = None,
        counting: bool = True,
        **filters: Any,
    ) -> list[Hit]:
        """The memories that answer a query, best first, each with its score and why.

        Private, secret and unclassified memories are found only when `sensitivity` asks for them.
        Without `counting`, whoever shows some of the hits to a reader notes that.
        """
        chosen = mode or self.config.text("recall.match_strategy")
        if chosen not in MODES:
            raise ValidationError(
                f"There is no mode {chosen!r}.", "Use one of: " + ", ".join(MODES)
            )
        filters.setdefault("sensitivity", ("public",))
        now = self.ledger.clock().timestamp()
        wanted = self._filters(**filters)._replace(alive_at=now)
        question = Question(query, max(1, limit), chosen, wanted, min_similarity)
        if as_of is not None:
            moment = self.moment(as_of)
            return search(self.indexing.as_of(moment), question, now=seconds(moment) or now)
        # What is recent is counted from the end of the time that was asked about.
        asked_at = min(now, wanted.until) if wanted.until is not None else now

        def answer(index: Index) -> list[Hit]:
            # Filters name a moment, `alive_at`, that is another one each time.
            state = (
                question._replace(filters=wanted._replace(alive_at=None)),
                *index.cursor().items(),
            )
            known = self._cache.get(state, now) if self._cache is not None else None
            if known is not None:
                return known
            embed = self._embed(index, chosen)
            hits = search(
                index,
                question,
                now=asked_at,
                embed=embed,
                uses=self.local.usage.uses,
                decay_per_day=self.config.number("sleep.decay_per_day"),
            )
            if self._cache is not None:
                self._cache.put(state, hits, now)
            return hits

        hits = self.indexing.using(answer)
        if counting:
            self.local.usage.record([hit.memory.uid for hit in hits], "shown", now)
        return hits

    def _embed(self, index: Index, mode: str) -> Embed | None:
        """How to turn a query into a vector, once every memory has its own."""
        if mode not in ("hybrid", "semantic"):
            return None
        embedder = self.indexing.embedder
        if embedder is None:
            return None
        if index.count_pending(embedder.name) <= _MOST_PENDING:
            self.indexing.embed_pending(index)
        return lambda text: embedder.embed([text])[0]

    def moment(self, text: str) -> str:
        """A date, an age such as `30d`, or a revision, as a timestamp."""
        from recollect.store.time_parsing import moment_named

        return moment_named(text, self.ledger.clock(), self.ledger.repository)

    def _filters(self, **options: Any) -> Filters:
        from recollect.store.filters import make_filters

        return make_filters(
            options, project=self.project, moment=self.moment, holds=self._holds_kind
        )

    def _holds_kind(self, kind: str) -> bool:
        """Whether the ledger has memories of a kind, known to this version or not."""
        return self.indexing.fresh().count(Filters(kind=kind, statuses=ALL)) > 0

    def history(self, memory_id: str) -> list[Record]:
        """The records of a memory: its creation, then its updates."""
        uid = self.get(memory_id).uid
        return self.indexing.using(lambda index: index.history(uid))

    def journal(self) -> list[tuple[Record, Place]]:
        """Every record of the ledger, oldest first: creations, updates, purges."""
        records = self.indexing.using(lambda index: list(index.journal()))
        if self.project is None:
            return records
        mine = {memory.uid for memory in self.memories(status="all")}
        return [(record, place) for record, place in records if record.memory_uid in mine]

    def short_name(self, memory: Memory) -> str:
        """The shortest name that means this memory only."""
        return self.indexing.using(lambda index: index.short_name(memory))

    def files(self, memory: Memory) -> list[tuple[str, str]]:
        """The files that the memory's commit changed, as they were then."""
        from recollect.ledger.files import files_of_commit

        name = parse_name(memory.id)
        return files_of_commit(self.ledger.repository, name.anchor) if name else []

    def used(self, memories: Iterable[Memory]) -> None:
        """Note that memories were fetched by a reader, which makes them stronger."""
        now = self.ledger.clock().timestamp()
        self.local.usage.record([memory.uid for memory in memories], "fetched", now)

    def verify(self) -> list[Finding]:
        """Compare the index with everything that the refs hold."""
        from recollect.api.health import check_records

        return list(check_records(self.ledger, self.indexing))

    def doctor(self) -> list[Finding]:
        """Look at everything that can be wrong, and say what to do."""
        from recollect.api.health import check_all

        return check_all(self)
