"""The mirrors: what a remote has is there after one refresh, and what it has no more is gone."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import pytest

import recollect
from recollect.api.following import follow_remote, write_to_remote
from recollect.api.opening import open_followed
from recollect.errors import PushRejected, SyncError
from tests.sandbox import Sandbox, install_hook
from tests.server.place import REPOSITORIES, SECRET, TeamPlace

_LOOKS = 'recollect_refreshes_total{result="ok"}'
_NO_MODEL = {"RECOLLECT_EMBEDDING_MODEL": "none"}


def _environment() -> dict[str, str]:
    return {**os.environ, **_NO_MODEL}


def test_a_mirror_has_the_notes_and_nothing_else(sandbox: Sandbox, hub: Path) -> None:
    """No commit of the code, no file, no history of the notes."""
    clone = sandbox.open(sandbox.clone("a"))
    for number in range(3):
        clone.capture("notes", f"Note {number}")
    clone.sync()
    path = sandbox.root / "mirror.git"

    with open_followed(path, hub.as_uri(), _environment()) as store:
        assert follow_remote(store, hub.as_uri()).changed
        assert not follow_remote(store, hub.as_uri()).changed
        assert {memory.summary for memory in store.memories()} == {"Note 0", "Note 1", "Note 2"}

    assert set(sandbox.refs(path, "refs")) == {"refs/notes/mem/notes", "refs/mem/seen/notes"}
    commits = sandbox.git(path, "rev-list", "--all").splitlines()
    assert len(commits) == 1
    assert b"file-" not in sandbox.all_bytes(path)


def test_a_purge_is_gone_after_one_look(sandbox: Sandbox, hub: Path) -> None:
    """Its text is in no object and in no file of the mirror."""
    clone = sandbox.open(sandbox.clone("a"))
    doomed = clone.capture("notes", "The swordfish password rule")
    clone.capture("notes", "Kept")
    clone.sync()
    path = sandbox.root / "mirror.git"
    with open_followed(path, hub.as_uri(), _environment()) as store:
        follow_remote(store, hub.as_uri())
        assert b"swordfish" in sandbox.all_bytes(path)
        clone.purge(doomed.uid)
        clone.sync()

        assert follow_remote(store, hub.as_uri()).removed

        assert [memory.summary for memory in store.memories()] == ["Kept"]
    assert b"swordfish" not in sandbox.all_bytes(path)
    files = [file for file in path.rglob("*") if file.is_file()]
    assert not [file for file in files if b"swordfish" in file.read_bytes()]


def test_a_purge_is_gone_although_the_look_before_was_killed(sandbox: Sandbox, hub: Path) -> None:
    """What had not followed when a process died is compared again."""
    clone = sandbox.open(sandbox.clone("a"))
    doomed = clone.capture("notes", "The swordfish password rule")
    clone.sync()
    path = sandbox.root / "mirror.git"
    with open_followed(path, hub.as_uri(), _environment()) as store:
        follow_remote(store, hub.as_uri())
        clone.purge(doomed.uid)
        clone.sync()
        # The fetch was the last thing that the killed process did.
        refs = "+refs/notes/mem/*:refs/notes/mem/*", "+refs/notes/mem/*:refs/mem/seen/*"
        sandbox.git(path, "fetch", "--quiet", "--depth=1", hub.as_uri(), *refs)
        assert b"swordfish" in sandbox.all_bytes(path)

        assert follow_remote(store, hub.as_uri()).removed

    assert b"swordfish" not in sandbox.all_bytes(path)


def test_what_a_remote_drops_is_dropped(sandbox: Sandbox, hub: Path) -> None:
    """Also without a purge: somebody deleted a ref there."""
    clone = sandbox.open(sandbox.clone("a"))
    clone.capture("notes", "Kept")
    clone.capture("decisions", "Dropped")
    clone.sync()
    path = sandbox.root / "mirror.git"
    with open_followed(path, hub.as_uri(), _environment()) as store:
        follow_remote(store, hub.as_uri())
        sandbox.git(hub, "update-ref", "-d", "refs/notes/mem/decisions")

        follow_remote(store, hub.as_uri())

        assert [memory.summary for memory in store.memories()] == ["Kept"]
    assert b"Dropped" not in sandbox.all_bytes(path)


def test_a_sha256_remote(sandbox: Sandbox) -> None:
    """The mirror has the format of its remote."""
    hub = sandbox.init("hub.git", "--bare", "--object-format=sha256")
    repo = sandbox.init("repo", "--object-format=sha256")
    sandbox.commit(repo)
    sandbox.git(repo, "remote", "add", "origin", str(hub))
    sandbox.git(repo, "push", "--quiet", "origin", "main")
    clone = sandbox.open(repo)
    clone.capture("notes", "Long ids")
    clone.sync()

    with open_followed(sandbox.root / "mirror.git", str(hub), _environment()) as store:
        follow_remote(store, str(hub))

        assert [memory.summary for memory in store.memories()] == ["Long ids"]


def test_a_remote_that_is_not_there(sandbox: Sandbox) -> None:
    """The error says how to look for the reason, and leaves no half mirror behind."""
    path, url = sandbox.root / "mirrors" / "mirror.git", (sandbox.root / "nowhere").as_uri()

    with pytest.raises(SyncError, match="cannot be read") as caught:
        open_followed(path, url, _environment())

    assert "git ls-remote" in caught.value.hint
    assert not path.exists()


def test_writing_reaches_the_remote(sandbox: Sandbox, hub: Path) -> None:
    """Everybody gets it with their next sync, with the person as its author."""
    url = hub.as_uri()
    with open_followed(sandbox.root / "m.git", url, _environment(), author="Eve <e@x>") as store:
        written = write_to_remote(store, url, lambda: store.capture("notes", "By Eve", at=None))

    clone = sandbox.open(sandbox.clone("a"))
    clone.sync()
    (memory,) = clone.memories()
    assert (memory.uid, memory.author) == (written.uid, "Eve <e@x>")


def test_a_refused_write_leaves_nothing_behind(sandbox: Sandbox, hub: Path) -> None:
    """The mirror is as the remote is: no ref, no object, no row."""
    url, path = hub.as_uri(), sandbox.root / "m.git"
    install_hook(hub, "pre-receive", "echo permission denied >&2; exit 1")
    with open_followed(path, url, _environment(), author="Eve <e@x>") as store:
        with pytest.raises(PushRejected, match="refused"):
            write_to_remote(store, url, lambda: store.capture("notes", "swordfish", at=None))

        assert store.memories(status="all") == []
    assert sandbox.refs(path, "refs") == {}
    assert b"swordfish" not in sandbox.all_bytes(path)
    files = [file for file in path.rglob("*") if file.is_file()]
    assert not [file for file in files if b"swordfish" in file.read_bytes()]


def test_a_write_that_lost_a_race_starts_again(sandbox: Sandbox, hub: Path) -> None:
    """Somebody else pushes between our look and our push: both memories are there."""
    url = hub.as_uri()
    clone = sandbox.open(sandbox.clone("a"))
    tries = []

    with open_followed(sandbox.root / "m.git", url, _environment(), author="Eve <e@x>") as store:

        def write() -> str:
            tries.append(1)
            if len(tries) == 1:
                clone.capture("notes", "Faster")
                clone.sync()
            return store.capture("notes", "Slower", at=None).uid

        write_to_remote(store, url, write)

        assert {memory.summary for memory in store.memories()} == {"Faster", "Slower"}
    assert len(tries) == 2
    clone.sync()
    assert {memory.summary for memory in clone.memories()} == {"Faster", "Slower"}


def test_a_webhook_needs_the_secret(place: TeamPlace) -> None:
    """With the right signature the server fetches at once, long before the interval."""
    place.write_config(interval=86_400)
    place.start(RECOLLECT_SERVER_WEBHOOK_SECRET=SECRET)
    token = place.token("Ada", "web")
    place.remember("web", "notes", "News of Quorvex")
    body = b'{"ref": "refs/notes/mem/notes"}'
    wrong = hmac.new(b"another secret", body, hashlib.sha256).hexdigest()
    right = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()

    def knock(signature: str, name: str = "web") -> int:
        headers = {"x-hub-signature-256": signature} if signature else {}
        return place.ask("POST", f"/hooks/fetch/{name}", body=body, headers=headers).status

    for signature in ("", right, "sha256=", f"sha256={wrong}", f"sha1={right}"):
        assert knock(signature) == 403
    assert knock(f"sha256={right}", "elsewhere") == 404
    assert not place.search(token, "Quorvex")
    assert knock(f"sha256={right}") == 202
    place.wait(lambda: place.search(token, "Quorvex"))


def test_a_purge_reaches_the_server(place: TeamPlace) -> None:
    """It is found no more, by search and by id, and its text is nowhere in the data.

    That means the rows, the vectors, the mirror, and dead rows, which stay until a vacuum that no
    older transaction hinders.
    """
    place.start(RECOLLECT_EMBEDDING_MODEL="default")
    token = place.token("Ada", *REPOSITORIES)
    uid = place.remember("web", "notes", "The swordfish password rule")
    place.wait(lambda: place.search(token, "swordfish"))
    of_it = f"SELECT count(*) FROM memory JOIN chunk ON memory = memory.key WHERE uid = '{uid}'"
    place.wait(lambda: place.rows(of_it) == [(1,)])

    with recollect.open(place.clone("web")) as store:
        store.purge(uid)
        store.sync()

    place.wait(lambda: not place.search(token, "swordfish"))
    place.wait(lambda: b"swordfish" not in place.sandbox("web").all_bytes(place.mirror("web")))
    assert place.call(token, "get_memory", id=uid)[1]
    place.wait(lambda: place.rows("SELECT 1 FROM meta WHERE key IN ('purged', 'unerased')") == [])
    assert place.rows("SELECT 1 FROM chunk WHERE memory NOT IN (SELECT key FROM memory)") == []
    assert place.rows("SELECT 1 FROM posting WHERE term LIKE 'swordfish%'") == []


def test_many_new_memories_do_not_keep_the_lock(place: TeamPlace) -> None:
    """They get their vectors in several looks; meanwhile somebody can write, and it can end."""
    with recollect.open(place.clone("web")) as store:
        store.capture_many(
            [{"kind": "notes", "summary": f"Note {n} of many", "body": "x"} for n in range(150)]
        )
        store.sync()
    place.write_config(interval=86_400)
    place.start(RECOLLECT_EMBEDDING_MODEL="default")

    place.wait(lambda: place.rows("SELECT count(*) FROM memory WHERE embedded = 0") == [(0,)])

    assert place.rows("SELECT count(*) FROM memory") == [(156,)]
    # Three looks for this one, one for each of the others; the last is counted when it has ended.
    place.wait(lambda: _looks(place) >= 5)


def _looks(place: TeamPlace) -> float:
    """How many looks at remotes have succeeded."""
    lines = place.ask("GET", "/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(_LOOKS))


def test_one_remote_that_fails_stops_no_other(place: TeamPlace) -> None:
    """The server is ready, says that one fails, and goes on with the others."""
    place.hub("infra").rename(place.root / "elsewhere.git")
    place.start()
    token = place.token("Ada", *REPOSITORIES)

    assert {hit["repository"] for hit in place.search(token, "PostgreSQL")} == {"billing", "web"}
    assert place.ask("GET", "/readyz").json()["failing"] == 1

    (place.root / "elsewhere.git").rename(place.hub("infra"))
    place.wait(lambda: "infra" in {hit["repository"] for hit in place.search(token, "PostgreSQL")})
