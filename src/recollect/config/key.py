"""One configuration key: its default, its meaning, and what a project may do with it."""

from __future__ import annotations

import math

from recollect.core.named_tuple import NamedTuple

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
    # Whether it counts something, so that a fraction makes no sense.
    whole: bool = False

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
