"""The text of a merged memory: each thing once, and nothing is left out that could be found."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import Memory
from recollect.sleep.compression import merge, plan_merges, words_of
from recollect.sleep.planning import as_memory
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

    day, later = (source.created.partition("T")[0] for source in (sources[0], sources[2]))  # type: ignore[union-attr]
    assert made.body.splitlines()[1:] == [
        f"- {day}: It needs Node 18 to compile.",
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
