"""What the hooks notice in a session of the real client, and what they must never keep."""

from __future__ import annotations

from pathlib import Path

from tests.realclient.api import Script, say, use
from tests.realclient.hook_output import check_hook_output
from tests.realclient.workplace import Workplace

DECISION = "We decided to keep prices in integer cents because floats lost a cent in March."


def test_a_decision_of_the_talk_is_noticed_once(place: Workplace) -> None:
    """The person says it and the agent repeats it: one thing, confirmed or not."""
    place.variables["RECOLLECT_TRIAGE_MODE"] = "suggest"  # no step for drafts
    place.api.play(Script([say(f"Understood. {DECISION}")]))
    with place.start(DECISION, several=True) as talk:
        talk.wait_for_result()
        talk.say("Go on.")
        talk.wait_for_result()
        run = talk.finish()

    assert place.recollect("list").count("integer cents") == 1
    check_hook_output(run)


def test_a_planted_secret_is_in_none_of_our_files(place: Workplace) -> None:
    """In a prompt, a tool's output, a failure, a file and a commit message."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (place.repo / "deploy.env").write_text(f"TOKEN={secret}\n")
    place.api.play(
        Script(
            [
                use("Read", file_path=str(place.repo / "deploy.env")),
                use("Bash", command=f"echo 'warning: deprecated token {secret}'"),
                use("Bash", command=f"echo 'error: bad token {secret}' >&2; exit 2"),
                use("Bash", command=f"git add -A && git commit -q -m 'Use {secret}'"),
                say(f"[remember:learnings] The token {secret} is deprecated.\n\nDone."),
            ]
        )
    )

    run = place.ask(f"[remember:decisions] We decided to use {secret} because it is new.")
    place.ask("Good morning.")  # the next session sums the first one up

    check_hook_output(run)
    assert "REDACTED" in place.recollect("list")
    ours = b"".join(_read(p) for p in (place.repo / ".git" / "recollect").rglob("*"))
    data = place.home / ".local" / "share" / "recollect"
    ours += b"".join(_read(p) for p in data.rglob("*"))
    for ref in place.git("for-each-ref", "--format=%(refname)", "refs/notes", "refs/mem").split():
        ours += place.git("log", "-p", ref).encode()
    assert secret.encode() not in ours


def test_a_solution_names_what_cured_it(place: Workplace) -> None:
    """Not the edit before the last failure, and not the document after it."""
    place.variables["RECOLLECT_TRIAGE_MODE"] = "suggest"
    check = place.repo / "check.sh"
    check.write_text(
        "test -f pins.toml && exit 0\n"
        "echo \"ModuleNotFoundError: No module named 'tomli'\" >&2\nexit 1\n"
    )
    mail, readme = str(place.repo / "src" / "mail.py"), str(place.repo / "README.md")
    run_it = use("Bash", command="sh check.sh", description="Check")
    place.api.play(
        Script(
            [
                run_it,
                use("Read", file_path=mail),
                use("Edit", file_path=mail, old_string="return address", new_string="return 1"),
                run_it,
                use("Read", file_path=readme),
                use("Edit", file_path=readme, old_string="A small shop.", new_string="A shop."),
                use("Write", file_path=str(place.repo / "pins.toml"), content="tomli = 2\n"),
                run_it,
                say("The check passes."),
            ]
        )
    )

    run = place.ask("Make the check pass.")

    check_hook_output(run)
    told = place.recollect("list") + place.recollect("review")
    assert "fixed in pins.toml" in told
    assert "mail.py" not in told


def test_an_unsolved_failure_is_closed_when_a_later_session_solves_it(place: Workplace) -> None:
    """The first session ends with it; the second one makes the command pass."""
    (place.repo / "Makefile").write_text("include missing.mk\n")
    run_it = use("Bash", command="make build", description="Build")
    place.api.play(Script([run_it, run_it, say("It fails.")]))
    first = place.ask("Build it.")
    unsolved = place.recollect("list") + place.recollect("review")

    (place.repo / "missing.mk").write_text("")
    write = use("Write", file_path=str(place.repo / "missing.mk"), content="build:\n\ttrue\n")
    look = use("Read", file_path=str(place.repo / "missing.mk"))
    place.api.play(Script([look, write, run_it, say("It passes.")]))
    second = place.ask("Build it again.")
    solved = place.recollect("list") + place.recollect("review")

    check_hook_output(first)
    check_hook_output(second)
    assert "`make build` fails" in unsolved
    assert "`make build` fails" not in solved
    assert "fixed in missing.mk" in solved


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
