"""Every configuration key: the only list."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.config.key import ANY, LESS, MORE, NEVER, ConfigKey
from recollect.core.fields import TYPE_WEIGHTS
from recollect.core.kinds import DEFAULT_MODEL, KINDS, Kind
from recollect.core.unconfirmed import UNCONFIRMED_DAYS

# The agent's names for its models; nothing else may reach the agent's instructions.
_MODELS = ("haiku", "sonnet", "opus", "inherit")
# How many days a kind is kept, unless it is permanent.
_RETENTION = 90.0
_CENTURY = 36_525.0
# The most memories of a kind that agents draft.
_MOST_DRAFTED = 100.0
_MOST_INJECTED = 20.0


def _of_kinds() -> Iterator[ConfigKey]:
    for kind in KINDS:
        yield from _of_kind(kind)


def _of_kind(kind: Kind) -> Iterator[ConfigKey]:
    name = f"kinds.{kind.name}"
    days = 0.0 if kind.permanent else _RETENTION
    most = _MOST_DRAFTED if kind.drafting else 0.0
    yield ConfigKey(f"{name}.auto_capture", True, "whether it is captured automatically", LESS)
    yield ConfigKey(
        f"{name}.description", kind.purpose, "what belongs in it, for agents that draft"
    )
    yield ConfigKey(f"{name}.enabled", True, "whether agents and heuristics may write it", LESS)
    yield ConfigKey(
        f"{name}.max_memories",
        most,
        "the most that agents may write; 0: no limit",
        LESS,
        least=0.0,
        whole=True,
    )
    yield ConfigKey(
        f"{name}.retention_days",
        days,
        "days until it is archived; 0: never",
        least=0.0,
        most=_CENTURY,
    )
    if kind.drafting:
        threshold, model = kind.drafting
        yield ConfigKey(
            f"{name}.model",
            model,
            "the model that drafts it in parallel",
            choices=(*_MODELS, DEFAULT_MODEL),
        )
        yield ConfigKey(
            f"{name}.triage_threshold",
            threshold,
            "the score that triage needs, from 0 to 1",
            MORE,
            least=0.0,
            most=1.0,
        )


# The names of the events in `hosts.protocol`, which is not below this package.
_EVENTS = (
    "pre-compact",
    "prompt",
    "session-end",
    "session-start",
    "stop",
    "subagent-stop",
    "tool-failure",
    "tool-post",
    "tool-pre",
)


def _of_weights() -> Iterator[ConfigKey]:
    for name, weight in sorted(TYPE_WEIGHTS.items()):
        yield ConfigKey(
            f"memorability.weights.{name}",
            weight,
            "how much this type of observation adds to the score",
            least=0.0,
            most=1.0,
        )


def _of_events() -> Iterator[ConfigKey]:
    for event in _EVENTS:
        yield ConfigKey(f"hook.{event}.enabled", True, "the same for one event", LESS)


KEYS: tuple[ConfigKey, ...] = (
    ConfigKey("author", "", "the author of memories, `Name <email>`; empty: git's identity"),
    ConfigKey(
        "capture.checkpoints",
        "summary",
        "milestones of a session: in its summary, or also memories",
        LESS,
        choices=("summary", "memories"),
    ),
    ConfigKey(
        "capture.mode",
        "auto",
        "automatic capture: off, suggest or auto",
        LESS,
        choices=("off", "suggest", "auto"),
    ),
    ConfigKey(
        "capture.suggest_threshold",
        0.45,
        "how likely what is said must be worth keeping to be noticed",
        MORE,
        least=0.0,
        most=1.0,
    ),
    ConfigKey(
        "capture.threshold",
        0.6,
        "the score from which the result of a tool is worth noticing",
        MORE,
        least=0.0,
        most=1.0,
    ),
    ConfigKey("capture.tools", "all", "the tools that are observed, comma-separated, or all"),
    ConfigKey(
        "capture.unconfirmed_days",
        UNCONFIRMED_DAYS,
        "days without use until an unconfirmed memory is retired",
        most=_CENTURY,
    ),
    ConfigKey(
        "compaction.max_captures",
        3.0,
        "the most that is noticed before one compaction; the rest waits",
        LESS,
        whole=True,
    ),
    ConfigKey(
        "compaction.min_confidence",
        0.0,
        "like capture.suggest_threshold, before a compaction; the higher one counts",
        MORE,
        least=0.0,
        most=1.0,
    ),
    ConfigKey(
        "compaction.prompt_first",
        False,
        "whether what is noticed before a compaction waits for you, and no agent gets it",
        MORE,
    ),
    ConfigKey("delete.archive_retired", False, "whether gc archives instead of purging"),
    ConfigKey(
        "delete.grace_period_days", 30.0, "days until gc may purge a retired memory", most=_CENTURY
    ),
    ConfigKey("embedding.model", "default", "the embedding model: default, a name, or none"),
    ConfigKey("embedding.path", "", "a folder with the model's files, instead of the package"),
    ConfigKey("engine.enabled", True, "whether `recollect mcp` also serves hooks", LESS),
    ConfigKey("engine.idle", 60.0, "minutes without a request until it stops serving hooks"),
    ConfigKey("git.timeout", 30.0, "the time limit of a git command, in seconds"),
    ConfigKey(
        "guidance.detail",
        "standard",
        "guidance for agents: off, minimal, standard or detailed",
        LESS,
        choices=("off", "minimal", "standard", "detailed"),
    ),
    ConfigKey("hook.deadline", 300.0, "the time limit of a prompt or tool hook, in milliseconds"),
    ConfigKey("hook.enabled", True, "whether hooks do more than what you ask for", LESS),
    *_of_events(),
    ConfigKey("hook.session_deadline", 1000.0, "the same at the start or end of a session"),
    ConfigKey("index.url", "", "a PostgreSQL database for the index; empty: a file"),
    ConfigKey(
        "inject.budget",
        "adaptive",
        "at session start: adaptive, fixed, full, minimal, or a tier",
        ANY,
        choices=("adaptive", "fixed", "minimal", "simple", "medium", "complex", "full"),
    ),
    ConfigKey("inject.enabled", True, "whether memories are injected", LESS),
    ConfigKey(
        "inject.max_session_tokens",
        3000.0,
        "the most tokens at session start, in every mode",
        LESS,
        whole=True,
    ),
    ConfigKey(
        "inject.prompt_memories",
        5.0,
        "the most memories for one prompt, 0 to 20",
        LESS,
        least=0.0,
        most=_MOST_INJECTED,
        whole=True,
    ),
    ConfigKey(
        "inject.prompt_tokens",
        2000.0,
        "the most tokens for one prompt or tool call",
        LESS,
        whole=True,
    ),
    ConfigKey(
        "inject.session_tokens", 1000.0, "tokens at session start, for `fixed`", LESS, whole=True
    ),
    ConfigKey(
        "inject.tool_memories",
        3.0,
        "the most memories for one tool call, 0 to 20",
        LESS,
        least=0.0,
        most=_MOST_INJECTED,
        whole=True,
    ),
    ConfigKey("lock.timeout", 5.0, "seconds to wait for another process that writes memories"),
    ConfigKey(
        "memorability.threshold",
        0.3,
        "the score from which what a tool shows is worth remembering",
        MORE,
        least=0.0,
        most=1.0,
    ),
    *_of_weights(),
    ConfigKey(
        "mirror.auto_commit", False, "whether changes to the mirror are committed automatically"
    ),
    ConfigKey(
        "mirror.enabled", False, "whether memories are mirrored as files in the working tree"
    ),
    ConfigKey("mirror.path", ".claude/memory", "the folder of the mirror"),
    ConfigKey(
        "notify",
        "all",
        "the one-line messages that you see in an agent: none, kept or all",
        LESS,
        choices=("none", "kept", "all"),
    ),
    ConfigKey(
        "recall.half_life_days",
        30.0,
        "days until the recency of a memory counts half",
        ANY,
        most=_CENTURY,
    ),
    ConfigKey(
        "recall.match_strategy",
        "hybrid",
        "hybrid, semantic, text or title_tags",
        ANY,
        choices=("hybrid", "semantic", "text", "title_tags"),
    ),
    ConfigKey("recall.triggers", "", "more phrases that ask for memories, comma-separated"),
    ConfigKey(
        "redact.allowed",
        "",
        "sha256 digests of values that are not secrets, comma-separated",
        NEVER,
    ),
    ConfigKey("redact.personal", False, "whether IBANs and phone numbers are redacted too", NEVER),
    ConfigKey(
        "redact.strategy",
        "redact",
        "for secrets: redact, mask, block or warn",
        NEVER,
        choices=("redact", "mask", "block", "warn"),
    ),
    ConfigKey(
        "server.timeout",
        3.0,
        "the most seconds that `recollect search --everywhere` waits for the server",
        NEVER,
        most=60.0,
    ),
    ConfigKey("server.url", "", "the address of your team's server; empty: none", NEVER),
    ConfigKey(
        "sessions.max_retained",
        5.0,
        "how many session summaries stay; older ones are retired",
        whole=True,
    ),
    ConfigKey(
        "sleep.archived_days",
        180.0,
        "days until a memory archived for its age is retired",
        most=_CENTURY,
    ),
    ConfigKey(
        "sleep.boundary_threshold",
        0.2,
        "an episode ends if tool calls are less similar than this",
        least=0.0,
        most=1.0,
    ),
    ConfigKey(
        "sleep.decay_per_day",
        0.05,
        "the strength that a day without use removes",
        least=0.001,
        most=1.0,
    ),
    ConfigKey("sleep.enabled", True, "whether sleep runs between sessions", LESS),
    ConfigKey(
        "sleep.max_memories",
        1000.0,
        "the most memories before the weakest are archived; 0: no limit",
        least=0.0,
        whole=True,
    ),
    ConfigKey(
        "sleep.min_age_days",
        7.0,
        "days before a memory may be merged or archived for room",
        most=_CENTURY,
    ),
    ConfigKey(
        "sleep.similarity",
        0.4,
        "the word overlap from which memories are merged",
        least=0.1,
        most=1.0,
    ),
    ConfigKey(
        "sync.auto",
        "off",
        "sync without being asked: fetch when a session starts, on: also push when it ends",
        NEVER,
        choices=("off", "fetch", "on"),
    ),
    ConfigKey(
        "sync.offer",
        True,
        "whether a new clone asks its remote, in the background, if it has memories",
        NEVER,
    ),
    ConfigKey(
        "sync.purge",
        "ask",
        "purges by anyone but the author and you: ask or apply",
        NEVER,
        choices=("ask", "apply"),
    ),
    ConfigKey("sync.remote", "", "the remote to sync with; empty: origin, or the only one"),
    ConfigKey("sync.timeout", 120.0, "the time limit of a fetch or push, in seconds"),
    ConfigKey(
        "triage.default_model",
        "haiku",
        "the model for kinds without their own",
        choices=_MODELS,
    ),
    ConfigKey(
        "triage.max_messages",
        50.0,
        "how many of a session's last messages triage considers, 10 to 200",
        LESS,
        least=10.0,
        most=200.0,
        whole=True,
    ),
    ConfigKey(
        "triage.mode",
        "draft",
        "at the end of a turn: off, suggest, or draft (ask the agent)",
        LESS,
        choices=("off", "suggest", "draft"),
    ),
    ConfigKey("triage.parallel", False, "whether one subagent per kind drafts, in parallel", LESS),
    ConfigKey(
        "triage.verification_model",
        "sonnet",
        "the model that checks parallel drafts",
        choices=_MODELS,
    ),
    *_of_kinds(),
)
