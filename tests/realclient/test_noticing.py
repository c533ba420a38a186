"""What the hooks notice in a session of the real client, and what they must never keep."""

from __future__ import annotations

from pathlib import Path

from tests.realclient.api import Script, say, use
from tests.realclient.manners import check_manners
from tests.realclient.workplace import Workplace

DECISION = "We decided to keep prices in integer cents because floats lost a cent in March."


def test_a_decision_of_the_talk_is_noticed_once(place: Workplace) -> None:
    """The person says it and the agent repeats it: one thing, kept or suggested."""
    place.api.play(Script([say(f"Understood. {DECISION}")]))
    with place.start(DECISION, several=True) as talk:
        talk.wait_for_result()
        talk.say("Go on.")
        talk.wait_for_result()
        run = talk.finish()

    everything = place.recollect("list") + place.recollect("review")
    assert everything.count("integer cents") == 1
    check_manners(run)


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

    check_manners(run)
    assert "REDACTED" in place.recollect("list")
    ours = b"".join(_read(p) for p in (place.repo / ".git" / "recollect").rglob("*"))
    data = place.home / ".local" / "share" / "recollect"
    ours += b"".join(_read(p) for p in data.rglob("*"))
    for ref in place.git("for-each-ref", "--format=%(refname)", "refs/notes", "refs/mem").split():
        ours += place.git("log", "-p", ref).encode()
    assert secret.encode() not in ours


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
