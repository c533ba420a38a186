"""Messages of commits, in the styles of many projects."""

from __future__ import annotations

import pytest

from recollect.importing.commit_body import MOST_BODY
from recollect.importing.commit_message import body_of, parse_message
from recollect.importing.commit_titles import title_of
from tests.support.history import DROPPED, FIXED, REVERTED


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (DROPPED, "Drop support for Python 3.8 in the scheduler"),
        (FIXED, "queue: fix a race between two workers"),
        ("fix(http2): avoid reusing ids (#7)\n", "http2: avoid reusing ids"),
        ("fetch: add --prefetch option", "fetch: add --prefetch option"),
        ("tag: do not show ambiguous tag names", "tag: do not show ambiguous tag names"),
        ("add: warn when -u is used without a path", "add: warn when -u is used without a path"),
        ("cache: cache is now built once", "Cache is now built once"),
        ("ref: the ref is now read once", "The ref is now read once"),
        ("ref: refs are now read once", "ref: refs are now read once"),
        ("Fixed #123 -- Prevented the loop from ending.", "Prevented the loop from ending"),
        ("[3.2.x] Refs #9 -- Removed the cache.", "Removed the cache"),
        ("perf: the index is now built once", "The index is now built once"),
        ("Better errors\n\nThis patch replaces codes with words.", "Replaces codes with words"),
        (
            "Client eviction\n\nIt has been discussed for long",
            "Client eviction: It has been discussed for long",
        ),
        ("Merge pull request #5 from a/b\n\nRemove the old parser", "Remove the old parser"),
        ("Merge commit from fork\n\nRemove the old parser", "Remove the old parser"),
        (
            "Fixed CVE-2024-1234 -- Prevented a loop in the parser of dates.",
            "Prevented a loop in the parser of dates (CVE-2024-1234)",
        ),
        ("KAFKA-1234: Remove the old parser (#77)", "Remove the old parser"),
        ("KAFKa-1234; Remove the old parser", "Remove the old parser"),
        ("KAFKA-12, HDDS-345 - [Connect] Remove the old parser", "Connect: Remove the old parser"),
        ("KAFKA-1234 Remove the old parser (LOG4J2-7)", "Remove the old parser"),
        ("[SPARK-12][SQL] Remove the old parser [ML-3]", "SQL: Remove the old parser"),
        ("fix(auth): KAFKA-1234: reject the empty token", "auth: reject the empty token"),
        ("UTF-8: reject overlong forms", "UTF-8: reject overlong forms"),
        ("SHA-256: use the instructions of the CPU", "SHA-256: use the instructions of the CPU"),
        ("UI-2 is now the default theme", "UI-2 is now the default theme"),
        ("Remove the slow path (SHA-256)", "Remove the slow path (SHA-256)"),
        ("get_dist() removed\n\nNothing else.", "get_dist() removed"),
        (
            "BITOP command speed improvement\n\nThis commit adds a fast path to BITOP.",
            "Adds a fast path to BITOP",
        ),
    ],
)
def test_a_title_is_what_the_author_wrote(message: str, title: str) -> None:
    """Types, tickets and numbers go; the area stays."""
    assert title_of(parse_message(message)) == title


def test_a_long_subject_is_cut_at_a_word() -> None:
    """A memory needs a title, and the body has the whole subject."""
    title = title_of(parse_message("Remove " + "every single one of the parsers " * 5))
    assert title.startswith("Remove every single one")
    assert title.endswith("…")
    assert len(title) <= 100


@pytest.mark.parametrize("message", ["Better errors", "wip", "", "\n\n", "x" * 5000, "a: b: c: d"])
def test_no_title_is_made_up(message: str) -> None:
    """What says nothing gives nothing."""
    assert title_of(parse_message(message)) == ""


def test_a_revert_names_what_it_reverts_and_why() -> None:
    """The cause is in the body; it is the title if a number is all that was reverted."""
    message = parse_message(REVERTED)
    assert message.reverts == "cache: keep entries for ever"
    assert message.reverted == "1234567890" * 4
    assert title_of(message) == "Reverted “cache: keep entries for ever”"
    assert (
        title_of(parse_message(f'Revert "{REVERTED}')) == "Restored “cache: keep entries for ever”"
    )
    bare = parse_message("fix: revert #322\n\nThe default has the same effect now.")
    assert title_of(bare) == "Reverted #322: The default has the same effect now"
    assert "caused an outage" in body_of(message)
    assert "This reverts commit" not in body_of(message)


def test_trailers_and_references_are_no_text() -> None:
    """They say who, not why."""
    assert "Signed-off-by" not in body_of(parse_message(DROPPED))
    assert "Fixes #11" not in body_of(parse_message(FIXED))


def test_a_breaking_change_is_recognized() -> None:
    """By the mark in the subject, and by the footer, whose text is kept."""
    marked = parse_message("feat(api)!: return lists")
    assert marked.is_breaking
    footer = parse_message("feat: x y z\n\nBREAKING CHANGE: clients must\nread lists")
    assert (footer.is_breaking, footer.breaking) == (True, "clients must read lists")


def test_a_body_is_cut_at_a_paragraph() -> None:
    """A memory holds no novel."""
    text = "Remove it\n\n" + "\n\n".join(f"Paragraph {n} " + "word " * 60 for n in range(40))
    body = body_of(parse_message(text))
    assert len(body) <= MOST_BODY
    assert body.startswith("Paragraph 0")
    assert body.endswith("word")


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("fix: revert #5601 #6025, don't resolve the input (#6680)", "Don't resolve the input"),
        ("chore: revert to the old parser", "Revert to the old parser"),
        ("Revert the /graph changes.", "Revert the /graph changes"),
        ("Revert ListPostings change (#12955)", "Revert ListPostings change"),
        ('Revert "use one lock" and "use two locks"', 'Revert "use one lock" and "use two locks"'),
        (
            "revert: use the new watcher (#18659)",
            "Reverted “use the new watcher”: It was slow, because of a lock that all of them need",
        ),
        (
            'fix: revert, "fix: escape ids (#22687)"',
            "Reverted “escape ids”: It was slow, because of a lock that all of them need",
        ),
    ],
)
def test_a_revert_says_what_its_author_said(subject: str, title: str) -> None:
    """Numbers before the new state, a way back, and several changes are not one quoted change."""
    message = f"{subject}\n\nIt was slow, because of a lock that all of them need."
    assert title_of(parse_message(message)) == title


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("revert: add --ff option when picking", "revert: add --ff option when picking"),
        ("revert: clarify label on conflicts", "revert: clarify label on conflicts"),
        ("revert --abort: keep no old files", "Revert --abort: keep no old files"),
    ],
)
def test_a_command_named_revert_is_no_revert(subject: str, title: str) -> None:
    """A change of the command takes nothing back."""
    example = "It used to say:\n\n    This reverts commit 0123456789abcdef.\n"
    message = parse_message(f"{subject}\n\n{example}")
    assert not message.reverts
    assert not message.reverted
    assert title_of(message) == title


@pytest.mark.parametrize(
    "message",
    [
        "Reverted: sort the columns by name",
        "revert: sort the columns by name\n\nThis reverts commit 0123456789abcdef.",
        "revert: sort the columns by name (#12)",
        'revert: "sort the columns by name"',
    ],
)
def test_a_revert_says_what_or_which_it_takes_back(message: str) -> None:
    """In the past tense, or with a commit, a pull request or a quoted subject."""
    parsed = parse_message(message)
    assert parsed.reverts == "sort the columns by name"
    assert title_of(parsed) == "Reverted “sort the columns by name”"


def test_a_commit_that_names_what_it_reverts_is_linked_to_it() -> None:
    """Its subject may say the new state instead."""
    parsed = parse_message("Sort by id\n\nThis reverts commit 0123456789abcdef.\n\nIt is faster.")
    assert (parsed.reverts, parsed.reverted) == ("", "0123456789abcdef")
    assert body_of(parsed) == "It is faster."
    part = parse_message("Sort by id\n\nThis reverts commit 0123456789abcdef in part.")
    assert not part.reverted


def test_a_title_is_about_the_change() -> None:
    """Not about how it came to be."""
    text = "This change was a quick experiment\n\nThe change implements a new switch for tunnels."
    assert title_of(parse_message(text)) == "Implements a new switch for tunnels"
    labelled = parse_message("[CHANGE] Remote-write: default enable_http2 to false")
    assert title_of(labelled) == "Remote-write: default enable_http2 to false"


def test_a_link_that_a_sentence_goes_on_around_stays() -> None:
    """It may be the subject of the sentence; alone, it is a reference."""
    text = "Set it to 0\n\n[OWASP](https://owasp.org/x)\nsuggests 0, because it is safer."
    assert body_of(parse_message(text)).startswith("[OWASP](https://owasp.org/x)\nsuggests 0")
    alone = "Set it to 0\n\nIt is safer.\n\n[One](https://a.org)\n[Two](https://b.org)\n\nDone."
    assert body_of(parse_message(alone)) == "It is safer.\n\nDone."


def test_figures_of_benchmarks_leave_nothing_behind() -> None:
    """Neither an empty fence nor the machine that they were measured on."""
    header = "goos: darwin\ngoarch: arm64\npkg: example.org/a\ncpu: Apple M1 Pro\n"
    rows = "".join(f"BenchmarkSort{n}-10   {n}00   12{n} ns/op   8 B/op\n" for n in range(4))
    for figures in (rows, header, header + rows):
        for text in (f"```\n{figures}```", f"```bash\n{figures}```", figures):
            said = "It is faster, because nothing is copied."
            body = body_of(parse_message(f"Sort in place\n\n{said}\n\n{text}\n\nDone."))
            assert body == f"{said}\n\nDone."
    kept = "Sort in place\n\nCall it like this:\n\n```go\nsort.Sort(x)\n```"
    assert body_of(parse_message(kept)).endswith("```go\nsort.Sort(x)\n```")


def test_a_list_after_a_colon_stays() -> None:
    """It is what the sentence announces; also if it looks like squashed commits."""
    text = "Fix it\n\nThe conditions are:\n\n* the client is old\n* the server is new\n* both run"
    assert body_of(parse_message(text)).endswith("* both run")
    code = "\n".join(f"    line {n}" for n in range(40))
    body = body_of(parse_message(f"Fix it\n\nIt was slow. Generate it again by running:\n\n{code}"))
    assert body == "It was slow."


def test_squashed_subjects_stay_only_with_their_text() -> None:
    """A wrapped item keeps its first line."""
    text = (
        "Compare labels\n\n* Compare labels\n\n* Use strings,\n  instead of hashes.\n\n"
        "* Fix lint\n\nSigned-off-by: Ada <ada@example.org>\n\n* Address comments\n"
    )
    body = body_of(parse_message(text))
    assert body == "Use strings,\n  instead of hashes."


def test_a_long_body_keeps_the_reason() -> None:
    """The first paragraph, and what gives reasons, wherever it stands."""
    filler = "\n\n".join(f"Paragraph {n} " + "word " * 60 for n in range(9))
    reason = "It is unreachable because the fix of the callback landed before."
    body = body_of(parse_message(f"Remove it\n\n{filler}\n\n{reason}\n\n{filler}"))
    assert body.startswith("Paragraph 0")
    assert reason in body
    assert len(body) <= MOST_BODY


def test_who_merged_and_reviewed_is_no_text() -> None:
    """Nor when."""
    text = (
        "Remove it\n\nIt was slow.\n\nSubmitted by: Ada\nReviewed by: Bob\nMergeDate: Mon Jan 1\n"
        "(Merged from https://example.org/pull/1)"
    )
    assert body_of(parse_message(text)) == "It was slow."


@pytest.mark.parametrize(
    "who",
    [
        "Reviewers: Ada Lovelace <ada@example.org>, Grace <grace@example.org>",
        " Reviewers:  Ada Lovelace <[REDACTED:email]>,\n Grace Hopper <[REDACTED:email]>",
        "Reviewer: Ada\nAuthors: Grace Hopper <grace@example.org>",
        "Co-authors: Ada, ijuma",
        "Testers: Ada\nApprovers : Grace",
    ],
)
def test_lists_of_reviewers_and_authors_are_no_text(who: str) -> None:
    """In the singular and the plural, redacted or not, and on the lines they go on in."""
    assert body_of(parse_message(f"Remove it\n\nIt was slow.\n\n{who}\n")) == "It was slow."


def test_what_is_said_about_reviewers_stays() -> None:
    """It is no list of them."""
    text = "Reviewers could not tell which lock is held."
    assert body_of(parse_message(f"Rename the lock\n\n{text}")) == text


def test_thanks_go_with_the_line_that_they_continue_in() -> None:
    """Half a sentence about people is worse than none."""
    text = (
        "Use the other lock\n\nThe old one starves readers.\n\nThanks to Ada Lovelace,"
        " Grace Hopper, Barbara Liskov,\nand Jean Bartik for reviews.\nCLA: trivial\n"
    )
    assert body_of(parse_message(text)) == "The old one starves readers."


def test_an_address_in_a_sentence_stays() -> None:
    """It goes at the end of a text, where nothing needs it."""
    text = (
        "Use the other lock\n\nThe addition in\nhttps://example.org/one\ncannot overflow,"
        " as shown.\n\nhttps://example.org/two\n"
    )
    assert body_of(parse_message(text)) == (
        "The addition in\nhttps://example.org/one\ncannot overflow, as shown."
    )


def test_a_table_goes_with_what_announces_it() -> None:
    """Figures of a benchmark are in the commit; code that a sentence goes on with stays."""
    rows = "\n".join(f"Scrape/metrics={n}-8    {n}.4µs ± 4%    {n}.2µs ± 3%" for n in range(5))
    text = f"Compress faster\n\nIt saves memory.\n\nBenchmark results:\n\n{rows}\n"
    assert body_of(parse_message(text)) == "It saves memory."
    code = "\n".join(f"    curl --cert {n}.pem https://example.org" for n in range(14))
    text = f"Allow a prefix\n\nSo instead of\n\n{code}\n\nyou write less.\n"
    assert code.strip("\n") in body_of(parse_message(text))


def test_a_subject_of_a_squashed_commit_alone_goes() -> None:
    """Also if there is only one, and nothing announces it."""
    text = "Make the delay an option\n\n* Fix the tests\n\nOthers need another delay.\n\n* Lint\n"
    assert body_of(parse_message(text)) == "Fix the tests\n\nOthers need another delay."


def test_undoing_is_no_revert_unless_it_names_one() -> None:
    """A program undoes things, too."""
    assert not parse_message("Undo the state change on failed saves").reverts
    assert parse_message('Undo "cache: keep entries"').reverts == "cache: keep entries"


def test_what_a_conversion_from_mercurial_left_is_no_text() -> None:
    """Below its mark, all lines are for machines."""
    message = parse_message(
        "Serve pages from the cache\n\nThe disk was slow.\n\n--HG--\nrename : a.py => b.py\n"
        "extra : convert_revision : svn%3Ab85faa78-f9eb-468e-a121-7cced6da292c%4090\n"
    )
    assert message.prose == "The disk was slow."


def test_a_subject_that_goes_on_ends_before_a_list() -> None:
    """The list is the text."""
    message = parse_message(
        "Ported the queue and the stack to heapq instead of queue.Queue +\n"
        "bisect, which was slower\n * added a test\n * changed the names\n"
    )
    assert message.subject.endswith("queue.Queue + bisect, which was slower")
    assert "added a test" in message.prose


def test_what_a_change_also_does_is_no_title() -> None:
    """Its subject says what it does."""
    message = parse_message(
        "Big refactoring to pass around references instead of names:\n\nThis change will also work"
        " as the foundation for the cleaning. It was needed because names were resolved twice."
    )
    assert title_of(message) == "Big refactoring to pass around references instead of names"


def test_a_merge_whose_text_is_one_paragraph_has_a_whole_title() -> None:
    """Its first sentence, not its first line."""
    message = parse_message(
        "Merge branch 'no_percent'\n\n"
        "Drops the % notation for process expansion. The existing notation was a\n"
        "mess and expanded jobs, process ids and names, which surprised people.\n"
    )
    assert title_of(message) == "Drops the % notation for process expansion"
    assert "The existing notation was a mess" in body_of(message)


def test_squashed_commits_with_their_authors_are_no_text() -> None:
    """They list what was done, not why."""
    message = parse_message(
        "DEPR: deprecate options.display.style #12933\n\n"
        "The plotting library has sheets of its own, because users asked for them.\n\n"
        "465272e [Ada Example] Benchmark decimal option in read_csv\n"
        "9f42d0c [Ada Example] double backticks around decimal\n"
    )
    assert title_of(message) == "Deprecate options.display.style"
    assert body_of(message).endswith("because users asked for them.")


@pytest.mark.parametrize(
    ("subject", "kind", "title"),
    [
        ("BUG: Fix the replacement of expressions", "fix", "Fix the replacement of expressions"),
        ("TST: Add cases for the parser", "test", "Add cases for the parser"),
        ("http: Fix the replacement of streams", "", "http: Fix the replacement of streams"),
    ],
)
def test_a_label_in_capitals_says_what_a_change_does(subject: str, kind: str, title: str) -> None:
    """It is no area; scientific projects write it."""
    message = parse_message(subject)
    assert message.type == kind
    assert title_of(message) == title


def test_a_clause_that_breaks_off_is_no_title() -> None:
    """The words after it are needed."""
    message = parse_message(
        "Revert gh-16039\n\ngh-16039 created a bug in which files that contain bytes without any"
        " meaning could break, so this is safe to take back."
    )
    assert not title_of(message).endswith(" in")


def test_how_it_was_tested_and_pictures_are_no_text() -> None:
    """Nobody asks for them later."""
    message = parse_message(
        "net: keep the cache for a day\n\n"
        "An hour was too short, because people come back daily.\n\n"
        '<img width="197" alt="before"\nsrc="https://example.com/a.png"\n/>\n\n'
        "Testing: The cache has tests, and they\npass on all machines.\n"
    )
    assert body_of(message) == "An hour was too short, because people come back daily."


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        (
            "Fix bug #71201 (round() is wrong on 64-bit builds)",
            "Fix round() is wrong on 64-bit builds",
        ),
        ("Fixed bug GH-8563 (Incorrect results for a seek)", "Fix incorrect results for a seek"),
        ("Fix GH-11234: Segfault when the cache is on", "Fix segfault when the cache is on"),
        ("Fix #8: Reject a date without a year", "Reject a date without a year"),
    ],
)
def test_a_cure_named_by_its_ticket_says_what_was_cured(subject: str, title: str) -> None:
    """What stands behind the number is the trouble, not what was done."""
    message = parse_message(f"{subject}\n\nThe reason is that nobody had tried it.")
    assert title_of(message) == title
    assert message.is_fix


@pytest.mark.parametrize("end", ["", "\nConflicts:\n\tsrc/cache.c\n"])
def test_the_subjects_below_a_merge_are_no_text(end: str) -> None:
    """Git writes them there, and each is a commit of its own."""
    merge = "Merge branch 'v1' into v2\n\n* v1:\n  Fix GH-12: crash of the cache\n  Update news\n"
    message = parse_message(merge + end)
    assert (message.subject, message.prose) == ("", "")


@pytest.mark.parametrize(
    "first", ["Auto merge of #11 - ada:fix, r=bob", "Rollup merge of #7 - a:b, r=c"]
)
def test_a_merge_of_a_bot_names_its_change_below(first: str) -> None:
    """And its template asks for what nobody needs later."""
    message = parse_message(
        f"{first}\n\nStop the endless loop on cyclic features\n\n"
        "### What does this PR try to resolve?\n\nTwo features may enable each other, so that it"
        " never ends.\n\n### How should we test and review this PR?\n\nRun it.\n\n- [ ] done\n\n"
        "### Additional information\n\nThe resolver did that right.\n"
    )
    assert title_of(message) == "Stop the endless loop on cyclic features"
    assert body_of(message).startswith("Two features may enable each other")
    assert "Run it" not in message.prose
    assert message.prose.endswith("The resolver did that right.")


def test_markup_of_documents_is_no_text() -> None:
    """Roles and literals become code as in Markdown, and a ticket is its number."""
    message = parse_message(
        "Fixed a regression in the proxy caused by :ticket:`2810` which lost ``None``\n\n"
        ":pep:`484` asks for it. The check in :meth:`.Proxy.get` is moved, because a ``getter`` may"
        " return nothing."
    )
    assert title_of(message) == (
        "Fixed a regression in the proxy caused by #2810 which lost `None`"
    )
    assert "PEP 484 asks for it. The check in `Proxy.get` is moved, because a `getter`" in body_of(
        message
    )


def test_a_ticket_with_a_remark_is_no_title() -> None:
    """Nobody understands it without the ticket."""
    message = "proxy: Fix #4640 (edge case)\n\nGuh, this is complicated, because of ports."
    assert title_of(parse_message(message)) == ""


def test_a_checklist_and_a_bare_link_are_no_text() -> None:
    """As templates of pull requests have them, with what goes on in the next lines."""
    told = "The cache is read twice, because the key changes."
    message = (
        f"Read the cache once\n\n{told}\n\nThis pull request is:\n\n- [ ] A fix of a typo\n"
        "\t- Good to go\n- [X ] A short fix\n\t- please include tests,\n\t  and the issue\n\n"
        "RFC: https://example.org/rfc\n\n**Have a nice day!**\n"
    )
    assert body_of(parse_message(message)) == told


def test_squashed_work_on_something_else_goes() -> None:
    """With its text: it is neither what the subject says nor about it."""
    message = (
        "pki: Implement endpoints for certificates\n\n* Fix lint\n\n* pki: Lower a log level\n\n"
        "It's not needed to warn.\n\n* Add endpoints for the chain\n\nClients need it.\n\n"
        "* Add tests of certificates\n\nThey fail without it.\n"
    )
    assert body_of(parse_message(message)) == "Add endpoints for the chain\n\nClients need it."


def test_control_characters_leave_a_message() -> None:
    """A tool that reads an escape writes one; lines and tabs stay."""
    message = parse_message("fix: check \x0cor-direction\x1b\x00\n\nIt\x07 hangs.\r\n\tcode\x7f\n")
    assert message.subject == "check or-direction"
    assert "It hangs." in body_of(message)
    assert not [one for one in body_of(message) if one < " " and one not in "\n\t"]
