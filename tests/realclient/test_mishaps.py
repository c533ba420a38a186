"""Whatever goes wrong, the agent's work goes on and nothing is left running."""

from __future__ import annotations

import json
import re
import signal

from tests.realclient.api import Failure, Script, Silence, say, use
from tests.realclient.hook_output import answer_of, check_hook_output
from tests.realclient.workplace import OUR_PROGRAMS, Workplace, write_program

CENTS = "Money is counted in integer cents"


def test_a_failing_tool_does_no_harm(place: Workplace) -> None:
    """A command that fails and a file that is not there are told to the model as ever."""
    place.remember("decisions", CENTS)
    place.api.play(
        Script(
            [
                use("Bash", command="echo boom >&2; exit 3", description="Fail"),
                use("Read", file_path=str(place.repo / "missing.py")),
                say("Both failed."),
            ]
        )
    )

    run = place.ask("Try it.")

    assert len(run.requests) == 3
    assert "boom" in run.main[1].text
    assert run.results[-1]["result"] == "Both failed."
    assert len(run.hooks("PostToolUseFailure")) == 2
    check_hook_output(run)


def test_an_error_of_the_api_does_no_harm(place: Workplace) -> None:
    """A turn that the API refuses ends as it would without us; the next one works."""
    place.remember("decisions", CENTS)
    place.api.play(Script([Failure(400, "scripted bad request")] * 20))
    failed = place.ask("Try it.", code=1)
    place.api.play(Script([say("Good morning.")]))

    run = place.ask("Good morning.", options=["--resume", failed.session])

    assert run.main[-1].text.count(CENTS) == 1
    check_hook_output(failed)
    check_hook_output(run)


def test_a_client_that_is_told_to_stop(place: Workplace) -> None:
    """On SIGTERM the client ends at once, and what it was told to remember is kept."""
    place.api.play(Script([Silence()]))
    with place.start(f"[remember:decisions] {CENTS}") as talk:
        talk.wait_for_request()
        talk.signal(signal.SIGTERM)
        run = talk.finish()

    assert run.code == 128 + signal.SIGTERM
    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    check_hook_output(run)


def test_a_client_that_is_killed(place: Workplace) -> None:
    """A session without an end leaves nothing running, and the next one starts as ever."""
    place.api.play(Script([Silence()]))
    with place.start(f"[remember:decisions] {CENTS}") as talk:
        talk.wait_for_request()
        talk.signal(signal.SIGKILL)
        talk.finish()
    place.api.play(Script([say("Good morning.")]))

    run = place.ask("Good morning.")

    assert run.main[0].text.count(CENTS) == 1
    check_hook_output(run)


def test_a_hook_that_hangs(place: Workplace) -> None:
    """A hook that does not answer is ended by the client's timeout, and the turn goes on."""
    place.remember("decisions", CENTS)
    write_program(
        place.root / "bin",
        "recollect-hook",
        'case "$*" in *prompt*|*session-end*) sleep 300;; esac\n'
        f'exec "{OUR_PROGRAMS}/recollect-hook" "$@"',
    )
    place.programs = (place.root / "bin", OUR_PROGRAMS)

    run = place.ask("Good morning.")

    assert CENTS in run.main[0].text
    assert len(run.requests) == 1
    assert [hook.outcome for hook in run.hooks("UserPromptSubmit")] == ["cancelled"]
    assert [hook.outcome for hook in run.hooks("Stop")] == ["success"]
    assert run.seconds < 20


def test_a_plugin_without_its_program(place: Workplace) -> None:
    """Without `recollect` there is one hint, at the start, with the command that helps."""
    place.programs = ()
    place.api.play(
        Script([use("Bash", command="ls", description="List"), say("Done."), say("Done.")])
    )

    run = place.ask("Good morning.", "/compact", "Go on.")

    speaking = [hook for hook in run.hooks() if hook.stdout]
    assert [hook.name for hook in speaking] == ["SessionStart:startup"]
    hint = json.dumps(answer_of(speaking[0]))
    assert "make install" in hint
    assert not re.search(r"install \S*recollect\b", hint)  # that name is another project
    check_hook_output(run)


def test_a_folder_without_git(place: Workplace) -> None:
    """Where there is no repository, a session goes on without one."""
    desk = place.home / "desk"
    desk.mkdir()
    (desk / "list.txt").write_text("milk\n")
    place.api.play(Script([use("Read", file_path=str(desk / "list.txt")), say("Milk.")]))

    run = place.ask("What do I need?", cwd=desk)

    assert run.results[-1]["result"] == "Milk."
    check_hook_output(run)
