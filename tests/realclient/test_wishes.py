"""What a person asks for in plain words, with the real client: kept once, whatever the session."""

from __future__ import annotations

from tests.realclient.api import Script, say, use
from tests.realclient.workplace import Workplace

WISH = "Look at src/cart.py, and remember that prices are kept in integer cents."
KEPT = "Prices are kept in integer cents"


def test_a_wish_is_kept_once_in_resumed_forked_and_planning_sessions(place: Workplace) -> None:
    """The transcript of a fork has the wish again, and so has the user, who repeats it."""
    mail = str(place.repo / "src" / "mail.py")
    edit = use("Edit", file_path=mail, old_string="return address", new_string="return [address]")
    place.api.play(Script([use("Read", file_path=mail), edit, say("Done.")]))
    first = place.ask(WISH)
    shown = [hook.stdout for hook in first.hooks("UserPromptSubmit")]
    assert "Undo: recollect retire" in shown[0]

    place.ask("Go on.", options=["--resume", first.session])
    place.ask("Go on.", options=["--resume", first.session, "--fork-session"])
    place.ask(WISH, options=["--permission-mode", "plan"])

    listed = place.recollect("list")
    assert listed.count(KEPT) == 1
    assert KEPT in place.recollect("list", "--file", "src/cart.py")
    assert KEPT in place.recollect("list", "--file", "src/mail.py")


def test_the_next_session_gets_the_wish(place: Workplace) -> None:
    """Nobody ran a command."""
    place.ask("From now on money is counted in integer cents.")

    run = place.ask("How is money counted?")

    assert "integer cents" in run.main[0].text
