"""What the model gets to read, and what stays in the repository, with the real client."""

from __future__ import annotations

from tests.realclient.api import Script, say, use
from tests.realclient.hook_output import check_hook_output
from tests.realclient.workplace import Workplace

BLOCK = '<memory-context source="recollect"'
CENTS = "Money is counted in integer cents"
REFUNDS = "Refunds go back through Stripe within thirty days"
PRINTER = "The label printer needs a restart on Mondays"
QUEUE = "Addresses are checked before they enter the queue"
INVOICES = "Invoices are numbered anew every year"


def test_a_session_starts_with_memories(place: Workplace) -> None:
    """What was decided is in the first request; the turn is one request, Stop adds none."""
    place.remember("decisions", CENTS, "--body", "Floats lost a cent in March.")

    run = place.ask("Good morning.")

    assert CENTS in run.main[0].text
    assert BLOCK in run.main[0].text
    assert len(run.requests) == 1
    assert [hook.stdout for hook in run.hooks("Stop")] == [""]
    check_hook_output(run)


def test_an_empty_memory_has_no_block(place: Workplace) -> None:
    """Where nothing was remembered, nothing is shown as if it had been."""
    run = place.ask("Good morning.")

    assert BLOCK not in run.main[0].text
    assert [hook.stdout for hook in run.hooks("UserPromptSubmit")] == [""]
    check_hook_output(run)


def test_a_prompt_brings_what_answers_it(place: Workplace) -> None:
    """A memory made meanwhile comes with the prompt that asks for it; others do not."""
    with place.start("Good morning.", several=True) as talk:
        talk.wait_for_result()
        place.remember("decisions", REFUNDS)
        place.remember("learnings", PRINTER)
        talk.say("How are refunds with Stripe handled?")
        talk.wait_for_result()
        run = talk.finish()

    first, second = run.main
    assert REFUNDS not in first.text
    assert REFUNDS in second.text
    assert PRINTER not in second.text
    check_hook_output(run)


def test_a_file_brings_what_is_known_about_it(place: Workplace) -> None:
    """Reading a file brings the memories that recorded it, once, and those of no other file."""
    mail = str(place.repo / "src" / "mail.py")
    place.api.play(
        Script(
            [
                say("Good morning."),
                use("Read", file_path=mail),
                use("Read", file_path=mail),
                say("Read."),
            ]
        )
    )
    with place.start("Good morning.", several=True) as talk:
        talk.wait_for_result()
        place.remember("learnings", QUEUE, "--file", "src/mail.py")
        place.remember("learnings", PRINTER, "--file", "src/labels.py")
        talk.say("Go on.")
        talk.wait_for_result()
        run = talk.finish()

    assert [QUEUE in request.text for request in run.main] == [False, False, True, True]
    assert run.main[-1].text.count(QUEUE) == 1
    assert PRINTER not in run.main[-1].text
    check_hook_output(run)


def test_a_memory_is_given_once_in_a_session(place: Workplace) -> None:
    """Known from the start, a memory is repeated neither for a prompt nor for a file."""
    cart = str(place.repo / "src" / "cart.py")
    place.remember("decisions", CENTS, "--file", "src/cart.py")
    place.api.play(Script([say("Good morning."), use("Read", file_path=cart), say("In cents.")]))

    run = place.ask("Good morning.", "How is money counted?", "Is money counted in cents?")

    assert len(run.main) == 4
    assert [request.text.count(CENTS) for request in run.main] == [1, 1, 1, 1]
    check_hook_output(run)


def test_compaction_does_not_forget(place: Workplace) -> None:
    """After /compact the memories come again: the model has only the summary left."""
    place.remember("decisions", CENTS)

    run = place.ask("Good morning.", "/compact", "Go on.")

    before, after = run.main
    assert [request.kind for request in run.requests] == ["main", "compact", "main"]
    assert "Good morning." not in after.text
    assert [before.text.count(CENTS), after.text.count(CENTS)] == [1, 1]
    check_hook_output(run)


def test_a_cleared_session_starts_anew(place: Workplace) -> None:
    """After /clear there is a new session, and it has the memories too."""
    place.remember("decisions", CENTS)

    run = place.ask("Good morning.", "/clear", "Go on.")

    before, after = run.main
    assert len({str(result["session_id"]) for result in run.results}) == 2
    assert [before.text.count(CENTS), after.text.count(CENTS)] == [1, 1]
    check_hook_output(run)


def test_a_resumed_session_goes_on(place: Workplace) -> None:
    """Taken up again, a session knows its memories once, and what came meanwhile."""
    place.remember("decisions", CENTS)
    first = place.ask("Good morning.")
    place.remember("decisions", REFUNDS)

    again = place.ask("How are refunds with Stripe handled?", options=["--resume", first.session])

    assert again.session == first.session
    assert "Good morning." in again.main[0].text
    assert again.main[0].text.count(CENTS) == 1
    assert again.main[0].text.count(REFUNDS) == 1
    check_hook_output(again)


def test_what_one_worktree_is_told_the_other_knows(place: Workplace) -> None:
    """A marked prompt is a note on HEAD, and a session in another worktree starts with it."""
    other = place.home / "shop-hotfix"
    place.git("worktree", "add", "--quiet", str(other))

    told = place.ask(f"[remember:decisions] {INVOICES}")
    run = place.ask("Good morning.", cwd=other)

    assert INVOICES in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    assert INVOICES in place.recollect("list", cwd=other)
    assert run.main[0].text.count(INVOICES) == 1
    check_hook_output(told)
    check_hook_output(run)


def test_two_sessions_at_once_share_memories(place: Workplace) -> None:
    """While two worktrees have a session each, what one is told the other finds."""
    other = place.home / "shop-hotfix"
    place.git("worktree", "add", "--quiet", str(other))
    with place.start("Good morning.", several=True, cwd=other) as there:
        there.wait_for_result()
        here = place.ask(f"[remember:decisions] {INVOICES}")
        there.say("How are invoices numbered?")
        there.wait_for_result()
        run = there.finish()

    assert INVOICES in run.main[-1].text
    check_hook_output(here)
    check_hook_output(run)


def test_what_no_person_typed_brings_nothing(place: Workplace) -> None:
    """The report of a background agent and the command of a plugin are no questions.

    What the agent itself marked is kept when it stops, and not again when its report arrives.
    """
    place.api.play(
        Script(
            main=[
                use(
                    "Agent",
                    description="Look at the cart",
                    prompt="How is money counted?",
                    subagent_type="Explore",
                    run_in_background=True,
                ),
                say("The agent looks."),
                say("It counts in cents."),
            ],
            agent=[say(f"[remember:decisions] {CENTS}")],
        )
    )

    run = place.ask("Ask an agent how money is counted.", "/recollect:memory")

    assert "<task-notification>" in run.main[-1].text
    assert {hook.stdout for hook in run.hooks("UserPromptSubmit")} == {""}
    assert place.recollect("list").count(CENTS) == 1
    check_hook_output(run)
