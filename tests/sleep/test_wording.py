"""The text of a merged memory: each thing once, and nothing is left out that could be found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import Memory
from recollect.sleep import wording
from recollect.sleep.compression import merge, plan_merges, words_of
from recollect.sleep.planning import as_memory
from recollect.sleep.sentences import Part, parts_of
from tests.sleep.strategies import DAY, NOW, POLICY, stamp

_SENTENCES = (
    "The cause was module kestrel.",
    "The cause was module osprey in the login.",
    "It does not work with Node 18.",
    "It works with Node 22.",
    "- ./run.sh --fast",
    "```sh\nmake seed\n./run.sh --all\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> A quoted line",
    "Überall gilt größer",
    "~~~\nnever closed",
    "…",
)


def memory(number: int, summary: str, body: str = "", **fields: Any) -> Memory:
    """A learning of some weeks ago."""
    born = stamp(NOW - (40 - number) * DAY)
    return Memory(
        uid=f"0{number:025}",
        id=f"learnings:{'a' * 40}:{number}",
        kind="learnings",
        summary=summary,
        body=body,
        created=born,
        status_changed=born,
        **fields,
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ("The login test is flaky", "The login test is flaky on arm", "Login " * 16)
            ),
            st.lists(st.sampled_from(_SENTENCES), max_size=5).map("\n".join),
        ),
        min_size=3,
        max_size=12,
    )
)
def test_every_word_of_a_source_finds_what_it_was_merged_into(said: list[tuple[str, str]]) -> None:
    """Whatever is merged, and however it is split."""
    sources = [memory(number, *texts) for number, texts in enumerate(said)]

    for made in [*plan_merges(sources, POLICY, NOW), merge(sources)]:
        found = words_of(as_memory(made))
        for source in made.sources:
            assert words_of(source) <= found


def test_what_does_not_fit_is_merged_in_parts() -> None:
    """Twenty causes of one failure: fewer memories, and each cause is in one of them."""
    sources = [
        memory(
            n, "Fixed the flaky login test", f"On runner{n} the cause was module kestrel{n} there."
        )
        for n in range(20)
    ]

    made = plan_merges(sources, POLICY, NOW)

    assert 2 <= len(made) <= 3
    assert all(len(part.sources) >= 3 and len(part.body) <= 600 for part in made)
    merged = [source.uid for part in made for source in part.sources]
    assert len(merged) == len(set(merged)) >= 18
    assert plan_merges([m for m in sources if m.uid not in merged], POLICY, NOW) == []


def test_one_long_memory_does_not_keep_others_from_being_merged() -> None:
    """It is left as it is; and copies of a long one are one."""
    long = "\n".join(f"Line {word} tells of the {word} tower." for word in map(str, range(60)))
    apart = memory(0, "The login test is flaky on arm", "So it is. " + "It waits for a lock. " * 40)
    alike = [memory(n, "The login test is flaky on arm", "So it is.") for n in range(1, 5)]
    copies = [memory(n, "The towers of the town", long) for n in range(10, 14)]

    short, whole = plan_merges([apart, *alike, *copies], POLICY, NOW)

    assert len(short.sources) >= 4
    assert len(whole.sources) == 4
    assert "Line 59 tells of the 59 tower." in whole.body


def test_what_differs_in_a_number_stays_with_its_day() -> None:
    """Both were said, and the newer one is to be told from the older one."""
    sources = [
        memory(n, "The build of the assets fails in CI", f"It needs Node {number} to compile.")
        for n, number in enumerate((18, 18, 22))
    ]

    unlike = [
        memory(n, f"The build of the {part} assets fails in CI", f"It needs Node {n} to compile.")
        for n, part in enumerate(("shop", "cart", "mail"), start=10)
    ]

    (made,) = plan_merges([*sources, *unlike], POLICY, NOW)

    day, again, later = (source.created.partition("T")[0] for source in sources)  # type: ignore[union-attr]
    assert made.body.splitlines()[1:] == [
        f"- {day} and {again}: It needs Node 18 to compile.",
        f"- {later}: It needs Node 22 to compile.",
    ]


def test_code_and_tables_stay_whole() -> None:
    """Each block once, line by line as it was."""
    code = "```sh\nmake seed\n./run.sh --all\n```"
    table = "| flag | time |\n|---|---|\n| --fast | 2s |"
    sources = [
        memory(n, "How to seed the shop for a test", f"First seed it.\n{code}\nThen look:\n{table}")
        for n in range(3)
    ]

    (made,) = plan_merges(sources, POLICY, NOW)

    assert made.body.count(code) == 1
    assert made.body.count(table) == 1
    assert "- First seed it." in made.body


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run the schema migration before the deploy", "Run the schema migration after the deploy"),
        ("Turn the checkout flag on for the runs", "Turn the checkout flag off for the runs"),
        ("Use npm instead of pnpm in the shop", "Use pnpm instead of npm in the shop"),
        ("The limit must be > 512 MB for the import", "The limit must be < 512 MB for the import"),
        ("Set the count to -1 for the import job", "Set the count to 1 for the import job"),
        ("Do not restart the worker, use the queue", "Restart the worker, do not use the queue"),
        ("The retry flag does work here", "The retry flag doesn\u2019t work here"),
        ("Start it with -p 80:8080 in the shop", "Start it with -p 8080:80 in the shop"),
        ("The certificate ends on 2026-10-11", "The certificate ends on 2026-11-10"),
        ("- [ ] run the smoke tests", "- [x] run the smoke tests"),
        ("Restart the worker", "Restart the worker only if the queue is empty"),
        ("Restart the worker", "Never restart the worker"),
        ("Is the worker safe to restart?", "Is the worker safe to restart"),
        ("No.", "No idea."),
        ("✅", "❌"),
        ("No.", "Yes."),
        ("1. Stop it.\n2. Run it.", "1. Stop it.\n3. Run it."),
    ],
)
def test_what_is_not_the_same_stays(one: str, other: str) -> None:
    """In the text, and in a summary: nobody can tell which of them was right."""
    said = [memory(0, "The import job", one), memory(1, "The import job", other)]
    headlines = [memory(2, one.partition("\n")[0]), memory(3, other.partition("\n")[0])]

    for sources in (said, headlines):
        made = merge([*sources, sources[0]._replace(uid="0" * 26)])
        lines = f"{made.summary.rpartition(' (')[0]}\n{made.body}"
        for source in sources:
            for part in parts_of(source.body or source.summary):
                assert re.search(
                    rf"(?m)^(?:- )?(?:\d\S+(?: and \S+)?: )?{re.escape(part.text)}$", lines
                )


def test_the_same_is_said_once() -> None:
    """Case, spaces, line ends and the full stop aside; and what another one goes on from."""
    sources = [
        memory(0, "The login test is flaky", "It waits for a lock.\nThen it times out."),
        memory(1, "the login test is flaky.", "It waits\nfor a lock. Then it  times out"),
        memory(2, "The login test is flaky on arm", "it waits for a lock"),
    ]

    made = merge(sources)

    assert made.body.lower().count("it waits") == made.body.lower().count("then it") == 1
    assert made.body.lower().count("login test is flaky") <= 1


def test_what_is_said_twice_in_one_text_stays_twice() -> None:
    """The order of what is to be done says when."""
    made = merge([memory(n, "How to move the shop", "Stop. Migrate. Stop.") for n in range(3)])

    assert made.body.splitlines()[1:] == ["- Stop.", "- Migrate.", "- Stop."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "One line that is\nwrapped here. And more.",
            ["One line that is\nwrapped here.", "And more."],
        ),
        ("Use it, e.g. Foo, z. B. Bar. Done.", ["Use it, e.g. Foo, z. B. Bar.", "Done."]),
        ("It needs Node 18. Then go.", ["It needs Node 18.", "Then go."]),
        ("Steps:\n1. Stop.\n2. Go.\n\nDone.", ["Steps:\n1. Stop.\n2. Go.", "Done."]),
        ("a: 1\nb:\n  c: 2\n  d: 2\ne: 3", ["a: 1", "b:\n  c: 2\n  d: 2\ne: 3"]),
        (
            "Do\n\n    for a; do\n      b\n\n    done\n\nEnd.",
            ["Do", "    for a; do\n      b\n\n    done", "End."],
        ),
        ("# Cause\nIt is. So.\n# Fix\nWait.", ["# Cause\nIt is. So.\n# Fix\nWait."]),
        ("See:\n```\na. B\n\nc\n```\nEnd.", ["See:\n```\na. B\n\nc\n```", "End."]),
        ("A.\n\n---\nB.", ["A.", "B."]),
        ("✅", ["✅"]),
        ("", []),
    ],
)
def test_a_text_is_cut_between_sentences_only(text: str, parts: list[str]) -> None:
    """Not in a wrapped line, a list, a block or an abbreviation."""
    assert [part.text for part in parts_of(text)] == parts


def test_long_bodies_are_read_once() -> None:
    """Planning reads each text a few times, however many of a topic there are."""
    topic = [
        memory(n, "The towers of the town", " ".join(f"Tower {n + k} is high." for k in range(60)))
        for n in range(40)
    ]
    calls = Counter[str]()

    def counted(text: str) -> Iterator[Part]:
        calls[text] += 1
        return parts_of(text)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wording, "parts_of", counted)
        plan_merges(topic, POLICY, NOW)

    assert max(calls.values()) <= 4
