"""Every number that decides what a search finds, ranks and shows, with what it was chosen on.

To change ranking, change a value here, then run `python -m benchmarks.quality` (ranking) and
`python -m benchmarks.injection` (what hooks inject) before and after. Some numbers live in packages
below this one, because the index or sleep needs them too: the BM25 weights in
`index/sqlite/words.py`, common words in `index/sqlite/index.py`, the trust of each origin in
`index/sqlite/traits.py`, the share of one author in `core/crowding.py`, and aging in
`core/strength.py`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Score

# Weights of the four parts of a score; they add up to 1. Match decides. The other parts order
# memories that match equally well. Strength counts for half of the importance weight, so that
# memories that helped before rank first. Age counts where the query or the kind asks for what is
# new, and for a text of more than LONGEST_QUESTION words, which is work at hand (commit messages:
# nDCG +1); elsewhere it breaks ties, because old knowledge is as true as new: with the full weight
# everywhere, questions about a talk found 10 points fewer. Chosen with `benchmarks/quality.py`.
MATCH_WEIGHT: Final = 0.65
RECENCY_WEIGHT: Final = 0.15
TIE_WEIGHT: Final = 0.02
IMPORTANCE_WEIGHT: Final = 0.12
TRUST_WEIGHT: Final = 0.08
LONGEST_QUESTION: Final = 20
TIMELY_KINDS: Final = frozenset({"sessions", "blockers", "progress"})
# After this many days, recency is worth half. From the original design.
HALF_LIFE_DAYS: Final = 30.0
# How much use raises trust: after about seven uses, half of what is missing to 1. A judgement.
TRUST_GAIN_PER_USE: Final = 0.25
# What the trust of a memory from another repository counts, beside one's own. A judgement.
FOREIGN_TRUST: Final = 0.5

# What the score of an unconfirmed memory is multiplied with: nobody stands by it yet. It decides
# between memories that match equally well; one that matches clearly better still comes first. A
# judgement.
UNCONFIRMED_FACTOR: Final = 0.85

# Fusion of keyword and vector search

# match = cosine - CROWDING_WEIGHT × crowding + KEYWORD_WEIGHT × agreement × keyword². The square
# keeps one or two shared words from deciding. Chosen on the tuning sets together: conversations,
# commit messages, hand-written memories, and these among commits, where crowding takes nDCG of
# paraphrases from 57 to 60 and changes nothing for commits.
KEYWORD_WEIGHT: Final = 4.0
CROWDING_WEIGHT: Final = 0.3
# The same with the vectors of single words, whose cosines are smaller; 0.1 is as good, and with 0.3
# the right memory is among the first twelve for 59 instead of 64 % of the paraphrases.
WORD_CROWDING_WEIGHT: Final = 0.2
# Keywords count less beside them, because nothing tells whether keywords mislead: with 3 instead of
# 4, the right memory is first for 44 instead of 41 % of the paraphrases, and for 62 instead of 61 %
# of all prompts.
WORD_KEYWORD_WEIGHT: Final = 3.0
# Matches are relative to the best one, but never to less than this: if even the best match is weak,
# it stays weak. Chosen with `benchmarks/quality.py`.
WEAK_MATCH: Final = 0.3
# What a memory gets of the matches beside it in its session, and of those next to them: turns of a
# talk are about one topic. Chosen with `benchmarks/quality.py` (turns of LoCoMo: R@10 +5).
NEIGHBOUR: Final = 0.15
SECOND_NEIGHBOUR: Final = 0.07
# Without the model, a hook compares the vectors of all memories in a store of at most this size,
# and only those with words of the prompt in a larger one. A limit on time: 5,000 take 2.5 ms.
MOST_SCANNED: Final = 5_000
# How many of the best matches tell whether keywords and vectors agree. `benchmarks/quality.py`.
AGREEMENT_SAMPLE: Final = 3
# Keyword and vector search each bring at least this many candidates, and at least this many times
# the limit. A limit on time, kept by `benchmarks/index.py`.
CANDIDATES: Final = 100
CANDIDATES_PER_RESULT: Final = 3

# Match strategy `title_tags`

# Points for each word of the query; one makes a hit. The best candidates get a point more if they
# changed in the last days; then the kind decides. From the original design: the strategy is
# deterministic, so the numbers are part of its definition.
TITLE_POINTS: Final = 2
TAG_POINTS: Final = 3
PREFIX_POINTS: Final = 1
RECENT_POINTS: Final = 1
RECENT_CANDIDATES: Final = 20
RECENT_DAYS: Final = 30
KIND_PRIORITY: Final = (
    "decisions", "constraints", "preferences", "runbooks", "tech-debt", "sessions",
)  # fmt: skip
# A shorter word does not count as a prefix.
LEAST_PREFIX: Final = 4
# Diversity looks at this many of the best hits. A limit on time.
TITLE_HITS_COMPARED: Final = 500

# The gate: what a hook injects, and in which form

# What things cost, in tokens: a memory in full with the element around it (measured: 174), a title
# and the element around titles (both measured). Working without the memory that would have answered
# costs what finding it out again costs. Something that comes for a prompt about no memory at all
# costs more than its tokens: it leads astray, and what comes is read with less care. A few titles
# lead astray no more than one does, so the first one pays for all. The last three are judgements,
# narrowed on the tuning half of `python -m benchmarks.injection`, cold and warm, with 1,000
# memories: unrelated prompts bring something in full in 2 %, and cost 12 tokens.
FULL_COSTS: Final = 175.0
TITLE_COSTS: Final = 25.0
TITLES_COST: Final = 36.0
MISS_COSTS: Final = 4_500.0
STRAY_FULL_COSTS: Final = 2_000.0
STRAY_TITLES_COST: Final = 250.0


def full_bar(about: float) -> float:
    """Return the least probability (`search/gate.py`) that is worth a memory in full.

    `about` is how likely the prompt is about any memory.
    """
    return (FULL_COSTS + (1.0 - about) * STRAY_FULL_COSTS) / MISS_COSTS


def titles_bar(about: float) -> float:
    """Return the least probability of one title that is worth titles at all."""
    return (TITLE_COSTS + TITLES_COST + (1.0 - about) * STRAY_TITLES_COST) / MISS_COSTS


# What an unconfirmed memory is worth compared with a confirmed one: about two of three are right,
# and a wrong one costs more than its tokens. It is multiplied with the confidence of the memory,
# which is 0.65 in the mean. And how many such memories one block may have. Chosen on the tuning
# days (`benchmarks/day`).
UNCONFIRMED_WORTH: Final = 0.4
MOST_UNCONFIRMED: Final = 1

# Working memory, which a session starts with

# Kind, most memories of it, its weight, and the reason that `why` shows. The score is the weight,
# plus recency and importance with their weights above. From the original design, except that the
# last session comes first: whoever goes on with the work needs it before anything else.
WORKING_MEMORY: Final[tuple[tuple[str, int, float, str], ...]] = (
    ("sessions", 1, 1.5, "last session"),
    ("blockers", 5, 1.0, "blocks the work"),
    ("constraints", 10, 0.9, "constraint"),
    ("preferences", 10, 0.9, "preference"),
    ("decisions", 8, 0.7, "recent decision"),
    ("progress", 2, 0.6, "progress"),
)

# Selection and diversity

# Two memories that share more than this part of their words are repeats. The same value as
# `core.crowding.SAME`, which compares within one author. A judgement.
REPEAT_OVERLAP: Final = 0.6
# Time scales: name, oldest age in seconds, and places out of five. Places that one scale does not
# use pass to the next. From the original design.
SCALES: Final[tuple[tuple[str, float, int], ...]] = (
    ("immediate", 5 * 60, 1),
    ("task", 30 * 60, 2),
    ("session", 2 * 3600, 1),
    ("project", float("inf"), 1),
)
# A memory of another episode of the session is at least this old: past the scale of the task.
OTHER_EPISODE_AGE: Final = SCALES[1][1] + 1

# Titles: memories that may matter, in one line each

# A session starts with the titles of all memories, up to this many; of more, the best. A title
# costs about 20 tokens, one with a long summary 35: all of them must fit.
MOST_INDEXED: Final = 25
INDEX_TOKENS: Final = 1_000
# At the start of a session, what a title leaves out follows it where the tokens are there: a title
# that is cut helps nobody. Characters of a line; nobody stands by an unconfirmed memory, so that
# has its title only. A judgement.
MOST_LINE: Final = 280
# What use adds to the score of a title, and the number of uses that adds all of it. A judgement.
INDEX_USE: Final = 0.3
USED_OFTEN: Final = 3
# What is added for a memory of this episode, and for one that names a file of the last commits. A
# judgement.
INDEX_AT_HAND: Final = 0.2
# Titles that a prompt may bring, and their tokens.
MOST_TITLES: Final = 3
TITLE_TOKENS: Final = 80
# A title is shortened to no less than this, with its id and the end of its line: the three titles
# of a prompt must fit.
LEAST_TITLE_TOKENS: Final = 26
# The same at the start of a session, where its status and age stand before it, up to 23 tokens.
LEAST_LINE_TOKENS: Final = 38

# Budget

# Claude Code moves output of more than 10,000 UTF-16 units into a file.
MOST_CHARACTERS: Final = 9_500
# Tokens of the element around the memories.
BLOCK_TOKENS: Final = 40
# Characters of a body that an agent gets to see; `recollect show` prints all of it. A judgement.
MOST_BODY: Final = 600
# The same for the summary of a session, which is bounded when it is written.
MOST_SESSION_BODY: Final = 1_200
# Tokens for the summary of the last session, beside the budget of working memory.
SESSION_TOKENS: Final = 340
# Another session counts as parallel if it was active in the last day. A judgement.
PARALLEL_SECONDS: Final = 86_400.0
# A token has at most this many letters. Measured against the tokenizer that Anthropic published;
# see `search/tokens.py`.
LETTERS_PER_TOKEN: Final = 4
# A search embeds at most this many new memories, which takes no noticeable time. `reindex` embeds
# the rest.
MOST_PENDING: Final = 64
# A hook with a model embeds at most this many: what was kept a moment ago. The engine embeds more
# when nobody waits.
MOST_PENDING_AT_HOOK: Final = 4
