"""What tells a newcomer something ranks before what does not."""

from __future__ import annotations

import pytest

from recollect.importing.commit_kinds import DECISION, LEARNING, SOLUTION
from recollect.importing.commit_message import parse_message
from recollect.importing.commit_ranking import explains, rank, reason_in
from tests.support.history import CHORE, DROPPED, FIXED, REVERTED


def test_kinds_follow_from_what_was_done() -> None:
    """A decision, a cure, a lesson."""
    assert rank(parse_message(DROPPED), "Ada").kind == DECISION
    assert rank(parse_message(FIXED), "Ada").kind == SOLUTION
    assert rank(parse_message(REVERTED), "Ada").kind == LEARNING


@pytest.mark.parametrize(
    "message",
    [
        CHORE,
        "Fix typo in README",
        "docs: explain the cache because it is subtle",
        "tests: stop using the network, because it is slow",
        "Update translations",
        "Fix a bunch of warnings\n\nThey turned out to hide others, because builds are long.",
        "Relocated some modules\n\nOtherwise two of them would have the same name.",
        "Some simplifications to the launcher\n\nIt no longer knows eggs, because it need not.",
        "v1.2.3",
        'Revert "ci: use a mirror"\n\nIt was slow, because of the network.',
    ],
)
def test_chores_have_no_points(message: str) -> None:
    """However well they are explained."""
    assert rank(parse_message(message), "Ada").is_chore


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (
            "Fixed #12 -- Made the form keep its values.\n\nThey were wrong after an error.",
            SOLUTION,
        ),
        (
            "Fixed #13 -- Removed the old form.\n\nIt failed too often, and nobody used it.",
            DECISION,
        ),
        ("net: stop sending newlines when a peer is down\n\nThey break the link.", DECISION),
        ("Call the hook after the change\n\nFix the order: the hook failed before.", SOLUTION),
        ("queue: keep jobs in order\n\nSo that clients see no gaps.", DECISION),
        (
            "Serialize requests by their callback\n\nIts name may differ from that of the"
            " attribute. With this commit we're fixing this behavior.",
            SOLUTION,
        ),
        ("The handler is never removed, fix that\n\nIts lambda is collected early.", SOLUTION),
    ],
)
def test_a_fix_is_no_decision(message: str, kind: str) -> None:
    """Whatever its subject begins with; what ends is one, even if it ends a fault."""
    assert rank(parse_message(message), "Ada").kind == kind


def test_a_bare_subject_explains_nothing() -> None:
    """A text or a cause does; a list of squashed commits does not."""
    assert not explains(parse_message("Deprecated the old parser in favor of the new one"))
    assert not explains(parse_message("Disable the old parser by default to avoid data loss"))
    assert explains(
        parse_message(
            "Disable the parser\n\nIt loses data, because it stores 4 KB of all that users enter."
        )
    )
    assert explains(parse_message(REVERTED))
    assert not explains(
        parse_message("Drop it\n\nBREAKING CHANGE: the magic flag has been removed")
    )
    squashed = "\n".join(f"* Update the file {n}, because of review" for n in range(9))
    assert not explains(parse_message(f"Use the new parser\n\n{squashed}"))


def test_a_bot_has_nothing_to_tell() -> None:
    """It updates dependencies."""
    assert rank(parse_message("Remove the old parser"), "dependabot[bot]").is_chore


def test_a_reason_counts() -> None:
    """The same subject with and without one."""
    bare = rank(parse_message("Remove the old parser"), "Ada")
    explained = rank(
        parse_message("Remove the old parser\n\nIt was unsafe, because it trusted its input."),
        "Ada",
    )
    assert explained.points > bare.points + 1


def test_a_revert_without_a_cause_is_not_kept() -> None:
    """That it was tried is told with what it took back; why it failed is worth a memory."""
    assert rank(parse_message('Revert "Remove the parser"'), "Ada").is_chore
    assert rank(parse_message('Revert "Remove the parser"\n\nSee #12.'), "Ada").is_chore
    assert not explains(parse_message('Revert "Remove the parser"'))
    assert rank(parse_message(REVERTED), "Ada").points > 4
    assert reason_in(parse_message(FIXED)).startswith("The root cause")


def test_what_only_begins_like_a_chore_is_none() -> None:
    """A word is not its beginning: what is dead is no deadline."""
    subject = "Remove deadlines when connections of databases are handled"
    assert not rank(parse_message(subject), "Ada").is_chore
    assert rank(parse_message("Remove dead code of the parser"), "Ada").is_chore


@pytest.mark.parametrize(
    "message",
    [
        "build: remove source maps\n\nThey do not even work because we ship no sources, and"
        " removing them saves 5 MB of every installation.",
        "Cut 2.20.0-rc.1\n\nThis reverts the upgrade of grpc. It was routine, but because it has"
        " two breaking changes that hit everybody who imports us, we decided to revert it.",
        "chore: check the length\n\nAnybody could read memory (CVE-2014-0160).",
        'Revert "build: remove redundant checks"\n\nRemoving them changes the behaviour of the API,'
        " which is not appropriate for a minor release. It also caused a failure.",
    ],
)
def test_a_chore_that_says_why_counts(message: str) -> None:
    """A prefix says how it was filed, not what it tells."""
    ranked = rank(parse_message(message), "Ada")
    assert not ranked.is_chore
    assert ranked.points > 1.5


@pytest.mark.parametrize(
    "said",
    [
        "This can lead to the server answering with code that was transformed.",
        "Using one variable for both causes the path to change at random.",
        "We do not want them all on one socket.",
        "Raw frames are used for compatibility with other languages.",
        "Some servers hang when the hello is longer than 255 bytes.",
        "By splitting the queue we can guarantee the order of samples.",
        "This is a breaking change for the examples.",
    ],
)
def test_a_reason_has_many_words(said: str) -> None:
    """Not only "because"."""
    assert reason_in(parse_message(f"Change the parser\n\n{said}")) == said


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Do not ignore empty data\n\nIt is a security issue. Fixes CVE-2023-2975.", SOLUTION),
        ("mac: do not seg-fault before init\n\nThe size was asked for too early.", SOLUTION),
        ("cache: do not overwrite the entry\n\nIt resolved to the wrong provider.", SOLUTION),
        (
            "rules: forget the rest, too\n\nUpdate deletes most series, but missed two of them.",
            SOLUTION,
        ),
        ("Compact the head block early\n\nMemory is released before the next one.", DECISION),
        ("Show pools on a page\n\nThe problem is that the answer is huge. Fixes #1", DECISION),
    ],
)
def test_a_cure_is_a_solution_and_a_design_a_decision(message: str, kind: str) -> None:
    """Whatever verb the subject begins with."""
    assert rank(parse_message(message), "Ada").kind == kind


def test_a_hole_in_the_security_ranks_high() -> None:
    """More than the same text without it; and to remove a note to oneself tells nothing."""
    text = "Check the bounds\n\nA missing check reveals memory to a client"
    plain = rank(parse_message(f"{text}."), "Ada").points
    assert rank(parse_message(f"{text} (CVE-2014-0160)."), "Ada").points > plain + 2
    todo = "core: Remove two TODO 3.0\n\nWe need to keep the check because it is safe."
    assert rank(parse_message(todo), "Ada").is_chore


def _points(message: str) -> float:
    return rank(parse_message(message), "Ada").points


def test_what_ended_as_a_whole_ranks_higher_than_a_part() -> None:
    """People ask why a protocol is gone."""
    why = "\n\nThe library has had no release for years, and no test covers it."
    assert _points(f"rtmp: drop support{why}") > _points(f"rtmp: drop a field{why}") + 1


def test_a_list_of_statements_explains_and_a_list_of_work_does_not() -> None:
    """What is so is a reason; what was done is in the change."""
    stated = "- The library has had no release for years.\n- Nobody knows the code, which is old."
    worked = (
        "- remove all code of the library from it.\n- drop the job for it, and the pages on it."
    )
    subject = "rtmp: drop support\n\n"
    assert _points(subject + stated) > _points(subject + worked) + 0.5


@pytest.mark.parametrize(
    "message",
    [
        "Update Golang to 1.12.12\n\nIt includes a fix for CVE-2019-17596, a security issue.",
        "vendor: golang.org/x/crypto\n\nThis fixes a security issue, because of CVE-2019-17596.",
    ],
)
def test_a_newer_dependency_is_a_chore(message: str) -> None:
    """Whatever that version fixed."""
    assert rank(parse_message(message), "Ada").is_chore


def test_work_that_nobody_notices_ranks_lower() -> None:
    """By what its text says, or by whose names it has."""
    why = "Each of them reads the whole file, because nothing remembers what was read before."
    noticed = _points(f"Read the table of names once\n\n{why} Users wait for seconds.")
    assert _points(f"Read the table of names once\n\n{why} No functional change.") < noticed
    assert _points(f"Read the table of names once in _get_names\n\n{why} Users wait.") < noticed


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Remove an incorrect check\n\nThe end of the file was taken for an error.", SOLUTION),
        ("Replace the agent\n\nFixed a regression where the agent was not called.", SOLUTION),
        ("folds: the last ones join\n\nProblem:  They stay apart.\nSolution: Loop.", SOLUTION),
        ("Get rid of the guard\n\nIt panics if there are two, which is too strict.", DECISION),
        ("Avoid a NULL ptr deref if no group is set\n\nWe should be consistent.", SOLUTION),
    ],
)
def test_a_text_that_begins_with_the_bug_is_a_cure(message: str, kind: str) -> None:
    """Whatever verb the subject has; a removal is a decision, unless it removed what was wrong."""
    assert rank(parse_message(message), "Ada").kind == kind


@pytest.mark.parametrize(
    "message",
    [
        "Fix #7: Freeing a result may reset another one\n\nCalling reset() is not needed.",
        "proxy: reject addresses without a host\n\nThe check had its arguments swapped.",
        "Add missing check of the configuration\n\nErrors were not reported for the default.",
        "logs: set the mode of a file\n\nThe option was not taken into account for old files.",
        "tls: Return errors instead of nothing\n\nTwo places were silently swallowing failures.",
    ],
)
def test_what_tells_of_a_bug_is_a_solution(message: str) -> None:
    """Whatever its verb."""
    assert rank(parse_message(message), "Ada").kind == SOLUTION


def test_a_new_restriction_is_a_decision() -> None:
    """A verb that refuses something is a cure only if the text tells of a fault."""
    message = "proxy: reject plain text\n\nWe want every hop to be encrypted."
    assert rank(parse_message(message), "Ada").kind == DECISION
