"""The redactor against texts nobody thought of: it never fails, never hangs, needs no second go."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.redact.redactor import Redactor
from tests.redact.labelled import Secret, negatives, secrets

# Pieces that could make or break a finding when they are put next to each other.
GLUE = [
    "", " ", "\n", "\r\n", "\t", "\\", '"', "'", "`", "=", ":", "@", ".", "/", "-", "_", "…", "~",
    "password=", 'token: "', "://a:", "--password ", "Bearer ", "-----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----", "<private>", "</private>", "[REDACTED:", "[REDACTED:email]",
    "[MASKED:jwt:abcd…efgh]", "]", "/home/", "/Users/ada", "C:\\Users\\", "-home-ada", "sk-", "SK",
    "\ud800", "\udfff", "\x00", "\u2028", "İ", "ß", "ﬁ", "é", "🧠", "\u202e", "\u200b",
    "１２３", "٠١٢",
]  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(GLUE),
    st.sampled_from([secret.text for secret in secrets()]),
    st.sampled_from([secret.value for secret in secrets()]),
    st.sampled_from(negatives()),
    st.text(max_size=30),
    st.text(alphabet="aAbB01-_/+=.:@ ", max_size=60),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, strategy=st.sampled_from(["redact", "mask"]))
def test_any_text_is_redacted_once_and_for_all(text: str, strategy: str) -> None:
    """No text makes it fail, a second time changes nothing, and marks do not pile up."""
    redactor = Redactor(strategy=strategy, home="/home/ada")
    once = redactor.redact(text)
    again = redactor.redact(once.text)
    assert again.found == ()
    assert again.text == once.text
    assert len(once.text) <= 8 * len(text) + 64


@settings(max_examples=100, deadline=None)
@given(
    before=st.text(alphabet=st.characters(), max_size=40),
    after=st.text(alphabet=st.characters(), max_size=40),
    secret=st.sampled_from([secret for secret in secrets() if len(secret.value) > 30]),
)
def test_a_secret_on_a_line_of_its_own_never_survives(
    before: str, after: str, secret: Secret
) -> None:
    """Whatever is written in the lines around it."""
    assert secret.value not in Redactor().redact(f"{before}\n\n{secret.text}\n\n{after}").text


# Beginnings of patterns, over and over: where a careless pattern would start again at each.
