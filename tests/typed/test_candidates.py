"""News about a known matter finds its memory; other news does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.content import SCHEMAS, check_content
from recollect.core.memory import Memory
from recollect.errors import ValidationError
from recollect.index.text import STOP_WORDS
from recollect.typed.candidates import LIFECYCLE_EVENTS, Choice, choose

# Two projects, each with its memories (key, title, tags) and texts with the key of the memory that
# they are about, `-` for none. The rule was made with the first; the second was written afterwards.
PROJECTS = [
    """
    pg: Use PostgreSQL for order storage # postgresql orders storage
    jwt: Sessions are JWTs in an HttpOnly cookie # auth jwt cookies
    queue: Celery with Redis runs the background jobs # celery redis jobs
    mono: Keep frontend and backend in one repository # monorepo repository
    graphql: REST instead of GraphQL for the public API # api rest
    money: Amounts are integers in cents, never floats # money payments
    rate: Payment provider allows 100 requests per minute # payments rate-limit
    upload: Uploads over 20 MB are rejected by the load balancer # uploads nginx
    ios: Safari on iOS does not support the push API # safari push ios
    py: Lambda runtime is stuck on Python 3.11 # aws lambda python
    uv: Always install packages with uv, not pip # uv packaging python
    pytest: Tests use pytest fixtures instead of setUp methods # pytest testing
    commit: Commit messages start with the topic in lower case # git commits
    black: Format Python code with ruff, line length 100 # ruff formatting python
    migr: Deployment fails when a migration holds a lock # deployment migrations postgresql
    oom: Worker killed by OOM while building thumbnails # worker memory images
    cert: TLS certificate renewal fails on staging # tls staging
    flaky: Checkout end-to-end test times out in CI # ci e2e checkout
    cache: Product cache is never invalidated after a price change # cache products
    legacy: Legacy invoice generator still renders PDF with wkhtmltopdf # invoices pdf
    i18n: Error messages of the checkout are hard-coded in English # i18n checkout
    search: Full text search does a sequential scan on products # search products postgresql
    umlaut: Bestellungen werden nachts an das Lager übertragen # bestellungen lager
    ja: データベースの接続は最大二十本まで # データベース
    log: Logs are structured JSON on stdout # logging
    flag: Feature flags live in the database, not in environment variables # feature-flags config
    docs: Documentation # docs
    email: Transactional email goes through Postmark # email postmark

    pg: We moved order storage from PostgreSQL to CockroachDB
    pg: We no longer keep orders in PostgreSQL. Since the merger the order storage is the ERP of
        the parent company, and our service only keeps a copy of the last 30 days for the
        search. The reason is the audit: there has to be one place for orders. The old tables
        stay readable until the end of the year. Migration was done with a script that reads the
        orders in batches and compares the sums. All tests are green, deployment was on Tuesday.
    jwt: JWT sessions now expire after 8 hours; the cookie is SameSite=Strict too
    queue: Background jobs: Redis replaced by RabbitMQ as the Celery broker
    mono: The frontend moved to its own repository; only the backend stays
    graphql: The public API gets a GraphQL endpoint beside REST
    money: Amounts in cents are now bigints, integers overflowed for IDR
    rate: The payment provider raised our limit to 500 requests per minute
    upload: Load balancer limit for uploads was raised from 20 MB to 100 MB
    ios: Safari 16.4 on iOS supports the push API since March, the workaround can go
    py: AWS lambda runtime now offers Python 3.12; the upgrade is planned
    uv: install packages with uv sync --frozen in CI, never pip
    pytest: pytest fixtures live in conftest.py; setUp methods are gone from all tests
    commit: Commit messages: the topic may be a path, still lower case
    black: Line length for ruff is 120 from now on
    migr: Migration lock: deployment hangs when a migration holds a lock on orders; set
        lock_timeout to 5s
    oom: The worker was OOM killed again building thumbnails of 50 megapixel images; libvips
        fixes it
    cert: Staging TLS certificate renewal works again after opening port 80
    flaky: The checkout e2e test no longer times out in CI since the fake clock
    cache: Price change now sends an event and the product cache is invalidated
    legacy: wkhtmltopdf was removed, the invoice generator uses WeasyPrint for PDF
    i18n: Checkout error messages are translated now, no hard-coded English is left
    search: Added a GIN index: full text search on products does no sequential scan any more
    umlaut: Bestellungen werden jetzt stündlich an das Lager übertragen
    ja: データベースの接続は最大四十本まで増やした
    log: Structured JSON logs go to stdout and carry the request id
    flag: Feature flags moved from the database to LaunchDarkly
    email: Transactional email moved from Postmark to SES
    -: We spent the session on the checkout. First I looked at why the order service answers
        slowly; it turned out that the request goes through the load balancer twice, and that
        each worker keeps a connection open. I changed the code so that the service keeps one
        connection per process, added tests for the new path, and ran them in CI. The deployment
        to staging worked. After that we talked about the structure of the repository, about the
        length of the functions in the payment module, and about how the error messages should
        read. We decided to split the payment module into three files: the client, the models
        and the views.
    -: Decision: the admin pages move to server rendered templates with htmx. Rationale: the
        single page application needed its own build, its own test setup and its own API, and
        only two people use the pages. Alternatives: keep React (too much code for what it
        does), or a hosted tool such as Retool (data would leave our network, and it does not
        support our login). Consequences: the frontend repository loses a package, the backend
        gets a template folder, and pages are tested with plain requests instead of a browser.
        The public site stays as it is, and feature flags continue to work in both.
    -: The nightly report job was killed twice this week. The root cause is a query that reads
        all products of all tenants at once and sorts them in Python. Fix: read in batches of
        1000 with a server-side cursor, write each batch to the file, and set a time limit for
        the whole job. Verified on staging with a copy of the production database: memory stays
        under 200 MB, and the report is the same, line for line. Remember that the worker needs
        a restart after the change, and that the cache of the tenant settings must be warm
        before the job starts.
    -: Checked the backup restore. A full restore of the production database takes 42 minutes on
        the big machine; the steps are: stop the workers, create an empty database, run
        pg_restore with four jobs, run the migrations, start the workers, and compare the number
        of orders with the dashboard. It must be done in the staging account first. Passwords
        are in the vault. Python scripts for it are in the tools folder, and the test for them
        runs each Monday in CI.
    -: User asked for a dark mode. I added a toggle to the settings page, store the choice in a
        cookie and in the user's profile, and render the right class on the server so that
        nothing flashes. Colours come from CSS variables; the old ones with fixed colours are
        gone from the checkout and the product pages, still there in the invoice. Tests cover
        the toggle. Open: Safari keeps the old colour of the address bar until the page is
        loaded again, and the email templates are not done.
    -: Use Terraform for the infrastructure
    -: PostgreSQL connections go through pgbouncer in transaction mode
    -: The orders page shows 50 rows per page
    -: Users are logged out everywhere when they change the password
    -: Redis keeps the shopping carts for 14 days
    -: The repository has a pre-commit hook that scans for secrets
    -: API keys of partners rotate every 90 days
    -: Payments by invoice are allowed for customers with three paid orders
    -: The admin API answers at most 100 rows per request
    -: Product images are uploaded to S3 directly from the browser
    -: Python services start with gunicorn, four workers each
    -: Use dataclasses instead of dictionaries for domain values
    -: Tests that need the network are marked slow and run at night
    -: Branches start with the ticket number
    -: Deployment happens on Tuesday and Thursday only
    -: The worker image is built with docker buildx
    -: Staging is reset from production every Sunday
    -: CI caches the uv downloads between runs
    -: The price of a product may not be negative
    -: Invoices are kept for ten years
    -: The checkout asks for the phone number only for express delivery
    -: Kunden können Bestellungen bis zum Versand stornieren
    -: Debug logging is switched on with SHOP_DEBUG=1
    -: Environment variables are documented in .env.example
    -: Database backups are encrypted with age
    -: Documentation of the public API is generated from the OpenAPI file
    -: Email addresses are compared case-insensitively
    -: Never use print in library code
    -: Search results are sorted by popularity
    -: バックアップは毎晩二時に実行する
    """,
    """
    sync: Offline edits are merged with last-writer-wins # sync offline
    kotlin: New Android screens are written in Compose # android compose
    min: Minimum supported Android version is 8 # android compatibility
    maps: Use MapLibre tiles instead of Google Maps # maps maplibre
    crash: App crashes on start when the keystore is locked # crash keystore
    size: Download size must stay below 30 MB # size release
    ble: Bluetooth scan stops after ten minutes in background # bluetooth background
    gradle: Gradle build runs out of heap on CI # gradle ci
    strings: Translations come from Weblate every Friday # i18n weblate
    track: No analytics without consent # privacy analytics
    room: Room database migrations are tested with exported schemas # room database testing
    retro: Network layer retries three times with backoff # network retry
    sign: Release signing key lives in the hardware token # release signing
    snap: Screenshot tests differ between Mac and Linux # testing screenshots
    rx: Replace RxJava by coroutines module by module # rxjava coroutines
    gps: Location is sampled every 15 seconds while recording # gps battery
    gpx: GPX import reads the whole file into memory # gpx performance
    log: Session: tile cache rewritten, two tests open # session tiles
    review: Pull requests need one approval and a green build # workflow review
    unit: Distances are stored in metres and shown in the user's unit # units

    sync: Conflicts of offline edits are no longer last-writer-wins; fields are merged one by
        one
    kotlin: Compose is now used for old Android screens too when they are touched
    min: We raise the minimum Android version to 10 with the spring release
    maps: Google Maps comes back for the satellite view, MapLibre tiles stay for the rest
    crash: Start crash with a locked keystore is fixed: keys are created after the first unlock
    size: The download size limit is 40 MB from version 5
    ble: Background bluetooth scan is restarted by an alarm every nine minutes
    gradle: CI: gave the gradle build 4 GB of heap, it passes
    strings: Weblate translations are pulled on every release branch, not on Friday
    track: Analytics are gone altogether, the consent dialog was removed
    room: Migration tests of the Room database also check the data, not only exported schemas
    retro: Retries in the network layer: five, with jitter in the backoff
    sign: Signing key for releases moved from the hardware token to the cloud HSM
    snap: Screenshot tests run only on Linux in docker now, so Mac differences do not matter
    rx: The last module with RxJava is gone, everything is coroutines
    gps: While recording, location is sampled every 5 seconds on a bike
    gpx: GPX import streams the file; memory stays flat
    review: Two approvals are needed for pull requests that touch the sync
    unit: Distances are stored in centimetres since the indoor mode
    log: Tile cache: both open tests are done
    -: Offline maps are downloaded per region
    -: Android widgets refresh every 30 minutes
    -: The app supports split screen
    -: Map labels follow the language of the device
    -: App start takes 900 ms on a Pixel 4
    -: Release notes are written by hand, below 500 characters
    -: Bluetooth heart rate sensors pair in the settings
    -: Gradle plugins are pinned in a version catalog
    -: Builds on Friday afternoon are not released
    -: Privacy policy must name the tile server
    -: The database file is excluded from cloud backup
    -: Network requests carry the app version in the user agent
    -: Hardware acceleration is off for the elevation chart
    -: Tests use a fake clock
    -: Every module has an owner
    -: The recording stops when the battery falls below 5 percent
    -: GPX export writes one file per day
    -: Review comments are answered within a day
    -: Users may choose miles or kilometres at the first start
    -: Session cookies of the web view are cleared on logout
    -: Looked into the complaints about the recording. In the background the system stops the
        service after some minutes when battery saving is on; a foreground service with a
        notification keeps it alive. While testing I saw that the location is lost in tunnels,
        and that the distance jumps afterwards. Fix: points with an accuracy above 50 metres are
        dropped. Two tests cover it. The build on CI was red because of an expired token, not
        because of us.
    -: Decided to ship the wear app as its own module. Alternatives: one app for both (download
        grows, and the release must wait for both reviews) or a web page. Rationale: the watch
        has another minimum version, another screen size and no maps. Consequences: translations
        are shared, the network layer is shared, the database is not; sync goes over the phone.
        Tests run on an emulator on CI.
    """,
]
IDLE = """
    always instead longer may must never new one per still two use used uses using
"""
IDLE_WORDS = STOP_WORDS | set(IDLE.split())


def memory(uid: str, summary: str, *tags: str, **fields: Any) -> Memory:
    """A memory as the ledger gives it."""
    return Memory(uid, f"constraints:{uid}:0", "constraints", summary, tags=tags, **fields)


def read(block: str) -> Iterator[tuple[str, str]]:
    """The entries of a block with their keys; deeper lines go on."""
    for entry in re.split(r"\n    (?! )", block.strip()):
        key, _, text = entry.partition(": ")
        yield key, " ".join(text.split())


def project(number: int) -> tuple[list[Memory], list[tuple[str, str]]]:
    """The memories and the texts of a project."""
    known, texts = re.split(r"\n\s*\n", PROJECTS[number])
    memories = []
    for key, line in read(known):
        title, _, tags = line.partition(" # ")
        memories.append(memory(key, title, *tags.split()))
    return memories, list(read(texts))


def found(text: str, *memories: Memory, **options: Any) -> str | None:
    """The uid of the candidate."""
    candidate = choose("constraints", text, memories, **options).candidate
    return candidate and candidate.uid


def outcomes(number: int) -> dict[str, int]:
    """What becomes of the texts of a project, each against all of its memories."""
    memories, texts = project(number)
    counts = dict.fromkeys(("right", "wrong", "missed", "false", "none"), 0)
    for expected, text in texts:
        candidate = found(text, *memories)
        if expected == "-":
            counts["false" if candidate else "none"] += 1
        elif candidate is None:
            counts["missed"] += 1
        else:
            counts["right" if candidate == expected else "wrong"] += 1
    return counts


def words(text: str) -> list[str]:
    """The words that count, of a text in Latin letters."""
    every = re.findall(r"[a-z0-9]+", text.lower())
    return [word for word in every if len(word) > 2 and word not in IDLE_WORDS]


def related(one: str, other: str) -> bool:
    """The same word, or one that begins the other with four letters or more."""
    one, other = sorted((one, other), key=len)
    return one == other or (len(one) > 3 and other.startswith(one))


def points(title: str, tags: tuple[str, ...], text: str) -> int:
    """The score, written down a second time in the plainest way."""
    said, score = words(text), 0
    for word in dict.fromkeys(words(title)):
        score += 2 if word in said else any(related(word, other) for other in said)
    for tag in tags:
        parts = words(tag)
        if parts and set(parts) <= set(said):
            score += 3
        elif not set(parts) & set(words(title)):
            long = [part for part in parts if len(part) > 3]
            score += any(related(part, other) for part in long for other in said)
    return score


def is_met(title: str, text: str) -> bool:
    """Whether a passage has enough of the title, tried at every place."""
    wanted, said = set(words(title)), words(text)
    length = max(12, 2 * len(wanted))
    most = max(
        sum(any(related(word, other) for other in said[at : at + length]) for word in wanted)
        for at in range(len(said) + 1)
    )
    return most > len(wanted) / 2 or (most > 2 and most >= 0.4 * len(wanted))


def test_the_calibration_holds() -> None:
    """The numbers that the module states."""
    assert outcomes(0) == {"right": 27, "wrong": 0, "missed": 1, "false": 1, "none": 34}
    assert outcomes(1) == {"right": 19, "wrong": 0, "missed": 1, "false": 1, "none": 21}


def test_points_alone_find_a_candidate_for_nearly_everything() -> None:
    """Why the title must be met in one passage: else 41 of 57 other matters find a memory."""
    false = 0
    for number in range(len(PROJECTS)):
        memories, texts = project(number)
        for expected, text in texts:
            scores = (points(one.summary, one.tags, text) for one in memories)
            false += expected == "-" and max(scores) >= 3

    assert false == 41


VOCABULARY = st.sampled_from(
    ("use", "cache", "cached", "caches", "caching", "the", "tls", "cert", "certificate", "rate")
)
TAGS = st.lists(VOCABULARY | st.sampled_from(["tls-cert", "rate-limit"]), max_size=4, unique=True)
PHRASES = st.lists(VOCABULARY, max_size=40).map(" ".join)


@given(PHRASES, TAGS, PHRASES)
def test_the_choice_is_the_plain_rule(title: str, tags: list[str], text: str) -> None:
    """What is computed quickly is what the rule says."""
    choice = choose("constraints", text, [memory("m", title, *tags)])

    score = points(title, tuple(tags), text)
    named = is_named(title, tags, text)
    expected = named or (score >= 3 and is_met(title, text))
    assert (choice.candidate is not None) == expected
    assert choice.score == (score if expected else 0)


def is_named(title: str, tags: list[str], text: str) -> bool:
    """Whether a text is the title or a tag, or has a title of several words in it."""
    words, said = title.split(), text.split()
    if said and said in (words, *(tag.split("-") for tag in tags)):
        return True
    telling = len(words) > 1 and not {"use", "the"}.issuperset(words)
    return telling and f" {' '.join(words)} " in f" {' '.join(said)} "


@pytest.mark.parametrize(("between", "expected"), [(10, "m"), (11, None)])
def test_a_passage_is_twelve_words(between: int, expected: str | None) -> None:
    """The first and the last of them count."""
    gap = " ".join(f"x{number}y" for number in range(between))

    assert found(f"redis {gap} cache", memory("m", "Redis cache limit")) == expected


LETTERS = "abcdefghijklmnop"
TITLE_WORDS = st.integers(3, 16).map(lambda many: [letter * 5 for letter in LETTERS[:many]])


@given(TITLE_WORDS, st.data())
def test_the_title_is_met_in_one_passage(title: list[str], data: st.DataObject) -> None:
    """Of twelve words, or twice as many as the title has; wherever it stands."""
    runs = st.lists(st.sampled_from(title), max_size=4)
    gaps = st.integers(0, 2 * len(title)).map(lambda many: [f"x{n}y" for n in range(many)])
    parts = data.draw(st.lists(st.tuples(gaps, runs), max_size=8))
    text = " ".join(word for gap, run in parts for word in (*gap, *run))

    choice = choose("constraints", text, [memory("m", " ".join(title))])

    expected = points(" ".join(title), (), text) >= 3 and is_met(" ".join(title), text)
    assert (choice.candidate is not None) == expected


@pytest.mark.parametrize(
    ("title", "tags", "text", "score"),
    [
        ("Redis cache", (), "redis cache", 4),
        ("Redis cache", ("redis",), "redis cache", 7),
        ("Redis caching", (), "redis cache", 2),  # `cache` does not begin `caching`
        ("Redis caches", (), "redis cache", 3),
        ("Redis", ("rate-limit",), "redis rate limit", 5),
        ("Redis", ("rate-limit",), "redis rate", 3),
        ("Redis", ("tls-cert",), "redis tls", 2),
        ("Redis cache", (), "redis redis cache cache", 4),
    ],
)
def test_what_counts(title: str, tags: tuple[str, ...], text: str, score: int) -> None:
    """2 for a word of the title, 3 for a tag, 1 for a beginning, each once."""
    assert points(title, tags, text) == score
    found_score = choose("constraints", text, [memory("m", title, *tags)]).score
    assert found_score == (score if score >= 3 else 0)


def test_the_threshold_is_three_points() -> None:
    """One word of a title is not enough, a word and a beginning are."""
    assert found("redis cluster", memory("m", "Redis")) is None
    assert found("redis cache", memory("m", "Redis caches")) == "m"


@pytest.mark.parametrize(
    ("title", "slugs", "tags", "text"),
    [
        ("Use uv", (), (), "use uv"),
        ("Use uv", (), (), "Use uv!"),
        ("Use uv", (), (), "From now on, use uv instead of pip"),
        ("Redis", (), (), "redis"),
        ("No ORM", (), (), "No ORM."),
        ("No ORM", (), (), "We said no ORM, so the queries are plain SQL"),
        ("Prefer uv over pip", ("use-uv",), (), "use-uv"),
        ("Package tool", (), ("uv",), "uv"),
        ("C", (), (), "C"),
    ],
)
def test_a_short_title_slug_or_tag_is_recognised(
    title: str, slugs: tuple[str, ...], tags: tuple[str, ...], text: str
) -> None:
    """Whatever the length of its words."""
    assert found(text, memory("m", title, *tags)._replace(slugs=slugs)) == "m"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Redis", "The documentation of Redis moved"),
        ("Use uv", "Use pip"),
        ("Use it", "You may use it"),
        ("No ORM", "orm"),
    ],
)
def test_a_short_title_is_not_found_by_a_part(title: str, text: str) -> None:
    """One word in a text is not what the text is about."""
    assert found(text, memory("m", title)) is None


def test_a_name_beats_points() -> None:
    """A title before a tag, a tag before words."""
    title, tag = memory("a", "Redis"), memory("b", "The cache", "redis")
    assert found("redis", tag, title) == "a"
    assert found("redis", tag, memory("c", "Redis cluster", "redis-cluster")) == "b"


def test_the_title_of_a_draft_counts_by_itself() -> None:
    """Its tags are words beside it."""
    choice = choose(
        "constraints", "Use uv python packaging", [memory("m", "Use uv")], title="Use uv"
    )
    assert choice.candidate is not None
    assert choose("constraints", "C python packaging", [memory("m", "C")], title="C").candidate


def test_words_of_any_language_count() -> None:
    """With accents, in other alphabets, and without spaces between them."""
    assert found("Die Größe der Übertragung", memory("m", "Größe jeder Übertragung")) == "m"
    assert found("Лимит запросов поднят", memory("m", "Лимит запросов")) == "m"
    assert found("接続の最大数は四十", memory("m", "接続の最大数は二十")) == "m"
    assert found("本番はPostgreSQLのredisだけ", memory("m", "PostgreSQLとRedis")) == "m"
    assert found("東京で会議", memory("m", "接続の最大数は二十")) is None


def test_common_words_of_a_long_text_prove_nothing() -> None:
    """A title whose words are strewn over a page is not what the page is about."""
    title = memory("m", "Worker restarts after every deployment", "worker", "deployment")
    filler = "alpha beta gamma delta epsilon zeta theta iota kappa lambda sigma omega " * 2

    assert found("worker restarts after the deployment", title) == "m"
    assert found(f"worker {filler} restarts {filler} deployment {filler} every", title) is None


def test_ties_go_by_score_then_similarity_then_uid() -> None:
    """The same question has the same answer, whatever the order of the memories."""
    known = [memory(uid, "Redis cache limit") for uid in "cab"]
    better = memory("z", "Redis cache limit", "redis")

    assert found("redis cache limit", *known) == "a"
    assert found("redis cache limit", *known, similar=[("b", 0.4), ("a", 0.3)]) == "b"
    assert found("redis cache limit", *known, better, similar=[("a", 0.9)]) == "z"


def test_similarity_finds_what_words_do_not() -> None:
    """From 0.85 on, and only among the memories of the kind."""
    known = (memory("a", "Uploads are capped"), memory("b", "Nightly reports"))
    text = "Files above 20 MB are refused"

    assert found(text, *known, similar=[("a", 0.84), ("elsewhere", 0.99)]) is None
    assert found(text, *known, similar=[("a", 0.85)]) == "a"
    assert found(text, *known, similar=[("a", 0.86), ("b", 0.9)]) == "b"
    assert found("Nightly reports", *known, similar=[("a", 0.99)]) == "b"
    assert "0.90" in choose("constraints", text, known, similar=[("b", 0.9)]).hints[0]


@pytest.mark.parametrize(
    ("kind", "event", "known", "expected"),
    [
        ("constraints", None, False, (True, "CREATE", "CREATE", 0, ["CREATE", "NOOP"])),
        ("constraints", "removed", False, (True, "NOOP", "NOOP", 0, ["NOOP"])),
        (
            "constraints",
            None,
            True,
            (True, None, "UPDATE_OR_DELETE", 0, ["CREATE", "UPDATE", "DELETE", "NOOP"]),
        ),
        (
            "tech-debt",
            "resolved",
            True,
            (True, None, "UPDATE_OR_DELETE", 0, ["CREATE", "UPDATE", "DELETE", "NOOP"]),
        ),
        *(
            (kind, event, True, (False, None, "UPDATE", 1, ["CREATE", "UPDATE", "NOOP"]))
            for kind in ("decisions", "preferences", "sessions")
            for event in (None, "superseded")
        ),
        ("decisions", None, False, (False, "CREATE", "CREATE", 0, ["CREATE", "NOOP"])),
        ("decisions", "reversed", False, (False, "NOOP", "NOOP", 0, ["NOOP"])),
    ],
)
def test_what_may_be_done(
    kind: str, event: str | None, known: bool, expected: tuple[object, ...]
) -> None:
    """By the kind, whether there is a candidate, and what happened to the matter."""
    one = memory("m", "Redis cache limit")._replace(kind=kind)

    shown = choose(kind, "redis cache", [one] if known else [], lifecycle_event=event).as_json()

    assert expected == (
        shown["delete_allowed"],
        shown["pre_action"],
        shown["structural_cud"],
        len(shown["vetoes"]),
        shown["allowed"],
    )
    assert shown["lifecycle_event"] == event
    assert len(shown["hints"]) == known + (event is not None)


def test_a_veto_names_its_action() -> None:
    """A decision can be updated, only not deleted."""
    choice = choose("decisions", "redis cache", [memory("m", "Redis cache")])

    assert list(choice.vetoes) == ["DELETE"]
    assert "DELETE" in choice.as_json()["vetoes"][0]


def test_an_unknown_event_is_refused() -> None:
    """With the list of those that there are."""
    with pytest.raises(ValidationError) as refused:
        choose("decisions", "text", [], lifecycle_event="exploded")

    assert all(event in refused.value.hint for event in LIFECYCLE_EVENTS)


def test_the_choice_as_agents_read_it() -> None:
    """All that is needed to decide, and to name the memory in an update."""
    content = check_content(
        "decisions",
        {
            "decision": "PostgreSQL",
            "status": "accepted",
            "context": "x" * 300,
            "rationale": ["two writers", "backups"],
        },
    )
    one = Memory(
        "01U",
        "decisions:abc:0",
        "decisions",
        "Use PostgreSQL for storage",
        tags=("database",),
        content=content,
        version="v1",
        slugs=("postgresql", "old-name"),
        changes=({"summary": "first"}, {"summary": "accepted it"}),
    )

    shown = choose("decisions", "PostgreSQL storage is full", [one]).as_json()

    assert shown["candidate"] == {
        "id": "decisions:abc:0",
        "uid": "01U",
        "version": "v1",
        "slug": "postgresql",
        "title": "Use PostgreSQL for storage",
        "tags": ["database"],
        "status": "active",
        "excerpt": {
            "title": "Use PostgreSQL for storage",
            "record_status": "active",
            "tags": ["database"],
            "last_change_summary": "accepted it",
            "key_fields": {
                "context": "x" * 200,
                "decision": "PostgreSQL",
                "rationale": "two writers; backups",
            },
        },
    }
    assert set(shown) == {*Choice._fields, "allowed"}
    assert shown["score"] == 4


def test_a_plain_memory_shows_its_body() -> None:
    """It has no typed content, no slug and no changes yet."""
    one = memory("m", "Redis cache limit", body="y" * 300)

    shown = choose("constraints", "redis cache", [one]).as_json()["candidate"]

    assert shown["slug"] is None
    assert shown["excerpt"]["key_fields"] == {"body": "y" * 200}
    assert shown["excerpt"]["last_change_summary"] == "Initial creation"


@pytest.mark.parametrize("kind", SCHEMAS)
def test_key_fields_are_text_whatever_the_content_holds(kind: str) -> None:
    """Also what a newer version wrote."""
    names = SCHEMAS[kind].key_fields
    content = dict(zip(names, ([{"a": 1}, "b"], {"c": ["d", True]}, 7), strict=False))
    one = memory("m", "Redis cache limit", content=content)._replace(kind=kind)

    shown = choose(kind, "redis cache", [one]).as_json()["candidate"]["excerpt"]["key_fields"]

    assert list(shown.values()) == ["a: 1; b", "c: d; True", "7"]
