"""Six types of signal: what gives one away, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.decide import Action, decide
from recollect.capture.sentences import sentences
from recollect.capture.signal_rules import KIND_OF_TYPE, Rule
from recollect.capture.signals import RULES, Signal, detect, kind_of
from recollect.capture.tags import tags_of
from recollect.core.kinds import BY_NAME

# A text for each rule, in the order of the rules, with the confidence that it gets.
EXAMPLES = [
    ("We decided to store the index outside of the repository.", 0.92),
    ("In the end we opted for one writer and a lock.", 0.92),
    ("We chose apsw over the standard module.", 0.87),
    ("It was decided that old branches get security fixes only.", 0.87),
    ("We keep the old parser because two plugins call it.", 0.79),
    ("The decision was to drop support for the old format.", 0.90),
    ("Decision: one commit for each flush", 0.85),
    ("We'll go with PostgreSQL for the shared index.", 0.87),
    ("After weighing both designs, we keep the ledger append-only.", 0.89),
    ("I went with a plain tuple for the stages.", 0.82),
    ("The team finally settled on four spaces.", 0.84),
    ("We made the call to ship without the web page.", 0.82),
    ("Let's keep the old endpoint because two partners call it.", 0.79),
    ("I learned that git keeps notes in a fan-out tree.", 0.92),
    ("TIL git notes survive a rebase when configured.", 0.92),
    ("It turns out the runner has no IPv6.", 0.87),
    ("Key insight: the cache is cold on every hook", 0.90),
    ("Key finding: the scanner reads no code below two centimetres.", 0.87),
    ("Limitation: a coupon without a date is taken for an expired one.", 0.82),
    ("Interestingly, the second query is slower.", 0.72),
    ("I didn't know that SQLite locks the whole file.", 0.82),
    ("Now I understand why the watcher fires twice.", 0.84),
    ("The problem was that both workers read one cursor.", 0.82),
    ("The root cause is a cursor that both workers share.", 0.82),
    ("The aha moment came with the second trace of the allocator.", 0.90),
    ("We're blocked on the certificate for staging.", 0.94),
    ("I'm stuck with the linker on Windows.", 0.90),
    ("We can't upgrade Node because the runner image is frozen.", 0.89),
    ("This is blocking the release of the mobile client.", 0.90),
    ("The issue is that the socket closes before the flush.", 0.60),
    ("There is currently no way to cancel a running export.", 0.79),
    ("Problem: the lock file is written twice", 0.60),
    ("We're struggling with the flaky upload tests.", 0.84),
    ("I can't figure out where the second process comes from.", 0.80),
    ("I fixed the deadlock by taking the locks in order.", 0.90),
    ("I solved this by reading the header twice.", 0.90),
    ("Fixed by closing the pool before the fork.", 0.87),
    ("Workaround: set the locale before the tests", 0.88),
    ("Solution: pin the compiler to the older minor", 0.85),
    ("I figured out why the queue stalls: the ack is lost.", 0.90),
    ("Raising the timeout was enough, and that fixed it.", 0.87),
    ("Got it working with a second socket for the logs.", 0.84),
    ("The fix was to sort the keys before hashing.", 0.87),
    ("We finally got the nightly build green with the older linker.", 0.77),
    ("I prefer to read short functions.", 0.90),
    ("We prefer composition over deep class trees.", 0.89),
    ("My preference is one test file for each module.", 0.92),
    ("I'd rather see a crash than a silent fallback.", 0.90),
    ("I don't like when tests depend on the clock.", 0.77),
    ("I think it's better not to keep any names in the log.", 0.80),
    ("I never want generated files in the repository.", 0.82),
    ("I always want to see the failing test first.", 0.77),
    ("I usually need the full traceback in bug reports.", 0.75),
    ("From now on, run the linter before each commit.", 0.87),
    ("Always run the migrations on a copy first.", 0.82),
    ("Use the shared client for all calls, never a bare socket.", 0.84),
    ("Remember this: the vendor sends dates without a zone.", 1.0),
    ("Remember that my terminal has no colours.", 1.0),
    ("Please add it to your memory: the port is fixed.", 1.0),
    ("Save this as a decision: we ship on Tuesdays.", 1.0),
    ("Note for future sessions that the port is fixed.", 1.0),
    ("Remember that the sandbox has no outgoing mail.", 0.90),
    ("Please remember the sandbox has no outgoing mail.", 0.90),
    ("Remember to never touch the upstream remote.", 0.87),
    ("The port is fixed, so put that in your memory please.", 0.90),
    ("Keep this for later: the port is fixed.", 0.90),
    ("Make a note that the sandbox expires in March.", 0.90),
    ("Note to self: the sensor needs a pause after power on.", 0.90),
    ("For future reference, the VPN drops idle sessions.", 0.90),
    ("Please note that the mirror lags an hour behind.", 0.90),
    ("Don't forget that the second bus is shared.", 0.90),
    ("Keep in mind that the nightly job ends at five.", 0.87),
    ("Let it be remembered: revenue is counted without tax.", 0.87),
    ("Important: never write to the replica", 0.75),
]


def test_every_rule_has_an_example() -> None:
    """No pattern is there that nothing reaches."""
    assert len(EXAMPLES) == len(RULES)


@pytest.mark.parametrize(
    ("rule", "text", "confidence"),
    [(rule, text, sure) for rule, (text, sure) in zip(RULES, EXAMPLES, strict=False)],
    ids=[text for text, _ in EXAMPLES],
)
def test_every_rule(rule: Rule, text: str, confidence: float) -> None:
    """Each pattern is found in its example, and gives the type with its confidence."""
    assert rule.pattern.search(text)
    assert any(need in text.lower() for need in rule.needs)

    (signal,) = detect(text)

    assert (signal.type, signal.sentence) == (rule.type, text)
    assert signal.confidence == pytest.approx(confidence)


def test_every_type_has_a_kind() -> None:
    """What signals point at is in the one list of kinds."""
    assert set(KIND_OF_TYPE.values()) <= set(BY_NAME)
    assert {rule.type for rule in RULES} == set(KIND_OF_TYPE)


@pytest.mark.parametrize(
    "text",
    [
        # Denied.
        "Don't remember this.",
        "You don't need to remember that.",
        "Please do not save this for later.",
        "We never decided to drop the endpoint.",
        "It is not that we decided to drop it.",
        "Nobody here is blocked by the review.",
        # Asked.
        "Do you remember that bug?",
        "do you remember that bug",
        "Remember that bug with the shadows?",
        "Should we go with Redis for the queue?",
        "what did we learn, and what turned out badly",
        "Have we decided to support Windows?",
        # Told about somebody's memory, or a program's.
        "I remember that bug.",
        "I'll remember that for the next release.",
        "The editor remembers that setting.",
        "Remember the last checksum in a static variable.",
        "Save this file as config.json.",
        "Save this URL in your browser.",
        "Create an application and note down three values.",
        "The thread is blocked on the lock.",
        "Blocked users must not see the list.",
        "This is an important part of the interesting problem.",
        "The monkey decided to sit on the keyboard.",
        "A release note that nobody reads.",
        "The fix is in the next release.",
        "Today we decided to try the new allocator.",
        "It took a day to reach a version that worked.",
        "I figured out how to run the whole suite.",
        "This is explained in another TIL.",
        "Proposed Solution: one branch for each of the sessions.",
        "Nobody knows any more for whom the tables were that we use because of the tax.",
        # Not anybody's statement.
        'The parser looks for "we decided to" in the text.',
        "The words `we decided to use it` are searched.",
        "TODO: don't forget to implement the second half.",
        "Remember to run make docs before you push, the hook says.",
        "> We decided to use PostgreSQL for everything.",
        "```\nWe decided to use PostgreSQL for everything.\n```",
        "[remember] We decided to use PostgreSQL for everything.",
    ],
)
def test_what_is_no_signal(text: str) -> None:
    """Denials, questions, quotations and look-alikes give nothing."""
    assert detect(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I need a function that parses dates.",
        "I want to see the last ten rows of that table.",
        "I need this, it is important and critical.",
        "If we decided to use Redis we would need a cluster.",
        "Tell me once you fixed the leak by closing the pool.",
        "I wonder whether we decided to support Windows.",
        "That worked!",
        "Problem: the export has no header row",
        "The issue with the new parser is its memory.",
        "Let's go with option 2.",
        "let's go with your suggestion",
        "I figured it out.",
        "Turns out it was this one.",
    ],
)
def test_what_is_left(text: str) -> None:
    """Requests of the moment, suppositions and empty words stay below a suggestion."""
    (signal,) = detect(text)

    assert decide(signal) == Action.SKIP


@pytest.mark.parametrize(
    "text",
    [
        "The docs say we decided to shard, it is important.",
        "He told me that we decided to shard, we must test it.",
        "I think we decided to shard, which is critical.",
        "When we decided to shard, we must have been tired.",
        "Please note that users must log in again.",
        "Remember that files must be closed.",
        "Remember that for each pair one must hold.",
        "Keep in mind that names must be unique.",
        "Remember that our support team is available all day.",
        "Remember that my example above used a list.",
        "Remember this: a closure must see its scope.",
        "Remember this: the derivative of a sum is the sum of derivatives.",
        "Store this in memory: the stack pointer is saved before the call.",
        "Save this as a note: type the command and press enter.",
        "Use the staging bucket next time. Remember it.",
        "Key insight: the ledger is essential, the index is not.",
        "Can you remember that we use tabs?",
        "We fixed this by adding the index, which is important.",
        "We decided to use these settings, which are essential:",
        "I prefer these pages to be short, which is important to everybody.",
        "We decided to keep this module as it is, which is important.",
    ],
)
def test_what_is_never_kept_unseen(text: str) -> None:
    """Hearsay, doubt and the phrases of handbooks do not reach automatic capture."""
    for signal in detect(text):
        assert decide(signal) != Action.AUTO


@pytest.mark.parametrize(
    "text",
    [
        "Remember this: the staging database is reset every night.",
        "Please remember that our staging database is reset every night.",
        "remember that my reports go out on Fridays",
        "Save this to memory: the token lives in the vault.",
        "ok, please store this as a rule - no force push on main",
        "We decided to keep the index derived; it must be rebuildable.",
    ],
)
def test_what_is_kept(text: str) -> None:
    """A plain request, and a plain statement that somebody calls important."""
    (signal,) = detect(text)

    assert decide(signal) == Action.AUTO


def test_a_dash_ends_what_is_only_supposed() -> None:
    """What should be so stands on the other side of it."""
    (signal,) = detect("paths should be relative -- I prefer not to see my home everywhere")

    assert decide(signal) == Action.SUGGEST


@pytest.mark.parametrize(
    "text",
    [
        "I need to wrap the printer in a lock that never blocks.",
        "Keep in mind that the second bus is shared.",
        "Note for the future: the port is fixed.",
        "Always run the migrations on a copy first.",
        "The issue is that the socket closes before the flush.",
        "The problem was that I was reading last year's table of taxes.",
        "The fix was adding the missing parameter to both calls.",
        "Root cause: The bug occurred when several coupons were printed.",
        "It's slower, and the second index turned out to be unused.",
        "K2 turned out to be a duplicate, because both rows have one price.",
        "I looked into this, and it turns out that no such hook exists.",
        "Key finding: your printer has ink, but the paper is not the right one.",
        "Fixed the label of the coupon, which names the price instead of the code.",
        "The printer auto-fixed the label, since that is switched on.",
    ],
)
def test_what_an_agent_says_to_itself(text: str) -> None:
    """It has no wishes, and the bug at hand is gone when it is done."""
    assert [s for s in detect(text, by_agent=True) if decide(s) != Action.SKIP] == []


@pytest.mark.parametrize(
    "text",
    [
        "We decided to keep the index derived; it must be rebuildable.",
        "TIL that git needs notes to be fetched, which is essential.",
    ],
)
def test_what_an_agent_says_is_never_kept_unseen(text: str) -> None:
    """Nor what stands in a long text that somebody pasted."""
    assert [decide(s) for s in detect(text)] == [Action.AUTO]

    assert [decide(s) for s in detect(text, by_agent=True)] == [Action.SUGGEST]
    pasted = f"{text}\n\n" + "And so it goes on. " * 120
    assert [decide(s) for s in detect(pasted)] == [Action.SUGGEST]


def test_what_an_agent_found_out() -> None:
    """What it says of the thing, and not of itself, is worth a look."""
    text = "It turns out the runner has no IPv6, so the health check never passes there."

    assert [decide(s) for s in detect(text, by_agent=True)] == [Action.SUGGEST]


def test_a_label_speaks_for_its_paragraph() -> None:
    """What explains a finding is part of it, up to the end of the paragraph."""
    told = "Key finding: the archive holds no index. It is built when the file is opened."
    (signal,) = detect(f"{told} Let me look at the reader.\n\nThe rest is as before.")

    assert signal.sentence == told


def test_reinforcing_words_are_whole() -> None:
    """A monkey is no key, a mustache no must, and `API key` and `critical section` are things."""
    plain = "We decided to draw the {} first."
    (same,) = {
        detect(plain.format(word))[0].confidence
        for word in ("monkey", "mustache", "API key", "critical section", "must-have")
    }

    assert same == 0.92
    assert detect(plain.format("important ones"))[0].confidence == 0.97


def test_the_words_of_a_match_do_not_reinforce_it() -> None:
    """`I need` is not surer for the `need` in it."""
    (signal,) = detect("I always need the full log")

    assert signal.confidence == pytest.approx(0.73)


def test_a_request_takes_its_kind_from_the_sentence() -> None:
    """What is asked for may be a decision, a habit or anything."""
    assert [s.kind for s in detect("Remember that we decided to use uv for everything.")] == [
        "decisions"
    ]
    assert [s.kind for s in detect("Remember this: we never deploy on Fridays.")] == ["preferences"]
    assert [s.kind for s in detect("Remember this: port 80 is closed.")] == ["notes"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "I raised the pool size to 20. That fixed it.",
            "I raised the pool size to 20. That fixed it.",
        ),
        (
            "Staging is reset every night. Remember this.",
            "Staging is reset every night. Remember this.",
        ),
        ("Remember this:\n\n- no force push\n- tabs\n\nBye", "Remember this: no force push"),
        ("Remember this:\n- no force push\n- only tabs", "Remember this: no force push; only tabs"),
        ("Remember this:\n```\nmake it\n```\nThen go on here.", "Remember this: `make it`"),
        (
            "REMEMBER THIS!!! Staging is reset every night. Go on.",
            "REMEMBER THIS!!! Staging is reset every night.",
        ),
        (
            "Could you add this to memory? Staging is reset every night.",
            "Could you add this to memory? Staging is reset every night.",
        ),
        (
            "Solution: the reader has two modes:\n\n- one for files\n- one for pipes\n\nBye",
            "Solution: the reader has two modes: one for files; one for pipes",
        ),
    ],
)
def test_neighbours(text: str, sentence: str) -> None:
    """A sentence that only points takes along what it points at."""
    (signal,) = detect(text)

    assert signal.sentence == sentence


@pytest.mark.parametrize(
    "text",
    [
        "Remember this:\n```\nmake\nit\n```\nThen go on here.",
        "Is staging reset every night? Remember this.",
        "ok remember that for next time",
        "Save this to memory:",
        "great, make a note of it and let's move on",
        "Store it in memory so that the next phase can read it.",
    ],
)
def test_a_request_for_nobody_knows_what(text: str) -> None:
    """Without what to keep there is nothing to keep."""
    assert detect(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "remember: staging uses port 8443",
        "pls rember that the nightly load runs in UTC",
        "Remember, the tests need a running broker.",
        "remember the db host is the second one now",
        "plz remember we squash before we merge",
        "Keep in mind for next time that the linter is shared.",
        "dont ever forget this: motor 3 is wired reversed",
        "don't forget we are on the old runtime in production",
        "for future sessions: the fixtures live beside the tests",
        "Note to future Claude: read the log of the bus first.",
        "note to self - the sensor needs a pause after power on",
        "make note that the customer id is a string",
        "log this for later: the second card is flaky",
        "write this down: the replica is read only at night",
        "add to your notes that the mobile team ships on Mondays",
        "update your memory: the repository moved",
        "put this in CLAUDE.md: the broker starts first",
        "Memorize: the bot has an account of its own.",
        "mental note: the cache key holds the locale",
        "One thing to remember: our schema has triggers.",
        "please note: the ids are not stable across exports",
        "I'd like this saved to memory: the ids are not stable",
        "add a line to CLAUDE.md saying the exporter is latin-1",
        "Make sure you remember that the exporter is latin-1.",
        "The jump feels right. Remember going forward that physics has a fixed step. Go on.",
        "/remember the test client is 200",
    ],
)
def test_wordings_of_a_request(text: str) -> None:
    """However somebody asks, it is shown at least."""
    assert [s.type for s in detect(text) if decide(s) != Action.SKIP] == ["explicit"]


@pytest.mark.parametrize(
    "text",
    [
        # Handbooks and tutorials.
        "Remember to close the file when done.",
        "Remember that you can always ask for help.",
        "Keep in mind that if the node has children you must visit them.",
        "Keep in mind that this feature is experimental.",
        "Please note that the function fails on empty input.",
        "Don't forget to check the field of errors first.",
        "Don't forget the semicolon at the end.",
        "Keep in mind the trade-offs between the two.",
        "You should remember that strings are immutable.",
        "Store this as a fact table in the warehouse.",
        "Memory: 16 GB of it at least",
        "For future reference, see the manual of the parser.",
        "tip: Remember to always update the tool first.",
        "Transcribe it and save that to memory so you can recall it.",
        # Forms and templates.
        "Remember this device for 30 days",
        "Remember for next time: (•) no ( ) yes",
        "/remember <text> keeps it for later sessions",
        "From now on, answer in {language} only.",
        # Code and its history.
        "// remember this: the index is off by one",
        "/* keep in mind that the pointer moves */",
        "fix: do not forget the selection is lost on reload",
        "Load the file, store it in memory, and close the handle.",
        "From now on, running it without arguments prints the help.",
        # Tasks, plans and what passes.
        "Note to self: fix the layout of the second page",
        "I have decided to read the test file next.",
        "I fixed the issue by updating the file as you asked.",
        "Key insight: let me look at the parser more closely.",
        "I'd prefer tabs if we were starting over",
        "TIL that five minutes are three hours here lol",
        "Interesting, the test might be failing because of the clock.",
        # Somebody else's.
        "When the user asks, remember that the answer is cached.",
        "In his talk he said the key insight is that caches forget.",
    ],
)
def test_what_others_say_alike(text: str) -> None:
    """The same words in handbooks, forms, comments and plans are not even suggested."""
    assert [s for s in detect(text) if decide(s) != Action.SKIP] == []


def test_neighbours_are_one_record() -> None:
    """What was a signal of its own is not kept twice."""
    (signal,) = detect("We decided to use one writer and a lock. Remember this.")

    assert (signal.type, signal.kind) == ("explicit", "decisions")


def test_one_signal_for_a_sentence() -> None:
    """The strongest of several counts, and a request before all."""
    (signal,) = detect("It turns out the fix was to sort, so we decided to sort the keys.")
    assert signal == Signal("decision", "decisions", signal.sentence, 0.92)

    (signal,) = detect("Remember that it turns out the runner has no IPv6.")
    assert signal.type == "explicit"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to use uv", "decisions"),
        ("It turns out the runner has no IPv6", "learnings"),
        ("Workaround: set the locale", "solutions"),
        ("Always run the linter first", "preferences"),
        ("We're blocked on the certificate", "blockers"),
        ("The staging database is reset every night.", "notes"),
        ("I need a coffee", "notes"),
        ("Staging is slow. We decided to buy a disk.", "decisions"),
        ("", "notes"),
    ],
)
def test_kind_of(text: str, kind: str) -> None:
    """A bare `[remember]` gets the kind of its best sentence, or is a note."""
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Django and Flask", ("python",)),
        ("pytest is fine", ("python", "testing")),
        ("The REST endpoint", ("api",)),
        ("the rest of the list", ()),
        ("A capital city, a fastener, a latest tip", ()),
        ("npm, tsc and a .ts file in git", ("javascript", "typescript", "git")),
        (
            "Python, npm, ts, SQL, an API, Docker, git",
            ("python", "javascript", "typescript", "database", "api"),
        ),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    """Technologies by whole words, at most five."""
    assert tags_of(text) == tags


PHRASES = [text for text, _ in EXAMPLES] + [
    "no",
    "not",
    "If",
    "?",
    ":",
    "That fixed it.",
    "\n",
    "-",
]


@given(st.lists(st.sampled_from(PHRASES) | st.text(alphabet="aeiou ,.!?'\n", max_size=20)))
def test_nothing_is_made_up(parts: list[str]) -> None:
    """Each sentence that is found stands in the text, and is sure within reason."""
    text = " ".join(parts)
    letters = "".join(filter(str.isalnum, text))
    for signal in detect(text):
        parts_of_it = signal.sentence.split(";")  # a mark that joining may have added
        for sentence in (one for part in parts_of_it for one in sentences(part)):
            assert "".join(filter(str.isalnum, sentence)) in letters
        assert 0 <= signal.confidence <= 1
        assert signal.kind in BY_NAME


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """No text breaks anything."""
    detect(text)
    detect("Remember this: " + text + "\nThat fixed it.")
    assert kind_of(text) in BY_NAME
    tags_of(text)
