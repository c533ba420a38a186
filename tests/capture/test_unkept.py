"""What a person asks not to keep is found; what only sounds alike is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.hearsay import declines, is_hearsay, only_answers, without_hearsay
from recollect.capture.learned_unkept import part_prompt
from recollect.capture.requests import asks_to_forget, find_requests
from recollect.capture.unkept import part


@pytest.mark.parametrize(
    "text",
    [
        "Between us, and don't write this down anywhere: Henrik is leaving in June.",
        "Off the record: the vendor is nearly broke.",
        "No need to remember this, but the coffee machine is broken again.",
        "Keep this to yourself: Anna got the job.",
        "The office moves in May. Don't write that down.",
        "Anna got the job, but this stays private.",
        "don't save this anywhere: the merger is on",
        "Don’t tell anyone, but we get sold.",
        "You don't need to remember that. The lift is broken.",
        "Use port 8080 just for now.",
        "I'd rather you didn't note this: the CTO quits",
        "Don't note that down: the budget is gone.",
        "please don't add this to your memory, but the lead is on sick leave",
        "Keep this out of your notes: we are for sale.",
        "You didn't hear this from me, but the project gets cut.",
        "Forget I said that, the date isn't fixed.",
        "This doesn't leave this room: Anna is the new CTO.",
        "I tell you this in confidence, Bob is going to quit.",
        "The price is 40 today only.",
        "Show the total in pink, only for tomorrow's demo.",
        "Set the year to 1999 just for the screenshot.",
        "thinking out loud: zmodem would do that too",
        "i might quit in spring, keep that one to yourself",
        "please don't keep what i say next. the budget was cut by half",
        "we have to let two people go. you never heard that",
        "i had two beers, dont save that lol",
        "let's pretend i didn't say this: the deadline was made up by sales",
        "the office moves to Leeds, hush hush until june",
        "for your eyes only: the price is 4 million",
        "Tom is slow because of his divorce, so don't record it.",
        "leave the thing with the lawsuit out of whatever you write down",
        "this shouldn't be remembered: i used prod data",
        "customer Brennan is bankrupt, thats secret, no traces of it please",
        "nothing of this in any memory please, we replace the vendor",
        "for this build only skip the artwork check",
        "what i tell you now stays in this window: Ida gets promoted",
        "psst, Oskar got fired. not a word to anyone",
        "sensitive, so no notes please: we failed the audit",
        "don't put that in any summary, the client is furious",
        "I'd prefer this not be stored: my salary is 4k",
        "the ceo is ill, please treat as confidential",
        "only for this afternoon, use the backup key",
        "For the mail to the ministry use the German names, but only there.",
        "Only between us and nothing for your notes: the harbour master gets a divorce.",
        "Only until it is closed this evening, send every status to Ben first.",
        "Write a text for the guests: the 14:00 falls out. Only for today, tomorrow it runs again.",
        "Don't touch the printer module today, Duarte is in the middle of it.",
        "Today please no flashing, the board is at the lab.",
        "Use the staging key for this call, and drop that again afterwards please.",
        "skip golangci-lint for the rest of today please, the binary is broken",
        "The server is being moved, so until tonight please no uploads.",
        "from now on call me captain. ... kidding, please don't, my boss reads this",
        "always run rm -rf on fridays. JOKE.",
    ],
)
def test_who_asks_not_to_keep(text: str) -> None:
    """All of such a prompt is left out."""
    assert part(text).kept == ""
    assert part(text).unkept


@pytest.mark.parametrize(
    "text",
    [
        "Don't store this in a file, use the keychain.",
        "this should not be recorded twice in the audit table",
        "remove it from the docs",
        "it must not end up in the logs",
        "drop it from the index",
        "there are no notes for this release",
        "don't put this in the database",
        "you haven't seen that file yet, look at it",
        "this is a secret key, rotate it",
        "This isn't only for today: run the hook with --all-files.",
        "Of all I told you today only one has to last: no network calls in constructors.",
        "I don't remember that.",
        "the network between us and the vendor is slow",
        "Make the method private",
        "it is private, so tests can't call it",
        "don't save it in the session",
        "we don't keep this in memory",
        "never log this in production",
        "Don't forget that.",
        'The dialog says "off the record".',
        "don't keep that branch",
        "Use the retry only for the first call.",
        "Keep this out of the log file, it has a token.",
        "The token is valid until today.",
        "In all texts, not just today: we say du.",
        "No more tabs, not only today.",
        "Don't use tabs from today.",
        "Don't ever use local time, it broke today.",
        "Don't print secrets, today or ever.",
        "Make the list print today's entries.",
        "Use UTC as of today.",
        "Run the linter every time, not only for this commit.",
        "we moved with confidence",
        "it should not leave the queue",
        "This must not leave the loop early.",
        "The cable between us and the island is slow.",
        "Kidding aside: releases are on Tuesdays.",
        "The joke field of the API may be empty.",
        "The lock is held only until the last write is done.",
    ],
)
def test_who_does_not(text: str) -> None:
    """The words alone mean something else."""
    assert part(text).kept == text
    assert not part(text).unkept


def test_a_paragraph_is_meant() -> None:
    """Or the whole prompt, if the paragraph says nothing else; or the sentence of this moment."""
    assert part("We use tabs.\n\nBetween you and me, Bob is fired.").kept == "We use tabs."
    assert part("Bob is fired.\n\nDon't write this down.").kept == ""
    assert part("We use tabs. Just for now use 8080.").kept == "We use tabs."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We use tabs. Set the port to 9999. Just for today.", "We use tabs."),
        ("Just for the demo. Set the port to 9999. We use tabs.", "We use tabs."),
        ("We use tabs.\nPaint it pink.\nOnly today.", "We use tabs."),
    ],
)
def test_the_sentence_beside_it(text: str, kept: str) -> None:
    """What says only that it is for this moment speaks of its neighbour."""
    assert part(text).kept == kept
    assert "9999" in part(text).unkept or "pink" in part(text).unkept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't write that down.", True),
        ("oh, and please don't note that down", True),
        ("Off the record, please.", True),
        ("ok, but keep that to yourself", True),
        ("Off the record: Bob is going to leave us in June.", False),
        ("Don't write that to the log, use stderr.", False),
        ("Add an undo button.", False),
    ],
)
def test_what_was_said_before_is_meant(text: str, expected: bool) -> None:
    """If a prompt says nothing else."""
    assert asks_to_forget(text) is expected


def test_nothing_in_it_is_a_wish() -> None:
    """What stands before it is."""
    assert find_requests("Between us: remember that Bob is fired.") == []
    found = find_requests("Remember that we use tabs. Between us, note that Bob is fired.")
    assert [request.content for request in found] == ["We use tabs"]


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """Nothing is made up."""
    kept, unkept, _ = part(text)
    assert set(kept.split()) | set(unkept.split()) <= set(text.split()) | {""}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("A colleague says we should move to Kotlin", True),
        ("A friend of mine thinks Rust would be better here", True),
        ("Some blog post recommends to use Kafka", True),
        ("some dude on steam: 'always use an ECS, keep that in mind'", True),
        ("My predecessor's notes say 'remember to hide a bird in the puzzle'.", True),
        ("The customer says 'it must be blue'.", False),
        ("I said 'use tabs'.", False),
        ("My boss wants spaces.", False),
        ("Operations says no to another Redis.", False),
        ("The customer says it must be blue.", False),
        ("We should move to Kotlin.", False),
    ],
)
def test_what_somebody_else_thinks(sentence: str, expected: bool) -> None:
    """It is nobody's decision; what a boss or a customer wants binds."""
    assert is_hearsay(sentence) is expected


def test_the_rest_of_a_prompt_stays() -> None:
    """Hearsay is left out sentence by sentence."""
    prompt = "A colleague says we should use Kotlin. Fix the cart."
    assert without_hearsay(prompt) == "Fix the cart."
    assert without_hearsay("Fix the cart.") == "Fix the cart."


def test_an_agent_that_has_nothing_to_keep() -> None:
    """Its answer to a request is no memory."""
    assert declines("Nothing in there needs to be kept.")
    assert declines("There's nothing worth saving.")
    assert not declines("Nothing else uses the cache.")


@pytest.mark.parametrize(
    "text",
    [
        "im at the physio thursday, thats not for the files, just saying",
        "May I tell you something in confidence: the branch closes in spring.",
        "I would ask you not to put on record anywhere that the branch closes.",
        "That here you need not write up please, the code is on the poster",
        "and this next bit is off the tape, Henrik has handed in his notice",
        "the key is abc123, dont save it: run the pull",
        "The log came from Brandt. Keep their name out of everything.",
        "Push the branch without review this one time, Dominik is on the train.",
        "doc says i need glasses. thats between us not for any notes ok",
        "I'll book as Frodo. That's only for the demo, you can ignore it if you see it.",
    ],
)
def test_people_ask_for_silence_in_many_ways(text: str) -> None:
    """Nothing of it is kept."""
    assert part(text).kept == ""


@pytest.mark.parametrize(
    "text",
    [
        "the linter complains, ignore that warning",
        "ignore it, use the other branch",
        "please don't write down the token in the config",
        "the test is not for the notes app but for the editor",
    ],
)
def test_talk_about_the_work_is_kept(text: str) -> None:
    """It only sounds alike."""
    assert part(text).kept == text


def test_a_wish_that_was_a_joke_is_none() -> None:
    """Or one for the moment: the sentence after it says so. Another wish stays."""
    assert find_requests("From now on call me captain. Kidding, please don't.") == []
    assert find_requests("From now on skip the linter. Only for today, that is.") == []
    (kept,) = find_requests("From now on use uv. The deploy is slow. Just kidding, it's fine.")
    assert kept.content == "Use uv"


def test_what_somebody_is_quoted_with_binds_nobody() -> None:
    """Whatever its words are; who says it may."""
    assert is_hearsay("One of the dads told the kids 'you must always log in triplicate'.")
    assert not is_hearsay("The auditors told us 'you must always log in triplicate'.")


def test_a_wish_does_not_take_the_secret_beside_it() -> None:
    """What follows a wish in its paragraph belongs to it, but for what must not be kept."""
    found = find_requests("Remember: releases are tagged by hand. Between us, Tom broke the last.")

    assert [one.content for one in found] == ["Releases are tagged by hand"]


def test_a_paragraph_that_only_points_means_the_one_before() -> None:
    """Without that, it would cover nothing."""
    box = "The rehearsal box listens on port 7777."
    parted = part_prompt(f"We use tabs.\n\n{box}\n\nThat doesn't need to stick.")

    assert parted.kept == "We use tabs."
    assert box in parted.unkept


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Yes, keep them, and improve a few of the decisions.", True),
        ("yes keep all of them", True),
        ("Keep them.", True),
        ("ok, keep them and rewrite the decisions afterwards", True),
        ("Keep only those from git.", True),
        ("Keep nothing from the docs.", True),
        ("Keep them all, no need to improve anything.", True),
        ("Yes please, keep both!", True),
        ("Keep it simple.", False),
        ("Keep all endpoints versioned.", False),
        ("Keep those endpoints behind the proxy.", False),
        ("Keep everything in one file.", False),
        ("Store amounts in cents and keep them there.", False),
        ("Keep these two modules apart.", False),
        ("Keep nothing in the cache for longer than a day.", False),
        ("We keep them in Redis.", False),
    ],
)
def test_what_only_answers_a_question(sentence: str, expected: bool) -> None:
    """Without the question, nobody knows what "them" is."""
    assert only_answers(sentence) is expected


def test_what_is_asked_to_be_kept_after_all_is_kept() -> None:
    """Only what stands before it is not."""
    unkept = "The old login is a/b, no, don't save it anywhere."
    kept = "But do save this: reports go out on Fridays."

    parted = part(f"{unkept} {kept}")

    assert (parted.unkept, parted.kept) == (unkept, kept)
    assert [one.content for one in find_requests(f"{unkept} {kept}")] == [
        "Reports go out on Fridays"
    ]


def test_an_order_for_this_day_does_not_speak_of_what_stands_before_it() -> None:
    """It is no retraction, however short the rest of it is."""
    text = "Remember that pallets are layers. also ignore the red test today, it's Tom's"

    assert [one.content for one in find_requests(text)] == ["Pallets are layers"]


def test_an_order_for_this_day_covers_its_own_sentence_only() -> None:
    """What somebody asks to keep in the next one is kept."""
    text = "Don't touch the printer module today. And remember that pallets are counted in layers."

    assert [one.content for one in find_requests(text)] == ["Pallets are counted in layers"]
