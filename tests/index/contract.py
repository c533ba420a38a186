"""What every index must do: one suite, run on each backend.

A backend's test module subclasses `IndexContract` and gives the fixture `index`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.note import Note, join, parse_note, render_note
from recollect.core.places import LOCAL, SHARED, Place
from recollect.core.record import CREATE, PURGE, UPDATE, Record, render_record
from recollect.core.uid import make_uid
from recollect.index.protocol import Filters, Index
from tests.core.strategies import FEW_UIDS, notes

ANCHOR = "818f6efc36a8195ba7ebdc81b7551692eb10de03"
OTHER = "818f6efc36a8195ba7ebdc81b7551692eb10dfff"
PLACE = Place(SHARED, "decisions", ANCHOR)
ELSEWHERE = PLACE._replace(anchor=OTHER)
EVERYTHING = Filters(statuses=frozenset({"all"}))
DAY = 86_400.0


def creation(
    number: int = 0, anchor: str = ANCHOR, salt: int = 0, body: str = "body", **fields: object
) -> Record:
    """A memory's birth."""
    return Record(
        uid=make_uid(1000 + number, salt),
        op=CREATE,
        id=f"decisions:{anchor}:{number}",
        timestamp="2026-01-01T00:00:00Z",
        fields={"summary": f"memory {number}", **fields},
        body=body,
    )


def update(of: Record, rev: int, body: str | None = None, **fields: object) -> Record:
    """A change to a memory."""
    return Record(
        uid=make_uid(2000 + rev, 0),
        op=UPDATE,
        of=of.uid,
        rev=rev,
        timestamp="2026-02-01T00:00:00Z",
        fields=fields,
        body=body,
    )


def note_of(*records: Record) -> Note:
    """A note that holds some records."""
    return {record.uid: render_record(record) for record in records}


def fill(index: Index, *placed: tuple[Place, Note | None], complete: bool = False) -> Index:
    """Take notes in, whatever the cursor was."""
    since = index.cursor()
    cursor = {"refs/notes/mem/x": str(int(since.get("refs/notes/mem/x", "0")) + 1)}
    assert index.apply(placed, since=since, cursor=cursor, complete=complete)
    return index


def uids(index: Index, filters: Filters = EVERYTHING) -> set[str]:
    """The uids of the memories that pass some filters."""
    return {memory.uid for memory in index.select(filters)}


def found(
    index: Index, query: str, filters: Filters = EVERYTHING, *, parts: bool = False
) -> list[str]:
    """The summaries that a keyword query finds, best first."""
    matches = index.lexical(query, filters, 10, parts=parts).matches
    return [m.summary for m in index.get_many([match.uid for match in matches])]


def vector(*values: float) -> bytes:
    """A vector as an embedder gives it."""
    import struct

    length = sum(value * value for value in values) ** 0.5
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


TURNS = 10
_WRITER = """
me = int(sys.argv[-1])
for turn in range(TURNS):
    while True:
        since = index.cursor()
        number = int(since.get("r", "0"))
        place = PLACE._replace(anchor=f"{me:02d}{turn:02d}" * 10)
        record = creation(me * 100 + turn, place.anchor, salt=me)
        if index.apply([(place, note_of(record))], since=since, cursor={"r": str(number + 1)}):
            break
    assert index.select(EVERYTHING)
    index.lexical("memory body", EVERYTHING, 5)
"""


def writer(opening: str) -> str:
    """A program that writes ten times; `opening` makes its index, its number comes last."""
    return f"import sys\nfrom tests.index.contract import *\n{opening}{_WRITER}"


class IndexContract:
    """The claims. `index` is an empty index; `make` makes another one."""

    @pytest.fixture
    def make(self) -> Callable[[], Index]:
        """How to make an empty index."""
        raise NotImplementedError

    @pytest.fixture
    def index(self, make: Callable[[], Index]) -> Index:
        """An empty index."""
        return make()

    # Taking in

    @settings(max_examples=30, suppress_health_check=list(HealthCheck))
    @given(steps=st.lists(st.tuples(st.integers(0, 2), notes(FEW_UIDS)), max_size=6))
    def test_incremental_refresh_equals_full_rebuild(
        self, make: Callable[[], Index], steps: list[tuple[int, Note]]
    ) -> None:
        """Whatever comes and goes, the index ends where reading everything at once ends."""
        places = [PLACE._replace(anchor=str(n) * 40) for n in range(3)]
        first: dict[str, str] = {}  # a uid fixes its operation and its target: one text for each
        fixed = [
            (n, {uid: first.setdefault(uid, text) for uid, text in note.items()})
            for n, note in steps
        ]
        incremental = make()
        for n, note in fixed:
            fill(incremental, (places[n], note))
        full = fill(make(), *((places[n], note) for n, note in dict(fixed).items()))

        assert incremental.select(EVERYTHING) == full.select(EVERYTHING)
        assert list(incremental.journal()) == list(full.journal())
        assert sorted(incremental.texts()) == sorted(full.texts())
        words = "memory body heading emoji tab"
        assert found(incremental, words) == found(full, words)

    def test_the_cursor_moves_with_the_notes(self, index: Index) -> None:
        """A refresh is all or nothing, and one that started from an old cursor does nothing."""
        assert index.cursor() == {}
        fill(index, (PLACE, note_of(creation())))
        stale = index.apply([(PLACE, None)], since={}, cursor={"refs/notes/mem/x": "9"})

        assert stale is False
        assert index.cursor() == {"refs/notes/mem/x": "1"}
        assert len(uids(index)) == 1

    def test_a_failed_refresh_changes_nothing(self, index: Index) -> None:
        """A writer that dies half way leaves the index as it was."""

        def broken() -> object:
            yield PLACE, note_of(creation())
            raise RuntimeError

        with pytest.raises(RuntimeError):
            index.apply(broken(), since={}, cursor={"r": "1"})  # type: ignore[arg-type]

        assert (uids(index), index.cursor()) == (set(), {})

    def test_a_complete_read_drops_what_is_not_listed(self, index: Index) -> None:
        """After a full read, notes that were not in it are gone."""
        fill(index, (PLACE, note_of(creation(0))), (ELSEWHERE, note_of(creation(1, OTHER))))
        fill(index, (PLACE, note_of(creation(0))), complete=True)

        assert uids(index) == {creation(0).uid}

    # Memories

    def test_an_update_waits_for_its_creation(self, index: Index) -> None:
        """An update that arrives first is kept, and counts as soon as its memory is there."""
        born, change = creation(), update(creation(), 1, spec="x")
        fill(index, (PLACE, note_of(change)))
        assert uids(index) == set()
        assert [record.uid for record in index.waiting()] == [change.uid]

        fill(index, (PLACE, note_of(born, change)))

        assert index.get_many([born.uid])[0].spec == "x"
        assert index.waiting() == []

    def test_memories_that_relate_to_others_are_found(self, index: Index) -> None:
        """By whom they name, in the order of their birth, each once; also after an edit."""
        first, second, other = creation(0), creation(1, salt=1), creation(2, salt=2)
        both = creation(3, salt=3, relates_to=[first.uid, second.uid])
        later = creation(4, salt=4)
        linked = update(later, 5, relates_to=[second.uid])
        fill(index, (PLACE, note_of(first, second, other, both, later, linked)))

        def relating(*records: Record) -> list[str]:
            return [memory.uid for memory in index.relating([r.uid for r in records])]

        assert relating(first) == [both.uid]
        assert relating(second, first) == [both.uid, later.uid]
        assert relating(other) == relating() == []

    def test_files_are_counted_and_commits_select(self, index: Index) -> None:
        """Of the memories that match: how many have each file, and those of some commits."""
        one, two = (
            creation(0, files_modified=["a.py", "b.py"]),
            creation(1, OTHER, salt=1, files_read=["a.py"]),
        )
        gone = creation(2, salt=2, files_read=["a.py"], status="retired")
        fill(index, (PLACE, note_of(one, gone)), (ELSEWHERE, note_of(two)))

        assert index.file_counts(Filters()) == {"a.py": 2, "b.py": 1}
        assert index.file_counts(Filters(statuses=frozenset({"retired"}))) == {"a.py": 1}
        assert index.file_counts(Filters(kind="none")) == {}
        here = Filters(anchors=frozenset({ANCHOR}))
        assert [memory.uid for memory in index.select(here)] == [one.uid]

    def test_what_is_in_other_spaces_is_told(self, index: Index) -> None:
        """Also where it is in one of ours as well."""
        ours, both, theirs = creation(0), creation(1, salt=1), creation(2, salt=2)
        elsewhere = PLACE._replace(space="elsewhere")
        fill(index, (PLACE, note_of(ours, both)), (elsewhere, note_of(both, theirs)))

        assert index.outside([PLACE.space]) == sorted([both.uid, theirs.uid])
        assert index.outside([PLACE.space, "elsewhere"]) == []

    def test_what_waits_for_the_owner_is_kept_for_each_of_two_memories(
        self, make: Callable[[], Index]
    ) -> None:
        """One uid in two spaces: a change by somebody else to one of them is not that of both."""
        mine, theirs = creation(0, body="mine"), creation(0, body="of somebody else")
        private, change = PLACE._replace(space=LOCAL), update(mine, 1, importance=0.9)
        note = note_of(mine, change._replace(by="Eve <eve@example.com>"))
        whole = fill(make(), (private, note), (PLACE, note_of(theirs)))
        index = fill(fill(make(), (private, note)), (PLACE, note_of(theirs)))

        assert index.contested() == whole.contested() == [mine.uid]
        assert index.fingerprints() == whole.fingerprints()

    @pytest.mark.parametrize("private_first", [True, False])
    def test_records_of_one_space_never_change_a_memory_of_another(
        self, make: Callable[[], Index], private_first: bool
    ) -> None:
        """One uid in two spaces is two memories, in whatever order their records arrive."""
        mine, theirs = creation(0, body="mine"), creation(0, body="of somebody else, and longer")
        private = PLACE._replace(space=LOCAL)
        change = update(theirs, 1, summary="taken over", sensitivity="public")
        purge = Record(
            uid=make_uid(3000, 0), op=PURGE, of=mine.uid, id=mine.id, fields={"type": "decisions"}
        )
        placed = [(private, note_of(mine)), (PLACE, note_of(theirs, change))]
        index = make()
        for one in placed if private_first else placed[::-1]:
            fill(index, one)
        whole = fill(make(), *placed)

        assert index.select(EVERYTHING) == whole.select(EVERYTHING)
        own, other = index.select(EVERYTHING)
        assert (own.uid, own.body, own.sensitivity) == (mine.uid, "mine", "private")
        assert (other.summary, other.sensitivity) == ("taken over", "public")
        assert own.id != other.id
        for memory in (own, other):
            assert index.resolve(memory.id) == [memory]
            assert index.resolve(memory.uid) == [memory]
            assert index.get_many([memory.uid]) == [memory]
        assert index.resolve(mine.id or "") == [own, other]
        assert index.places(own.uid) == (private,)
        assert index.places(other.uid) == (PLACE,)
        assert [record.body for record in index.history(own.uid)] == ["mine"]
        assert [record.uid for record in index.history(other.uid)] == [theirs.uid, change.uid]
        assert found(index, "somebody") == ["taken over"]
        assert index.waiting() == []

        fill(index, (PLACE, note_of(purge)))
        assert [memory.body for memory in index.select(EVERYTHING)] == ["mine"]
        assert [memory.uid for memory in index.resolve(mine.id or "")] == [mine.uid]

        fill(index, (private, None), (PLACE, note_of(theirs, change)))
        (left,) = index.select(EVERYTHING)
        assert (left.uid, left.summary) == (theirs.uid, "taken over")

    def test_a_reference_to_a_private_memory_leads_nowhere(self, index: Index) -> None:
        """A shared memory that names one is not related to it, nor merged from it."""
        mine = creation(0)
        merged = {"via": "sleep", "sources": [mine.uid]}
        hostile = creation(1, relates_to=[mine.uid], provenance=merged)
        honest = creation(2, relates_to=[mine.uid])
        private = PLACE._replace(space=LOCAL)
        fill(index, (private, note_of(mine, honest)), (PLACE, note_of(hostile)))

        (shown,) = index.get_many([hostile.uid])
        assert (shown.relates_to, shown.sources) == ((), ())
        assert [memory.uid for memory in index.relating([mine.uid])] == [honest.uid]
        assert index.ranking([hostile.uid])[0].sources == ()

    def test_ranking_knows_when_a_memory_moved_and_how_it_fades(self, index: Index) -> None:
        """Strength is made of it: the last change of status counts, not the last edit."""
        plain = creation(0)
        found_out = creation(1, salt=1, observation_type="discovery")
        back = update(plain, 5, status="active")._replace(timestamp="2026-01-11T00:00:00Z")
        edit = update(plain, 6, spec="x")
        merged = creation(2, salt=2, provenance={"via": "sleep", "sources": [plain.uid]})
        notes = note_of(plain, found_out, back, edit, merged)
        fill(index, (PLACE._replace(kind="notes"), notes))

        uids = [plain.uid, found_out.uid, merged.uid]
        rows = {row.uid: row for row in index.ranking(uids)}

        born = rows[found_out.uid].moved
        assert born is not None
        assert rows[plain.uid].moved == born + 10 * DAY
        assert [rows[uid].pace for uid in uids] == [1.0, 0.5, 1.0]
        assert [rows[uid].sources for uid in uids] == [(), (), (plain.uid,)]

    def test_a_purged_memory_is_gone_and_asks_for_a_rebuild(self, index: Index) -> None:
        """A purge hides the memory at once; its words linger in the file until it is rebuilt."""
        born = creation(body="zebra")
        purge = Record(make_uid(9, 9), PURGE, {}, of=born.uid, id=born.id)
        fill(index, (PLACE, note_of(born)))
        assert not index.needs_rebuild()
        fill(index, (PLACE, note_of(purge)))

        assert uids(index) == set()
        assert found(index, "zebra") == []
        assert index.waiting() == []
        assert index.needs_rebuild()

    def test_a_rebase_copy_is_one_memory(self, index: Index) -> None:
        """The same record in two notes is one memory, under the name of its birth."""
        fill(index, (PLACE, note_of(creation())), (ELSEWHERE, note_of(creation())))

        assert len(uids(index)) == 1
        assert len(index.places(creation().uid)) == 2
        assert index.resolve(f"decisions:{ANCHOR}:0")[0].uid == creation().uid

    def test_two_texts_of_one_record_are_joined_across_notes(self, index: Index) -> None:
        """A copy that git's porcelain trimmed does not win over the original."""
        whole = note_of(creation())
        trimmed = {uid: text.replace("body", "") for uid, text in whole.items()}
        fill(index, (PLACE, trimmed), (ELSEWHERE, whole))

        assert index.get_many([creation().uid])[0].body == "body"
        assert join(trimmed, whole) == whole

    def test_unknown_kinds_and_fields_are_kept_and_shown(self, index: Index) -> None:
        """What a newer version wrote is not dropped by this one."""
        record = creation(colour="blue", status="pondering")._replace(id=f"dreams:{ANCHOR}:0")
        fill(index, (Place(LOCAL, "dreams", ANCHOR), note_of(record)))
        (memory,) = index.select(Filters())

        assert memory.kind == "dreams"
        assert memory.as_json()["extra"] == {"colour": "blue"}
        assert memory.status == "pondering"

    def test_history_and_journal(self, index: Index) -> None:
        """The history is in the order in which updates count, the journal in that of birth."""
        born = creation()
        one, two = update(born, 1, spec="a"), update(born, 2, spec="b")
        fill(index, (PLACE, note_of(two, born, one)))

        assert [r.uid for r in index.history(born.uid)] == [born.uid, one.uid, two.uid]
        assert [r.uid for r, _ in index.journal()] == sorted([born.uid, one.uid, two.uid])

    def test_bytes_that_are_not_utf8_survive(self, index: Index) -> None:
        """A note that was never UTF-8 is kept as it is."""
        text = b"caf\xe9 au lait".decode("utf-8", "surrogateescape")
        fill(index, (PLACE, parse_note(text)))
        (memory,) = index.select(EVERYTHING)

        assert memory.summary == text
        assert found(index, "lait") == [text]

    # Names

    def test_a_name_claimed_twice_is_ambiguous_and_a_tail_decides(self, index: Index) -> None:
        """Two clones gave the same name: both are found, and the end of the uid chooses."""
        one, two = creation(salt=1), creation(salt=2)
        fill(index, (PLACE, note_of(one, two)))

        both = index.resolve(f"decisions:{ANCHOR[:7]}:0")

        assert {m.uid for m in both} == {one.uid, two.uid}
        assert index.shared_names() == [f"decisions:{ANCHOR}:0"]
        for memory in both:
            assert memory.id == f"decisions:{ANCHOR}:0~{memory.uid[-4:]}"
            assert [m.uid for m in index.resolve(memory.id)] == [memory.uid]
            assert [m.uid for m in index.resolve(index.short_name(memory))] == [memory.uid]

    def test_short_names_grow_until_they_are_unique(self, index: Index) -> None:
        """Two anchors that begin alike get as many characters as it takes."""
        fill(index, (PLACE, note_of(creation(salt=1))))
        fill(index, (ELSEWHERE, note_of(creation(anchor=OTHER, salt=2))))

        for memory in index.select(EVERYTHING):
            short = index.short_name(memory)
            assert [m.uid for m in index.resolve(short)] == [memory.uid]
            assert len(short) < len(memory.id)

    @pytest.mark.parametrize(
        "typed", ["decision:818f6ef:0", "DECISIONS:818F6EF:0", " decisions:818f6ef:0 "]
    )
    def test_aliases_and_case_do_not_matter(self, index: Index, typed: str) -> None:
        """A kind may be typed by its alias inside an id, too."""
        fill(index, (PLACE, note_of(creation())))

        assert len(index.resolve(typed)) == 1

    def test_a_uid_or_its_beginning_is_a_name(self, index: Index) -> None:
        """The uid always resolves, in any case; nonsense resolves to nothing."""
        fill(index, (PLACE, note_of(creation())))

        assert len(index.resolve(creation().uid)) == 1
        assert len(index.resolve(creation().uid[:12].lower())) == 1
        assert index.resolve("not a name") == []
        assert index.resolve("%") == []

    def test_a_slug_is_a_name_and_an_old_one_still_is(self, index: Index) -> None:
        """With its kind or without, in any case; two memories of one slug are both meant."""
        one, two = creation(0, slugs=["use-uv"]), creation(1, slugs=["use-pip"])
        renamed = update(two, 1, slugs=["use-uv", "use-pip"])
        fill(index, (PLACE, note_of(one, two)))

        assert [m.uid for m in index.resolve("use-pip")] == [two.uid]
        fill(index, (PLACE, note_of(one, two, renamed)))

        assert [m.uid for m in index.resolve("use-pip")] == [two.uid]
        assert [m.uid for m in index.resolve("Decision/Use-UV")] == [one.uid, two.uid]
        assert index.resolve("runbooks/use-uv") == []

    def test_adopted_text_has_the_same_name_in_every_clone(self, make: Callable[[], Index]) -> None:
        """The number of plain text is drawn from the text, whatever else its note holds."""
        text = "remember the milk\n"
        (alone,) = fill(make(), (PLACE, parse_note(text))).select(EVERYTHING)
        mixed = parse_note(render_note(note_of(creation())) + "\n" + text)
        beside = fill(make(), (PLACE, mixed)).get_many([alone.uid])

        assert [memory.id for memory in beside] == [alone.id]

    def test_adopted_text_keeps_its_name_when_its_note_is_copied(self, index: Index) -> None:
        """An amend copies a note to another commit; the name that was printed still leads there."""
        fill(index, (ELSEWHERE, parse_note("remember the milk")))
        (before,) = index.select(EVERYTHING)
        fill(index, (PLACE, parse_note("remember the milk")))

        assert [m.uid for m in index.resolve(before.id)] == [before.uid]

    def test_legacy_records_are_named_by_position(self, index: Index) -> None:
        """As the system that wrote them did."""
        header = "---\ntype: decisions\ntimestamp: 2024-01-0{n}T00:00:00Z\nsummary: s {n}\n---\n"
        fill(index, (PLACE, parse_note(header.format(n=1) + "\n" + header.format(n=2))))

        assert index.resolve(f"decisions:{ANCHOR}:0")[0].summary == "s 1"
        assert index.resolve(f"decisions:{ANCHOR}:1")[0].summary == "s 2"

    # Filters

    def test_filters(self, index: Index) -> None:
        """Each filter lets through what it names, and all of them must agree."""
        one = creation(
            0,
            spec="alpha",
            tags=["db", "sql"],
            files_modified=["src/store.py"],
            concepts=["gotcha"],
            session="s1",
            project="/home/ada/work",
        )
        two = creation(1, status="archived", sensitivity="secret", ttl=30)
        three = creation(2, files_read=["src/store/x.py"], tags=["db"])
        fill(index, (PLACE, note_of(one, two, three)))
        born = 1_767_225_600.0  # 2026-01-01

        def passing(**filters: object) -> set[int]:
            numbers = {creation(n).uid: n for n in range(3)}
            wanted = EVERYTHING._replace(**filters)  # type: ignore[arg-type]
            return {numbers[uid] for uid in uids(index, wanted)}

        assert passing() == {0, 1, 2}
        assert passing(statuses=None) == {0, 2}
        assert passing(statuses=frozenset({"archived"})) == {1}
        assert passing(sensitivities=frozenset({"public"})) == {0, 2}
        assert passing(sensitivities=frozenset({"all"})) == {0, 1, 2}
        assert passing(kind="decisions") == {0, 1, 2}
        assert passing(kind="notes") == set()
        assert passing(spec="alpha") == {0}
        assert passing(tags=("db",)) == {0, 2}
        assert passing(tags=("db", "sql")) == {0}
        assert passing(file="src/store.py") == {0}
        assert passing(file="src") == {0, 2}
        assert passing(file="sr") == set()
        assert passing(file="src/s*") == set()
        assert passing(concept="gotcha") == {0}
        assert passing(session="s1") == {0}
        assert passing(since=born) == {0, 1, 2}
        assert passing(since=born + 1) == set()
        assert passing(until=born - 1) == set()
        assert passing(alive_at=born + 31 * DAY) == {0, 2}
        assert passing(project="/home/ada/work/below") == {0, 1, 2}
        assert passing(project="/home/ada/worktree") == {1, 2}
        assert index.count(EVERYTHING._replace(tags=("db",))) == 2

    def test_a_count_follows_writes_and_the_clock(self, index: Index) -> None:
        """What was counted before is no excuse: memories come, and memories expire."""
        lasting, brief = creation(0), creation(1, ttl=30)
        fill(index, (PLACE, note_of(lasting, brief)))
        born = 1_767_225_600.0  # 2026-01-01

        def alive(days: int) -> int:
            return index.count(EVERYTHING._replace(alive_at=born + days * DAY))

        assert [alive(1), alive(29), alive(31), alive(29), alive(1)] == [2, 2, 1, 2, 2]
        assert index.count(EVERYTHING) == 2
        index.apply(
            [(PLACE, note_of(lasting, brief, creation(2)))],
            since=index.cursor(),
            cursor=index.cursor(),
        )
        assert [alive(1), alive(31), index.count(EVERYTHING)] == [3, 2, 3]

    def test_filters_come_before_ranking(self, index: Index) -> None:
        """A weak match that passes is found although a hundred better ones do not pass."""
        strong = [creation(n, body="apple " * 5, spec="other") for n in range(100)]
        weak = creation(200, body="apple and many other words " * 5, spec="mine")
        fill(index, (PLACE, note_of(*strong, weak)))
        index.store_vectors("m", {r.uid: [vector(1, 0)] for r in strong})
        index.store_vectors("m", {weak.uid: [vector(0.1, 1)]})
        mine = EVERYTHING._replace(spec="mine")

        assert [m.uid for m in index.lexical("apple", mine, 5).matches] == [weak.uid]
        assert [m.uid for m in index.nearest(vector(1, 0), mine, 5)] == [weak.uid]

    # Keywords

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("node-fetch fails on redirects", "node-fetch"),
            ("std::vector::push_back is slow", "foo::push_back"),
            ("the parseNote function", "parse a note"),
            ("HTTPServerError at start", "server error"),
            ("reads user_id from the row", "user id"),
            ("runs the migrations", "running migration"),
            ("see src/recollect/core/note.py", "recollect note"),
            ("café crème", "cafe creme"),
            ("数据库迁移需要停机", "迁移"),
            ("データベースの移行", "移行"),
            ("supports IPv6 addresses", "ipv6"),
        ],
    )
    def test_words_are_found_in_any_shape(self, index: Index, text: str, query: str) -> None:
        """Identifiers, paths, inflections, accents and unspaced scripts all match."""
        fill(index, (PLACE, note_of(creation(0, body=text), creation(1, body="nothing alike"))))

        assert found(index, query) == ["memory 0"]

    @pytest.mark.parametrize(
        "query",
        [
            "",
            " ",
            "the of and",
            '"',
            "'",
            "a AND OR NOT",
            "NEAR(x)",
            "x*",
            "^x",
            "-x",
            "col:x",
            "(",
            "\\",
            "🧠",
        ],
    )
    def test_any_text_is_a_legal_query(self, index: Index, query: str) -> None:
        """No query breaks the search, whatever marks it holds."""
        fill(index, (PLACE, note_of(creation())))

        for parts in (False, True):
            matches = index.lexical(query, EVERYTHING, 5, parts=parts).matches
            assert isinstance(matches, list | tuple)

    def test_three_matching_words_rank_above_one(self, index: Index) -> None:
        """The quality of a match varies, and more words in common count more."""
        fill(
            index,
            (
                PLACE,
                note_of(
                    creation(0, body="apple tree"),
                    creation(1, body="apple banana cherry"),
                    creation(2, body="unrelated text entirely"),
                    *(creation(n, body=f"filler {n}") for n in range(3, 20)),
                ),
            ),
        )
        lexical = index.lexical("apple banana cherry", EVERYTHING, 5)

        assert found(index, "apple banana cherry") == ["memory 1", "memory 0"]
        assert lexical.ideal > lexical.matches[0].score > lexical.matches[1].score > 0

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("we run Postgres in production", "Postg"),
            ("the page needs a refresh", "refr"),
            ("every call has a timeout", "timeo"),
            ("see connectTimeoutSeconds", "timeo"),
            ("TLS handshakes fail", "shake"),
            ("a rollback of the database", "base"),
        ],
    )
    def test_parts_of_words_are_found_if_asked_for(
        self, index: Index, text: str, query: str
    ) -> None:
        """Beginnings and, of a word that nobody used, the middle."""
        fill(index, (PLACE, note_of(creation(0, body=text), creation(1, body="nothing alike"))))

        assert found(index, query, parts=True) == ["memory 0"]
        assert found(index, query) == []

    def test_whole_words_rank_above_parts(self, index: Index) -> None:
        """Even if a part occurs more often; and a sentence has whole words only."""
        fill(
            index,
            (
                PLACE,
                note_of(
                    creation(0, body="authentication, authentication and authentication again"),
                    creation(1, body="auth"),
                    *(creation(n, body=f"filler {n}") for n in range(2, 20)),
                ),
            ),
        )

        assert found(index, "auth", parts=True) == ["memory 1", "memory 0"]
        assert found(index, "where does the auth code read settings", parts=True) == ["memory 1"]
        matches = index.lexical("auth", EVERYTHING, 10, parts=True).matches
        assert [match.words for match in matches] == [1, 1]

    def test_questions_are_words_of_their_memory(self, index: Index) -> None:
        """They lead to it, and a change of them is one of what is found; vectors get them apart."""
        born = creation(0, asked_as=["where is money rounded?"])
        fill(index, (PLACE, note_of(born, creation(1))))

        assert found(index, "rounded money") == ["memory 0"]
        assert [p.asked for p in index.pending("m", 5)] == ["where is money rounded?", ""]
        fill(index, (PLACE, note_of(born, creation(1), update(born, 1, asked_as=["cents?"]))))
        assert found(index, "rounded money") == []
        assert found(index, "cents") == ["memory 0"]

    def test_a_hostile_number_of_questions_is_cut(self, index: Index) -> None:
        """Somebody else wrote the note: what is beyond the limit is kept, but not indexed."""
        letters = "abcdefghij"
        asked = [f"{one * 3}{other} {'x' * 400}" for other in letters for one in letters]
        fill(index, (PLACE, note_of(creation(0, asked_as=asked))))

        assert found(index, "eeea") == ["memory 0"]
        assert found(index, "fffa") == found(index, "aaaj") == []
        assert len(index.pending("m", 5)[0].asked) < 1000
        assert index.select(EVERYTHING)[0].asked_as == tuple(asked)

    def test_files_in_the_text_count_as_files(self, index: Index) -> None:
        """By the whole path, by its end, or by a folder of it; a common name says nothing."""
        texts = [
            "see src/shop/cart.py:42 for the rounding",
            "rounding is in `shop/cart.py`.",
            "cart.py rounds",
            "the cart, and/or https://example.com/src/shop/cart.py",
            "src/shop/__init__.py imports it",
            "README.md explains it",
        ]
        fill(index, (PLACE, note_of(*(creation(n, body=t) for n, t in enumerate(texts)))))

        def about(path: str) -> list[str]:
            return [m.summary for m in index.select(EVERYTHING._replace(file=path))]

        assert about("src/shop/cart.py") == ["memory 0", "memory 1", "memory 2"]
        assert about("other/cart.py") == ["memory 2"]
        assert about("src/shop/") == ["memory 0", "memory 4"]
        assert about("src/shop/__init__.py") == ["memory 4"]
        assert about("src/__init__.py") == []
        assert about("README.md") == ["memory 5"]
        assert about("docs/README.md") == []

    def test_an_edit_changes_what_is_found(self, index: Index) -> None:
        """Old words stop matching, new ones match."""
        born = creation(body="oranges")
        fill(index, (PLACE, note_of(born)))
        fill(index, (PLACE, note_of(born, update(born, 1, body="lemons"))))

        assert found(index, "oranges") == []
        assert found(index, "lemons") == ["memory 0"]

    # Vectors

    def test_vectors_find_the_nearest_by_their_best_chunk(self, index: Index) -> None:
        """A memory is as near as the nearest of its chunks, and is found once."""
        one, two = creation(0), creation(1)
        fill(index, (PLACE, note_of(one, two)))
        assert index.nearest(vector(1, 0), EVERYTHING, 5) == []
        assert {p.uid for p in index.pending("m", 10)} == {one.uid, two.uid}

        index.store_vectors("m", {one.uid: [vector(0, 1), vector(1, 0.1)], two.uid: [vector(1, 1)]})
        near = index.nearest(vector(1, 0), EVERYTHING, 5)

        assert [m.uid for m in near] == [one.uid, two.uid]
        assert near[0].score == pytest.approx(0.995, abs=0.001)
        assert index.pending("m", 10) == []
        assert index.count_pending("m") == 0

    def test_a_memory_beyond_the_limit_still_has_its_similarity(self, index: Index) -> None:
        """If it is asked for by name, the limit does not count for it."""
        born = [creation(number) for number in range(4)]
        fill(index, (PLACE, note_of(*born)))
        index.store_vectors("m", {b.uid: [vector(1, n / 10)] for n, b in enumerate(born)})

        near = index.nearest(vector(1, 0), EVERYTHING, 1, including=[born[3].uid])

        assert [m.uid for m in near] == [born[0].uid, born[3].uid]
        assert near[1].score == pytest.approx(0.958, abs=0.001)

    def test_what_is_near_to_others_is_measured(self, index: Index) -> None:
        """Two that are alike are crowded, one that is apart is not; a changed one is new."""
        one, two, apart = (creation(number) for number in range(3))
        fill(index, (PLACE, note_of(one, two, apart)))
        index.measure_crowding(10)  # there is nothing to measure yet
        index.store_vectors(
            "m",
            {one.uid: [vector(1, 0)], two.uid: [vector(1, 0.1)], apart.uid: [vector(-1, 0.1)]},
        )
        index.measure_crowding(10)
        found = {row.uid: row.crowding for row in index.ranking([one.uid, two.uid, apart.uid])}

        assert found[one.uid] == pytest.approx(0.0, abs=0.01)  # near to one, far from the other
        assert found[apart.uid] < -0.9
        spread = index.spread(vector(1, 0))
        assert spread.stands_out(1.0) > spread.stands_out(0.0)
        assert index.spread(vector(1, 0, 0)).deviation == 0.0  # vectors of another size

    def test_a_session_has_its_memories_in_order(self, index: Index) -> None:
        """By creation, whatever the order in which they came."""
        born = [creation(number, session="s") for number in range(3)]
        fill(index, (PLACE, note_of(*reversed(born), creation(3))))

        assert index.in_order(["s", "none"]) == [[b.uid for b in born]]
        assert index.ranking([born[0].uid])[0].session == "s"

    def test_a_match_says_what_its_words_are_worth(self, index: Index) -> None:
        """A rare word is worth more than one of everyday requests."""
        fill(index, (PLACE, note_of(creation(0, summary="Fix the flywheel", tags=["gear"]))))

        rare = index.lexical("flywheel spindle", EVERYTHING, 5).matches[0]
        plain = index.lexical("fix spindle", EVERYTHING, 5).matches[0]
        tagged = index.lexical("gear", EVERYTHING, 5).matches[0]

        assert rare.coverage > 0.4 > plain.coverage > 0
        assert rare.rarest > plain.rarest
        assert (rare.titled, rare.tagged) == (rare.coverage, 0.0)
        assert (tagged.coverage, tagged.tagged, tagged.titled) == (1.0, 1.0, 0.0)

    def test_a_match_says_which_words_stand_side_by_side(self, index: Index) -> None:
        """As in the query, in its order, with at most one word between; and what no memory has."""
        near = creation(0, body="the spindle of gears is a brass one")
        apart = creation(1, body="the gears, made of brass as they all are here, and the spindle")
        fill(index, (PLACE, note_of(near, apart)))

        found = index.lexical("spindle gears brass zebra", EVERYTHING, 5)
        matches = {match.uid: match for match in found.matches}

        # In one of them, "brass" is two words further than that.
        assert (matches[near.uid].beside, matches[apart.uid].beside) == (1, 0)
        assert matches[near.uid].worth == matches[apart.uid].worth > matches[near.uid].rarest
        assert 0 < matches[near.uid].second <= matches[near.uid].rarest
        assert 0.5 < found.known < 0.8
        assert index.lexical("spindle gears", EVERYTHING, 5).known == 1.0

    def test_a_search_says_what_every_word_of_the_query_is_worth(self, index: Index) -> None:
        """Most if no memory has it, little if it is one of everyday requests."""
        fill(index, (PLACE, note_of(creation(0, body="the spindle is a brass one"))))

        worth = index.lexical("fix the spindle of the zebra", EVERYTHING, 5).worth

        assert list(worth) == ["fix", "spindle", "zebra"]
        assert worth["zebra"] > worth["spindle"] > worth["fix"] > 0
        assert index.lexical("zebra", EVERYTHING, 5).worth == {"zebra": worth["zebra"]}

    def test_models_are_never_mixed(self, index: Index) -> None:
        """Vectors of another model, of another size even, replace those there were."""
        one, two = creation(0), creation(1)
        fill(index, (PLACE, note_of(one, two)))
        index.store_vectors("m", {one.uid: [vector(1, 0)], two.uid: [vector(1, 0)]})

        assert index.count_pending("other") == 2
        index.store_vectors("other", {one.uid: [vector(1, 0, 0)]})

        assert index.model() == "other"
        assert [p.uid for p in index.pending("other", 10)] == [two.uid]
        assert index.nearest(vector(1, 0), EVERYTHING, 5) == []
        assert [m.uid for m in index.nearest(vector(1, 0, 0), EVERYTHING, 5)] == [one.uid]

    def test_vectors_of_another_model_are_measured_anew(self, index: Index) -> None:
        """What was crowded for one model is not for another, however many there were."""
        one, two = creation(0), creation(1)
        fill(index, (PLACE, note_of(one, two)))
        index.store_vectors("m", {one.uid: [vector(1, 0)], two.uid: [vector(1, 0)]})
        index.measure_crowding(10)
        assert [row.crowding for row in index.ranking([one.uid, two.uid])] == [1.0, 1.0]

        index.store_vectors("other", {one.uid: [vector(1, 0)], two.uid: [vector(0, 1)]})
        assert [row.crowding for row in index.ranking([one.uid, two.uid])] == [0.0, 0.0]
        index.store_vectors("third", {one.uid: [vector(1, 0)], two.uid: [vector(-1, 0)]})
        index.measure_crowding(10)

        assert [row.crowding for row in index.ranking([one.uid, two.uid])] == [-1.0, -1.0]

    def test_a_change_of_model_is_known_for_a_while(self, index: Index) -> None:
        """The first model is no change, and more vectors of the same one are none."""
        one, two = creation(0), creation(1)
        fill(index, (PLACE, note_of(one, two)))
        index.store_vectors("m", {one.uid: [vector(1, 0)]})
        index.store_vectors("m", {two.uid: [vector(1, 0)]})
        assert not index.switched_lately()

        index.store_vectors("other", {one.uid: [vector(1, 0)]})

        assert index.switched_lately()

    def test_a_changed_memory_needs_new_vectors(self, index: Index) -> None:
        """An edit makes old vectors stale; a gone memory leaves none behind."""
        born = creation()
        fill(index, (PLACE, note_of(born)))
        index.store_vectors("m", {born.uid: [vector(1, 0)]})
        fill(index, (PLACE, note_of(born, update(born, 1, body="new"))))
        assert [p.body for p in index.pending("m", 10)] == ["new"]
        fill(index, (PLACE, None))

        assert index.nearest(vector(1, 0), EVERYTHING, 5) == []
        assert index.pending("m", 10) == []

    def test_ranking_says_what_scoring_needs(self, index: Index) -> None:
        """Time, importance and trust come with the candidates."""
        trusted = creation(0, importance=0.9, provenance={"said_by": "user"})
        tool = creation(1, provenance={"said_by": "tool"})
        fill(index, (PLACE, note_of(trusted, tool)))
        rows = {row.uid: row for row in index.ranking([trusted.uid, tool.uid])}

        assert rows[trusted.uid].importance == 0.9
        assert rows[trusted.uid].trust > rows[tool.uid].trust
        assert rows[trusted.uid].created == 1_767_225_600.0
