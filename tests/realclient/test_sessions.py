"""With the real client: the next session knows the last one, however that one ended."""

from __future__ import annotations

import signal
from typing import Any

from tests.realclient.api import Script, Silence, say, use
from tests.realclient.hook_output import check_hook_output
from tests.realclient.workplace import Workplace

GOAL = "Let the cart round half up, and add a test for it"


def test_a_session_that_is_killed_is_known_to_the_next(place: Workplace) -> None:
    """`kill -9` in the middle of a turn: what was done and said by then is in front."""
    place.api.play(
        Script(
            [
                use("Read", file_path=str(place.repo / "src" / "cart.py")),
                use(
                    "Edit",
                    file_path=str(place.repo / "src" / "cart.py"),
                    old_string="return sum(prices)",
                    new_string="return round(sum(prices))",
                ),
                use("Bash", command="git commit -qam 'fix: round half up'", description="Commit"),
                Silence(),
            ]
        )
    )
    with place.start(GOAL) as talk:
        talk.wait_for_request(4)
        talk.signal(signal.SIGKILL)
        talk.finish()
    place.api.play(Script([say("Good morning.")]))

    run = place.ask("Good morning.")

    told = run.main[0].text
    assert "round half up, and add a test" in told
    assert "Commit: fix: round half up" in told
    assert "src/cart.py" in told
    assert "may still be running" in told
    assert place.recollect("list", "--kind", "sessions").count("sessions:") == 1
    check_hook_output(run)


def test_a_session_of_another_worktree_is_known(place: Workplace) -> None:
    """Work goes on in the main tree with what was done in the other."""
    tree = place.home / "shop-tax"
    place.git("worktree", "add", "--quiet", str(tree))
    place.api.play(
        Script(
            [
                use("Write", file_path=str(tree / "src" / "tax.py"), content="RATE = 19\n"),
                say(
                    "Done. I added the tax rate to `src/tax.py`.\n\n"
                    "Next steps:\n- Round the tax per order line"
                ),
                say("Good morning."),
            ]
        )
    )
    place.ask("Add the tax rate of 19 percent to the shop", cwd=tree)

    run = place.ask("Where were we?")

    told = run.main[0].text
    assert "Round the tax per order line" in told
    assert told.count("I added the tax rate") == 1  # at the start, and not again at the prompt
    check_hook_output(run)


def test_a_session_that_goes_on_has_one_summary(place: Workplace) -> None:
    """Resumed and corrected: its summary is updated, and what was corrected is gone."""
    place.variables["RECOLLECT_TRIAGE_MODE"] = "suggest"  # no step for drafts
    edit: dict[str, Any] = {"file_path": str(place.repo / "src" / "mail.py")}
    place.api.play(
        Script(
            [
                use("Read", **edit),
                use("Edit", **edit, old_string="return address", new_string="return 'x' + address"),
                say("I changed every address of the mailer to begin with an x."),
                say("Good morning."),
                use("Edit", **edit, old_string="'x' + address", new_string="address.strip()"),
                say("I changed the mailer to strip every address."),
                say("Good evening."),
            ]
        )
    )
    first = place.ask("Clean the addresses in the mailer before it sends")
    second = place.ask("Good morning.")
    assert "begin with an x" in second.main[0].text
    place.ask("No, that's wrong. Strip them.", options=["--resume", first.session])

    run = place.ask("Good evening.")

    told = run.main[0].text
    assert "begin with an x" not in told
    assert "strip every address" in told
    assert place.recollect("list", "--kind", "sessions").count("sessions:") == 1
    check_hook_output(run)
