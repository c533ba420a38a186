"""Search through the public API: modes, filters, reasons, and an index that may be gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from recollect.api.recollect import Recollect
from recollect.errors import ValidationError
from recollect.index.protocol import Index
from recollect.index.sqlite.index import SqliteIndex
from recollect.search.constants import HALF_LIFE_DAYS
from recollect.search.rendering import render_memory, render_title, says_all, shorten_titles
from recollect.search.scoring import fuse
from recollect.search.search import Question, search
from recollect.search.tokens import count_tokens
from tests.cli.running import gives, says
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with two commits."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """A memory that knows a few things."""
    store = sandbox.open(repo)
    store.capture_many(
        [
            {
                "kind": "decisions",
                "summary": "Use PostgreSQL for persistence",
                "body": "Two workers write at once; SQLite makes one wait.",
                "tags": ["database"],
                "files_modified": ["src/store.py"],
                "spec": "orders",
            },
            {"kind": "learnings", "summary": "node-fetch drops cookies on redirects"},
            {"kind": "learnings", "summary": "The parseNote function is slow", "importance": 0.9},
            {"kind": "notes", "summary": "My token for staging", "sensitivity": "secret"},
            {"kind": "notes", "summary": "Unclassified import", "sensitivity": "unknown"},
            {"kind": "notes", "summary": "An expired plan", "ttl": 1, "created": "2020-01-01"},
        ]
    )
    return store


def summaries(store: Recollect, query: str, **options: object) -> list[str]:
    """What a keyword search finds, best first."""
    options.setdefault("mode", "text")
    return [hit.memory.summary for hit in store.search(query, **options)]  # type: ignore[arg-type]


def test_the_right_memory_comes_first(store: Recollect) -> None:
    """Words of the body and the summary lead to it; the hit says why."""
    hit = store.search("which database do two workers need", mode="text")[0]

    assert hit.memory.summary == "Use PostgreSQL for persistence"
    assert 0 < hit.score <= 1
    assert hit.why.keyword > 0
    assert hit.why.vector == 0
    assert set(hit.why.as_json()) >= {"match", "recency", "importance", "trust"}


def test_recall_is_gated_by_sensitivity(store: Recollect) -> None:
    """Public passes; private and secret on request; unknown never by itself."""
    assert summaries(store, "token staging import") == []
    assert summaries(store, "token", sensitivity=["secret"]) == ["My token for staging"]
    assert summaries(store, "import", sensitivity="unknown") == ["Unclassified import"]


def test_expired_memories_are_not_found(store: Recollect) -> None:
    """A memory whose time to live is over stays in the ledger and out of recall."""
    assert summaries(store, "expired plan") == []
    assert "An expired plan" in [m.summary for m in store.memories()]


def test_archived_memories_are_found_on_request(store: Recollect) -> None:
    """Default recall sees active and resolved."""
    (hit,) = store.search("cookies", mode="text")
    store.set_status(hit.memory.id, "resolved")
    assert summaries(store, "cookies") == [hit.memory.summary]
    store.set_status(hit.memory.id, "archived")

    assert summaries(store, "cookies") == []
    assert summaries(store, "cookies", status="all") == [hit.memory.summary]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"kind": "learning"}, 0),
        ({"kind": "decision"}, 1),
        ({"tag": "Database"}, 1),
        ({"tags": ["database", "other"]}, 0),
        ({"spec": "orders"}, 1),
        ({"file": "src"}, 1),
        ({"file": "docs"}, 0),
        ({"since": "1h"}, 1),
        ({"until": "1h"}, 0),
        ({"since": "2020-01-01", "until": "2099-01-01"}, 1),
    ],
)
def test_filters(store: Recollect, filters: dict[str, object], count: int) -> None:
    """Every filter narrows what is found."""
    assert len(summaries(store, "postgresql", **filters)) == count


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "magic"},
        {"kind": "dreams"},
        {"status": "odd"},
        {"since": "-x"},
        {"since": "no such branch"},
        {"sensitivity": "classified"},
        {"color": "red"},
    ],
)
def test_bad_options_are_refused(store: Recollect, options: dict[str, object]) -> None:
    """A filter that cannot be is an error that says what can."""
    with pytest.raises(ValidationError) as caught:
        store.search("x", **options)  # type: ignore[arg-type]

    assert caught.value.hint


def test_title_and_tags_mode_is_deterministic(store: Recollect) -> None:
    """A tag gives 3 points, a title word 2, a prefix 1, and a new memory one more."""
    (hit,) = store.search("persist the database", mode="title_tags")

    assert (hit.memory.summary, hit.score) == ("Use PostgreSQL for persistence", 5)
    assert [hit.score for hit in store.search("slow", mode="title_tags")] == [3]
    assert store.search("pelican", mode="title_tags") == []


def test_as_of_answers_from_the_past(sandbox: Sandbox, repo: Path) -> None:
    """What was written later is not known yet; what was changed later is as it was."""
    store = sandbox.open(repo)
    old = store.capture("notes", "The cache lives in Redis", created="2024-03-01")
    store.capture("notes", "The cache lives in memory", created="2024-06-01")
    store.update(old.id, summary="The cache moved")

    found = store.search("cache", mode="text", as_of="2024-04-01")

    assert [hit.memory.summary for hit in found] == ["The cache lives in Redis"]
    assert len(store.search("cache", mode="text")) == 2
    assert store.search("cache", mode="text", as_of="HEAD~1") == []


@pytest.mark.parametrize("moment", ["2024-02-01", "2024-04-01", "2024-08-01", "2024-11-01"])
def test_the_past_is_the_same_however_it_is_made(sandbox: Sandbox, repo: Path, moment: str) -> None:
    """Built from the records of then, or by taking back what came later, and asked again."""
    store = sandbox.open(repo)
    for month in range(1, 10):
        text = f"Note {month} about the cache"
        memory = store.capture("notes", text, f"{month} times", created=f"2024-0{month}-15")
        if month % 3 == 0:
            store.update(memory.uid, summary=f"Changed {month}", tags=["late"])
    store.refresh()
    index = store.indexing.without_refresh()
    assert isinstance(index, SqliteIndex)
    at = store.moment(moment)
    built = SqliteIndex(None, lambda: store.ledger.author)
    built.apply(index.notes_at(at), since={}, cursor=index.cursor())

    past = store.indexing.as_of(at)

    assert isinstance(past, SqliteIndex)
    assert past.fingerprints() == built.fingerprints()
    assert store.indexing.as_of(at) is past
    store.capture("notes", "Nobody knew this then", created=f"{moment}T00:00:00Z")
    assert store.search("knew", mode="text", as_of=moment)


def test_without_the_index_the_answers_are_the_same(
    sandbox: Sandbox, repo: Path, store: Recollect
) -> None:
    """The index is derived: deleting it, or breaking it, changes no answer, statuses included."""
    (hit,) = store.search("cookies", mode="text")
    store.set_status(hit.memory.id, "archived", "old")
    expected = (store.memories(status="all"), summaries(store, "postgresql", status="all"))
    path = store.indexing.path
    store.close()
    for damage in (b"", b"garbage" * 5000, None):
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
        again = sandbox.open(repo)

        found = (again.memories(status="all"), summaries(again, "postgresql", status="all"))
        assert found == expected
        again.close()


def test_a_purge_leaves_nothing_in_the_index_files(store: Recollect) -> None:
    """Neither the index, nor its write-ahead log, nor any other file of ours holds a word of it."""
    memory = store.capture("notes", "The password is xylophone-8831", "xylophone-8831")
    store.search("xylophone", mode="text")

    store.purge(memory.id)

    for path in store.indexing.path.parent.iterdir():
        assert b"xylophone" not in path.read_bytes(), path


def test_use_raises_trust_and_being_shown_does_not(store: Recollect) -> None:
    """What a reader fetched is trusted more; what was merely among the answers is not."""
    first = store.search("cookies", mode="text")[0]
    assert store.search("cookies", mode="text")[0].why.trust == first.why.trust

    store.used([first.memory])

    assert store.search("cookies", mode="text")[0].why.trust > first.why.trust


def test_verify_and_repair(store: Recollect) -> None:
    """What the index lacks, has too much, or has wrong is found, and a rebuild mends it."""
    assert all(finding.level == "ok" for finding in store.verify())
    index = store.indexing.without_refresh()
    assert isinstance(index, SqliteIndex)
    index._db.execute("DELETE FROM record WHERE uid IN (SELECT uid FROM record LIMIT 1)")
    index._db.execute("UPDATE record SET text = x'78' WHERE uid IN (SELECT max(uid) FROM record)")
    problems = [finding for finding in store.verify() if finding.level == "problem"]
    assert len(problems) == 2

    store.indexing.rebuild()

    assert all(finding.level == "ok" for finding in store.verify())


def test_a_repository_without_a_place_for_the_index(
    sandbox: Sandbox, repo: Path, store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the index cannot be written it is built in memory, and answers all the same."""
    store.close()
    state = store.indexing.path.parent
    for path in sorted(state.iterdir()):
        path.unlink()
    state.rmdir()
    state.write_text("a file where the folder should be")

    assert summaries(sandbox.open(repo), "cookies") == ["node-fetch drops cookies on redirects"]
    state.unlink()


def test_files_of_the_commit(sandbox: Sandbox, repo: Path) -> None:
    """The deepest level shows the files of the memory's commit as they were."""
    (repo / "a.txt").write_text("one\n")
    sandbox.commit(repo)
    store = sandbox.open(repo)
    memory = store.capture("notes", "About this commit")
    (repo / "a.txt").write_text("two\n")
    sandbox.commit(repo)

    assert ("a.txt", "one\n", 0) in store.files(memory)


def test_commit_info_and_a_mark_where_files_were_cut(sandbox: Sandbox, repo: Path) -> None:
    """The commit of a memory with author, date and subject; what is too long or much is said."""
    for number in range(22):
        (repo / f"part-{number}.txt").write_text("x" * (102_400 + 7 if number == 0 else 3))
    commit = sandbox.commit(repo, "Many parts")
    store = sandbox.open(repo)
    memory = store.capture("notes", "About this commit")

    found = store.commit_info(memory)
    assert found is not None
    assert (found.sha, found.author, found.subject) == (
        commit,
        "Ada <ada@example.com>",
        "Many parts",
    )
    assert found.date.startswith("2024-01-01T00:")
    files = store.files(memory)
    assert (len(files), files.left_out) == (20, 3)
    assert {file.path: file.cut for file in files if file.cut} == {"part-0.txt": 7}
    for level in ("full", "files"):
        shown = gives(repo, "show", memory.uid, "--level", level)
        assert shown["commit_info"]["subject"] == "Many parts"
    assert shown["files_left_out"] == 3
    assert [file["cut_bytes"] for file in shown["files"] if "cut_bytes" in file] == [7]
    said = says(repo, "show", memory.uid, "--level", "files")
    assert "commit:      " + commit[:7] + " Many parts (Ada <ada@example.com>)" in said
    assert "[cut: 7 more bytes]" in said
    assert "[files that are not shown: 3]" in said
    assert "commit_info" not in gives(repo, "show", memory.uid, "--level", "summary")
    assert store.commit_info(store.capture("notes", "Of the project", at=None)) is None


def test_a_binary_file_takes_no_place(sandbox: Sandbox, repo: Path) -> None:
    """Twenty text files are shown, whatever stands between them."""
    for number in range(5):
        (repo / f"a-{number}.png").write_bytes(b"\x89PNG\0")
    for number in range(21):
        (repo / f"b-{number}.txt").write_text("text")
    sandbox.commit(repo)
    store = sandbox.open(repo)

    files = store.files(store.capture("notes", "About this commit"))

    assert [file.path[:2] for file in files] == ["b-"] * 20
    assert files.left_out == 5 + 1 + 1  # and the file that `commit` adds


def test_batch_get_by_ids_and_access_count(sandbox: Sandbox, repo: Path) -> None:
    """Several ids in one call, each with how often it was read."""
    store = sandbox.open(repo)
    one, two = (store.capture("notes", summary) for summary in ("Storks", "Cranes"))

    assert [m.summary for m in store.get_many([two.uid, "nothing", one.id])] == ["Cranes", "Storks"]
    shown = gives(repo, "show", two.uid, one.uid)
    assert [(m["summary"], m["access_count"]) for m in shown] == [("Cranes", 0), ("Storks", 0)]
    says(repo, "show", two.uid)
    for command in (("list",), ("search", "cranes"), ("timeline",)):
        counts = {m["summary"]: m["access_count"] for m in gives(repo, *command)}
        assert counts["Cranes"] == 2
    assert "Storks" in says(repo, "show", two.uid, one.uid)


def test_substring_query(store: Recollect) -> None:
    """A part of the text as it is, across words and signs, in any case; newest first."""
    assert summaries(store, "at once; sqlite MAKES", mode="substring") == [
        "Use PostgreSQL for persistence"
    ]
    assert summaries(store, "e-fetch drops", mode="substring") == [
        "node-fetch drops cookies on redirects"
    ]
    assert summaries(store, "once sqlite", mode="substring") == []
    assert summaries(store, "token for staging", mode="substring") == []  # it is secret


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_similarity_outside_0_to_1_is_refused(store: Recollect, least: float) -> None:
    """With what is allowed."""
    with pytest.raises(ValidationError) as caught:
        store.search("x", min_similarity=least)
    assert "from 0 to 1" in caught.value.hint


def test_the_half_life_is_a_key(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recency counts half after so many days; the default is that of the score."""
    store = sandbox.open(repo)
    store.capture("notes", "Egrets", created=store.moment("10d"))
    assert store.config.number("recall.half_life_days") == HALF_LIFE_DAYS
    monkeypatch.setenv("RECOLLECT_RECALL_HALF_LIFE_DAYS", "10")
    (hit,) = sandbox.open(repo).search("egrets", mode="text")
    assert hit.why.recency == pytest.approx(0.5, abs=0.01)


def test_a_search_stops_where_answers_stop(store: Recollect) -> None:
    """What only shares a word, or nothing, is counted; `weaker` shows it, after the answers."""
    nothing = store.search("photosynthesis in plants")
    found = store.search("which database do we use")
    everything = store.search("which database do we use", weaker=True)

    assert nothing == []
    assert [hit.memory.summary for hit in found] == ["Use PostgreSQL for persistence"]
    assert everything[0].memory.uid == found[0].memory.uid
    assert everything.weaker == 0
    assert len(everything) == len(found) + found.weaker
    assert store.search("which database do we use", limit=1).weaker == 0


@pytest.mark.parametrize("query", ["Postg", "postgr database", "cook", "redir"])
def test_a_part_of_a_word_is_enough(store: Recollect, query: str) -> None:
    """It is an answer, with and without vectors."""
    assert store.search(query)
    assert store.search(query, mode="text")


def test_a_question_that_names_a_time(sandbox: Sandbox, repo: Path) -> None:
    """What is from that time answers; if nothing is, the time says nothing."""
    store = sandbox.open(repo)
    for created in ("2024-05-20", "2025-08-02"):
        store.capture(
            "decisions", f"The cache expires daily, said {created}", created=f"{created}T12:00:00Z"
        )

    def found(query: str) -> list[str]:
        return [hit.memory.summary[-10:] for hit in store.search(query)]

    assert found("when does the cache expire in May 2024") == ["2024-05-20"]
    assert found("when does the cache expire since 2025") == ["2025-08-02"]
    assert set(found("when does the cache expire in 2020")) == {"2024-05-20", "2025-08-02"}
    assert found("in May 2024") == ["2024-05-20"]
    assert store.search("when does the cache expire in May 2024").weaker == 1


def test_a_question_that_names_a_release(sandbox: Sandbox, repo: Path) -> None:
    """The tags of the repository say when it was; without a tag, the words are words.

    The commits of the sandbox are from the beginning of 2024.
    """
    store = sandbox.open(repo)
    for created in ("2023-05-20", "2025-08-02"):
        store.capture(
            "decisions", f"The cache expires daily, said {created}", created=f"{created}T12:00:00Z"
        )
    before = store.search("when did the cache expire before v2")
    sandbox.git(repo, "tag", "v2.0.0")

    after = store.search("when did the cache expire before v2")
    assert len(before) == len(after) == 2
    assert after[0].memory.summary.endswith("2023-05-20")
    assert after[0].score > before[0].score


def test_questions_are_never_in_front_of_an_agent(store: Recollect) -> None:
    """They are for finding a memory, not for reading it."""
    asked = "where do the penguins live?"
    memory = store.capture("notes", "The zoo is closed", "Until May.", asked_as=[asked])

    assert [hit.memory.uid for hit in store.search("penguins")] == [memory.uid]
    for text in (render_memory(memory, "1d"), render_memory(memory, "1d", brief=True)):
        assert "zoo" in text
        assert "penguin" not in text
    assert "penguin" not in render_title(memory, "1d")


def test_age_counts_where_the_question_asks_for_what_is_new(sandbox: Sandbox, repo: Path) -> None:
    """An old memory that answers better stays first, unless somebody asks for the latest."""
    store = sandbox.open(repo)
    store.capture_many(
        [
            {
                "kind": "notes",
                "summary": "The deploy window of the staging cluster",
                "body": "The window is on Tuesday.",
                "created": "2020-01-01",
            },
            {"kind": "notes", "summary": "The deploy window moved"},
        ]
    )
    old, new = "The deploy window of the staging cluster", "The deploy window moved"

    assert summaries(store, "deploy window of staging")[0] == old
    timely = [hit for hit in store.search("latest deploy window", mode="text") if hit.why.timely]
    assert {hit.memory.summary for hit in timely} == {old, new}
    assert timely[0].memory.summary == new
    assert not any(hit.why.timely for hit in store.search("deploy window", mode="text"))


def test_neighbours_in_a_talk_support_a_match() -> None:
    """What stands beside a match gets a share of it; two places away, a smaller one."""
    near = {"a": 0.2, "b": 0.5, "c": 0.2, "z": 0.2}

    found = fuse({"b": 0.5}, near, {}, [["z", "c", "b", "a"]])

    assert found["a"].relative > found["z"].relative > 0
    assert found["c"].relative > found["z"].relative
    assert found["a"].both == found["z"].both


def test_what_is_near_to_everything_counts_less() -> None:
    """Of two that are as near to the query, the one that is apart from others comes first."""
    found = fuse({}, {"hub": 0.5, "apart": 0.5}, {"hub": 0.6, "apart": 0.1})

    assert found["apart"].relative > found["hub"].relative
    assert found["apart"].vector == found["hub"].vector == 0.5


def test_archived_memories_rank_by_their_own_age(sandbox: Sandbox, repo: Path) -> None:
    """Who archives an old memory does not make it new."""
    store = sandbox.open(repo)
    ages = {"2024-01-01T00:00:00Z": "Old pelicans", "2999-01-01T00:00:00Z": "New pelicans"}
    for created, summary in ages.items():
        store.set_status(store.capture("learnings", summary, created=created).uid, "archived")

    hits = store.search("pelicans", mode="text", status="archived", weaker=True)
    strengths = {hit.memory.summary: hit.why.strength for hit in hits}
    assert strengths["Old pelicans"] == 0.0
    assert strengths["New pelicans"] == 0.5


def test_filter_by_observation_type(sandbox: Sandbox, repo: Path) -> None:
    """In search and in lists; a type that does not exist is refused."""
    store = sandbox.open(repo)
    store.capture("learnings", "Herons wait", observation_type="discovery")
    store.capture("learnings", "Herons fish", observation_type="bugfix")
    store.capture("learnings", "Herons fly")

    assert summaries(store, "herons", observation_type="bugfix") == ["Herons fish"]
    assert [one.memory.summary for one in store.browse(observation_type="Discovery")] == [
        "Herons wait"
    ]
    with pytest.raises(ValidationError, match="no type"):
        store.browse(observation_type="guess")


def test_titles_share_their_tokens() -> None:
    """Long ones are cut at a word, short ones stay whole, and all of them fit."""
    short, long = "> notes:1:0 short", "> notes:1:1 " + " ".join(["words"] * 30)

    cut = shorten_titles([long, short, long], 80)

    assert len(cut) == 3
    assert cut[1] == short
    assert cut[0] == cut[2]
    assert cut[0].endswith(" words …")
    assert 60 <= sum(count_tokens(title) + 1 for title in cut) <= 80


def test_titles_that_fit_stay_whole() -> None:
    """And of more than can be read, the first ones come."""
    titles = [f"> notes:1:{n} a title of some words" for n in range(9)]

    assert shorten_titles(titles, 1000) == titles
    assert shorten_titles([], 80) == []
    assert shorten_titles(titles, 3) == []
    few = shorten_titles(titles, 80)
    assert few == titles[: len(few)]
    assert sum(count_tokens(title) + 1 for title in few) <= 80


def test_a_title_may_have_no_age(store: Recollect) -> None:
    """Then the title follows the id."""
    memory = store.capture("notes", "The zoo is closed")

    assert render_title(memory) == f"> {memory.id[:13]}{memory.id[46:]} The zoo is closed"
    assert "(1d) The zoo" in render_title(memory, "1d")


class _Meanwhile:
    """An index from which somebody erases a memory after the first of several questions."""

    def __init__(self, store: Recollect, doomed: str) -> None:
        self._store = store
        self._doomed = doomed

    def __getattr__(self, name: str) -> Any:
        if name == "ranking" and self._doomed:
            doomed, self._doomed = self._doomed, ""
            self._store.purge(doomed)
        return getattr(self._store.indexing.fresh(), name)


def test_a_memory_that_is_erased_during_a_search(sandbox: Sandbox) -> None:
    """The others are found."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    store = sandbox.open(repo)
    doomed = store.capture("notes", "The cache holds the tax tables")
    store.capture("notes", "The cache holds the price lists")

    hits = search(cast("Index", _Meanwhile(store, doomed.uid)), Question("cache"), now=store.now())

    assert [hit.memory.summary for hit in hits] == ["The cache holds the price lists"]


def test_the_title_of_a_solution_keeps_what_helped() -> None:
    """It stands at the end, where other titles are cut."""
    cure = "`GOFLAGS=-mod=vendor` gets round it"
    solution = f"> solutions:5fe23d1:0 (1d) `sh check.sh` failed: go: downloading x/time; {cure}"
    other = "> notes:5fe23d1:1 (1d) " + "word " * 60
    most = count_tokens(solution) + 45

    cut = shorten_titles([other, solution], most, 38)

    assert cut[1] == solution
    assert cut[0].endswith(" …")
    assert sum(count_tokens(one) + 1 for one in cut) <= most
    assert shorten_titles([solution], 30, 38) == []


def test_a_line_does_not_say_its_title_twice(store: Recollect) -> None:
    """Neither after the label of a typed field, nor where the text begins with it."""
    for number, start in enumerate(("Decision: Use uv", "Use uv")):
        memory = store.capture("decisions", "Use uv", f"{start}. Because of {number} reasons.")

        line = render_title(memory, most=200)

        assert line.endswith(f" Use uv. Because of {number} reasons.")
        assert says_all(memory, 200)
        assert not says_all(memory, 10)
