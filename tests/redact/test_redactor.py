"""The redactor's promises: strategies, what is allowed, what is private, and homes."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest

from recollect.errors import BadConfig, CaptureError, SecretFound
from recollect.redact.redactor import STRATEGIES, Redaction, Redactor
from recollect.redact.rule import Rule
from recollect.redact.rules import RULES
from tests.redact.labelled import Draw, secrets

TOKEN = "gh" + "p_" + Draw(1)(36)
PASSWORD = "hunter" + "2"


def test_names_come_in_the_order_of_the_text() -> None:
    """So that a report reads as the text does."""
    text = f"ada@analytical.org wrote password={PASSWORD} and {TOKEN}"
    redaction = Redactor().redact(text)
    assert redaction.found == ("email", "password", "github-token")
    assert redaction.text == (
        "[REDACTED:email] wrote password=[REDACTED:password] and [REDACTED:github-token]"
    )


def test_the_more_telling_name_wins_and_nothing_is_left_over() -> None:
    """A token inside a longer value is one finding, and the rest of the value goes too."""
    redaction = Redactor().redact(f'password = "{TOKEN}-and-more"')
    assert redaction == Redaction('password = "[REDACTED:github-token]"', ("github-token",))


def test_mask_shows_ends_only_where_they_give_nothing_away() -> None:
    """A long token can be recognised by its owner; a password cannot be guessed at."""
    redacted = Redactor(strategy="mask").redact(f"{TOKEN} password={PASSWORD}").text
    assert redacted == f"[MASKED:github-token:ghp_…{TOKEN[-4:]}] password=[REDACTED:password]"


def test_block_refuses_without_repeating_the_secret() -> None:
    """The error names the type; a log of it holds nothing to hide."""
    with pytest.raises(SecretFound) as caught:
        Redactor(strategy="block").redact(f"password={PASSWORD}")
    assert isinstance(caught.value, CaptureError)
    assert caught.value.found == ("password",)
    assert PASSWORD not in str(caught.value.as_json())


def test_block_lets_clean_text_through() -> None:
    """A home directory is no reason to refuse."""
    assert Redactor(strategy="block").redact("/home/ada/x").text == "~/x"


def test_warn_reports_and_leaves_the_secret() -> None:
    """Private parts and homes go all the same: they are never wanted."""
    text = f"/home/ada <private>x</private> password={PASSWORD}"
    assert Redactor(strategy="warn").redact(text) == Redaction(
        f"~ password={PASSWORD}", ("password",)
    )


def test_an_unknown_strategy_is_refused() -> None:
    """A misspelt one must not mean that nothing is redacted."""
    with pytest.raises(BadConfig):
        Redactor(strategy="redcat")


def test_what_is_allowed_stays() -> None:
    """By the sha256 of the value, whatever rule finds it; everything else still goes."""
    allowed = [sha256(TOKEN.encode()).hexdigest().upper()]
    redaction = Redactor(allowed=allowed).redact(f"token={TOKEN} password={PASSWORD}")
    assert redaction == Redaction(f"token={TOKEN} password=[REDACTED:password]", ("password",))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a c"),
        ("a<private>b</private>c", "a c"),
        ("a <private>b", "a "),
        ("a <PRIVATE>b\n\nc</Private>\nd", "a \nd"),
        ("a <private>b<private>c</private>d</private> e", "a e"),
        ("<private>a</private><private>b</private>c", "c"),
        ("a</private> b", "a</private> b"),
        ("<<private>x</private>private>b", "< private>b"),
        ("<private>", ""),
    ],
)
def test_private_parts_are_dropped(text: str, kept: str) -> None:
    """Nested or unclosed, in any case; what stood around them never becomes one word."""
    assert Redactor().redact(text) == Redaction(kept, ())


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("/home/ada/src/x.py", "~/src/x.py"),
        ("in /Users/ada, too", "in ~, too"),
        ("file:///home/ada/x", "file://~/x"),
        ("/mnt/c/Users/ada/x and /c/Users/ada", "~/x and ~"),
        (r"C:\Users\ada\x", r"~\x"),
        (r"C:\Users\Ada Lovelace\x", r"~\x"),
        (r"\"C:\\Users\\ada\\x\"", r"\"~\\x\""),
        ("C:/Users/ada/x", "~/x"),
        (
            "~/.claude/projects/-Users-ada-work-app/x.jsonl",
            "~/.claude/projects/-~-work-app/x.jsonl",
        ),
        ("/srv/people/ada/x", "~/x"),
        ("/srv/people/adam/x", "/srv/people/adam/x"),
        ("https://host/home/ada", "https://host/home/ada"),
        ("/home/$USER/x /home/<user>/x", "/home/$USER/x /home/<user>/x"),
        ("src/home/view.py", "src/home/view.py"),
        ("/home//home/ada", "/home/~"),
    ],
)
def test_home_directories_become_a_tilde(text: str, kept: str) -> None:
    """Their names are people's names."""
    assert Redactor(home="/srv/people/ada/").redact(text) == Redaction(kept, ())


@pytest.mark.parametrize("home", ["", "/", "~", "."])
def test_a_home_that_is_none_changes_nothing(home: str) -> None:
    """A container may well say that its home is `/`."""
    assert Redactor(home=home).redact("a/b ./c ~/d").text == "a/b ./c ~/d"


def test_a_mark_in_a_text_is_not_redacted_again() -> None:
    """Only a mark that we could have written: a secret cannot hide in the shape of one."""
    text = "password=[REDACTED:password] [REDACTED:email]"
    assert Redactor().redact(text) == Redaction(text, ())
    assert TOKEN not in Redactor().redact(f"[REDACTED:{TOKEN}]").text


def test_a_public_key_block_is_public() -> None:
    """A certificate may be remembered; a secret that follows it may not."""
    body = "\n".join(Draw(2)(64) for _ in range(4))
    text = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
    assert Redactor().redact(text) == Redaction(text, ())
    assert Redactor().redact(text + TOKEN).text == text + "[REDACTED:github-token]"


def test_the_id_of_a_change_in_gerrit_is_public() -> None:
    """It is in each message of some histories; one letter more makes it something else."""
    digits = "8f6c1b0e5a7d49321c0fb87e6d5a4c3b2e1f0a9d"
    text = f"Change-Id: I{digits}"
    assert Redactor().redact(text) == Redaction(text, ())
    assert digits not in Redactor().redact(f"key I{digits}xQ7").text


def test_a_key_that_is_cut_off_takes_no_prose_with_it() -> None:
    """What follows the last line that could be key is kept."""
    key = "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + Draw(3)(64) + "\n" + Draw(4)(64)
    redaction = Redactor().redact(f"{key}\n\nThen it failed.")
    assert redaction.text == "[REDACTED:private-key]\n\nThen it failed."


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_can_be_used(rule: Rule) -> None:
    """Patterns are compiled late: a mistake in one must not wait for the first secret."""
    assert re.compile(rule.pattern)
    for anchor in (*rule.anchors, *rule.within):
        assert anchor == anchor.lower()
        assert anchor.isascii()


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name in ("redact", "mask")])
def test_redacting_twice_finds_nothing_new(strategy: str) -> None:
    """Over everything in the labelled set."""
    redactor = Redactor(strategy=strategy)
    for secret in secrets():
        once = redactor.redact(secret.text)
        assert redactor.redact(once.text) == Redaction(once.text, ())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("GB82WEST12345698765432", "iban"),
        ("+49 170 1234567", "phone-number"),
        ("+1-202-555-0123", "phone-number"),
        ("(202) 555-0123", "phone-number"),
        ("030 12345678", "phone-number"),
    ],
)
def test_what_belongs_to_a_person_goes_where_that_is_wanted(text: str, name: str) -> None:
    """`redact.personal` is off unless somebody asks for it."""
    said = f"Ask at {text}, please"
    assert Redactor().redact(said).text == said
    assert Redactor(personal=True).redact(said).text == f"Ask at [REDACTED:{name}], please"


@pytest.mark.parametrize(
    "text",
    [
        "DE89370400440532013001 has the wrong check sum",
        "version 1.2.3.4 of 2026-08-23 10:00, at 10.0.12.255",
        "commit 0123456789abcdef, issue 202-555, id 17063164386270",
        "lines 100-200, 1,000,000 rows, 00:12:30",
    ],
)
def test_numbers_of_other_things_stay(text: str) -> None:
    """Also where `redact.personal` is on."""
    assert Redactor(personal=True).redact(text).text == text
