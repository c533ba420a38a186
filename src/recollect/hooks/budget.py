"""How many tokens a session may start with, for everything together: guide, memories and titles."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple
from recollect.hooks.pipeline import Work
from recollect.search.tokens import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hooks.session import HookSession


class Tier(NamedTuple):
    """From how many memories on, the tokens in total, and the shares of two of its parts.

    Of the total, the guide takes about 200 tokens, the last session up to 340, and titles what is
    left. The shares are those of the original design, which had no titles and no last session; so
    its totals of the two smallest tiers were too small for what a session starts with.
    """

    memories: int
    total: int
    working: int
    knowledge: int


TIERS = {
    "simple": Tier(0, 1200, 300, 100),
    "medium": Tier(10, 2200, 500, 300),
    "complex": Tier(50, 2600, 900, 900),
    "full": Tier(200, 3000, 1400, 1400),
}


def tier_of(work: Work) -> Tier:
    """Return what the start of this session may take, by `inject.budget`."""
    if work.tier is None:  # counting memories takes time
        work.tier = _tier(work.session)
    return Tier(*work.tier)


def _tier(session: HookSession) -> Tier:
    mode, most = session.setting("inject.budget"), int(session.setting("inject.max_session_tokens"))
    if mode == "fixed":
        total = min(int(session.setting("inject.session_tokens")), most)
        return Tier(0, total, total // 2, total // 2)
    name = mode if mode in TIERS else "simple"
    if mode == "adaptive":
        size = session.count_memories()
        name = next(tier for tier in reversed(TIERS) if size >= TIERS[tier].memories)
    tier = TIERS[name]
    return tier._replace(total=min(tier.total, most))


def left_of(work: Work, total: int) -> int:
    """Return what the reply leaves of a total."""
    return max(0, total - sum(count_tokens(text) + 1 for text in work.reply.context))
