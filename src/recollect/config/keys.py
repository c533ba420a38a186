"""Every configuration key: the only list."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recollect.core.kinds import KINDS, Kind

ABOVE_ZERO = 1e-9
# What an untrusted project's file may do with a key. The file comes with the repository, so it may
# not talk to the agent, write, send, impersonate, or spend the user's time or money.
TRUST = "trust"  # nothing
ANY = "any"  # set it
LESS = "less"  # lower it below its value without the project, in the order of the choices
MORE = "more"  # raise it
NEVER = "never"  # nothing, trusted or not: the key protects the user


class ConfigKey(NamedTuple):
    """One configuration key."""

    name: str
    default: str | float | bool
    meaning: str
    project: str = TRUST
    # The smallest and largest number that it accepts, or the choices.
    least: float = ABOVE_ZERO
    most: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def is_personal(self) -> bool:
        """Whether only the user may set it."""
        return self.project == NEVER

    def is_free(self, value: str | float | bool, present: str | float | bool) -> bool:
        """Whether an untrusted project may set a value, given the current one."""
        if self.project in (LESS, MORE):
            wanted, there = self._rank(value), self._rank(present)
            return wanted <= there if self.project == LESS else wanted >= there
        return self.project == ANY

    def _rank(self, value: str | float | bool) -> float:
        if self.choices:
            return self.choices.index(str(value))
        if self.name.endswith("max_memories") and value == 0:
            return math.inf  # any number
        return float(value)

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "RECOLLECT_" + self.name.upper().replace(".", "_").replace("-", "_")


# The agent's names for its models; nothing else may reach the agent's instructions.
_MODELS = ("haiku", "sonnet", "opus", "inherit")
# How many days a kind is kept, unless it is permanent.
_RETENTION = 90.0
_CENTURY = 36_525.0
# For typed kinds: the confidence that triage needs, and the model that drafts in parallel.
_DRAFTED: Mapping[str, tuple[float, str]] = {
    "decisions": (0.4, "sonnet"),
    "preferences": (0.4, "haiku"),
    "constraints": (0.45, "sonnet"),
    "runbooks": (0.4, "haiku"),
    "tech-debt": (0.4, "haiku"),
    "sessions": (0.6, "haiku"),
}
_MOST_TYPED = 100.0


def _of_kinds() -> Iterator[ConfigKey]:
    for kind in KINDS:
        yield from _of_kind(kind)


def _of_kind(kind: Kind) -> Iterator[ConfigKey]:
    name = f"kinds.{kind.name}"
    days = 0.0 if kind.permanent else _RETENTION
    most = _MOST_TYPED if kind.name in _DRAFTED else 0.0
    yield ConfigKey(f"{name}.auto_capture", True, "whether it is noticed by itself", LESS)
    yield ConfigKey(f"{name}.description", kind.purpose, "what belongs into it, for who drafts")
    yield ConfigKey(f"{name}.enabled", True, "whether agents and heuristics write it at all", LESS)
    yield ConfigKey(
        f"{name}.max_memories", most, "most that agents may write; 0: any", LESS, least=0.0
    )
    yield ConfigKey(
        f"{name}.retention_days",
        days,
        "days until it is archived; 0: never",
        least=0.0,
        most=_CENTURY,
    )
    if kind.name in _DRAFTED:
        threshold, model = _DRAFTED[kind.name]
        yield ConfigKey(
            f"{name}.model", model, "the model that drafts it in parallel", choices=_MODELS
        )
        yield ConfigKey(
            f"{name}.triage_threshold", threshold, "how sure triage must be", MORE, least=0.0
        )


KEYS: tuple[ConfigKey, ...] = (
    ConfigKey("author", "", "who writes memories, as `Name <email>`; empty: as git knows you"),
    ConfigKey("capture.auto_threshold", 0.95, "how certain something must be to be kept", MORE),
    ConfigKey(
        "capture.mode",
        "auto",
        "what is noticed by itself: off, suggest or auto",
        LESS,
        choices=("off", "suggest", "auto"),
    ),
    ConfigKey("capture.suggest_threshold", 0.7, "how certain it must be to be suggested", MORE),
    ConfigKey("delete.archive_retired", False, "whether gc archives instead of purging"),
    ConfigKey(
        "delete.grace_period_days", 30.0, "days for which a retired memory is kept", most=_CENTURY
    ),
    ConfigKey("embedding.model", "default", "the model for vectors: default, a name, or none"),
    ConfigKey("embedding.path", "", "a folder with the model's files, in place of the package"),
    ConfigKey("engine.enabled", True, "whether `recollect mcp` does the work of hooks", LESS),
    ConfigKey("engine.idle", 60.0, "minutes without a request after which it stops to"),
    ConfigKey("git.timeout", 30.0, "seconds that one git command may take"),
    ConfigKey(
        "guidance.detail",
        "standard",
        "what agents are told: off, minimal, standard, detailed",
        LESS,
        choices=("off", "minimal", "standard", "detailed"),
    ),
    ConfigKey("hook.deadline", 300.0, "milliseconds that a prompt or tool hook may take"),
    ConfigKey("hook.session_deadline", 1000.0, "milliseconds at the start or end of a session"),
    ConfigKey(
        "inject.budget",
        "adaptive",
        "at a start: adaptive, fixed, full, minimal, or a tier",
        ANY,
        choices=("adaptive", "fixed", "minimal", "simple", "medium", "complex", "full"),
    ),
    ConfigKey("inject.enabled", True, "whether memories are put in front of the agent", LESS),
    ConfigKey("inject.prompt_memories", 5.0, "most memories for one prompt", LESS),
    ConfigKey("inject.prompt_tokens", 2000.0, "most tokens for one prompt or tool", LESS),
    ConfigKey("inject.session_tokens", 1000.0, "tokens at a session's start, for `fixed`", LESS),
    ConfigKey("inject.tool_memories", 3.0, "most memories for one tool call", LESS),
    ConfigKey("lock.timeout", 5.0, "seconds to wait for another process that writes memories"),
    ConfigKey("mirror.auto_commit", False, "whether changes of the mirror are committed by itself"),
    ConfigKey("mirror.enabled", False, "whether memories are mirrored as files in the work tree"),
    ConfigKey("mirror.path", ".claude/memory", "the folder of the mirror"),
    ConfigKey(
        "recall.match_strategy",
        "hybrid",
        "hybrid, semantic, text or title_tags",
        ANY,
        choices=("hybrid", "semantic", "text", "title_tags"),
    ),
    ConfigKey(
        "redact.allowed", "", "sha256 digests of values that are no secrets, by comma", NEVER
    ),
    ConfigKey(
        "redact.personal", False, "whether IBANs and phone numbers are taken out as well", NEVER
    ),
    ConfigKey(
        "redact.strategy",
        "redact",
        "for secrets: redact, mask, block or warn",
        NEVER,
        choices=("redact", "mask", "block", "warn"),
    ),
    ConfigKey("sessions.max_retained", 5.0, "summaries of sessions that stay; older ones retire"),
    ConfigKey(
        "sleep.archived_days", 180.0, "days until what age archived is retired", most=_CENTURY
    ),
    ConfigKey(
        "sleep.boundary_threshold",
        0.2,
        "where what tools touch is less alike, an episode ends",
        least=0.0,
        most=1.0,
    ),
    ConfigKey(
        "sleep.decay_per_day",
        0.05,
        "how much a day without use takes from a memory",
        least=0.001,
        most=1.0,
    ),
    ConfigKey("sleep.enabled", True, "whether memories are looked after between sessions", LESS),
    ConfigKey("sleep.max_memories", 1000.0, "from how many on the weakest go; 0: any", least=0.0),
    ConfigKey(
        "sleep.min_age_days", 7.0, "days for which nothing is merged or makes room", most=_CENTURY
    ),
    ConfigKey(
        "sleep.similarity",
        0.4,
        "how much of their words memories share that are merged",
        least=0.1,
        most=1.0,
    ),
    ConfigKey(
        "sync.purge",
        "ask",
        "purges by others than a memory's author and you: ask or apply",
        NEVER,
        choices=("ask", "apply"),
    ),
    ConfigKey("sync.remote", "", "the remote to sync with; empty: origin, or the only one"),
    ConfigKey("sync.timeout", 120.0, "seconds that a fetch or push may take"),
    ConfigKey(
        "triage.default_model",
        "haiku",
        "the model that drafts what no other is named for",
        choices=_MODELS,
    ),
    ConfigKey(
        "triage.max_messages", 50.0, "messages of a turn that are looked at, from its end", LESS
    ),
    ConfigKey(
        "triage.mode",
        "suggest",
        "at the end of a turn: off, suggest, or draft (ask the agent)",
        LESS,
        choices=("off", "suggest", "draft"),
    ),
    ConfigKey(
        "triage.parallel", False, "whether one subagent for each kind drafts, in parallel", LESS
    ),
    ConfigKey(
        "triage.verification_model",
        "sonnet",
        "the model that checks parallel drafts",
        choices=_MODELS,
    ),
    *_of_kinds(),
)
