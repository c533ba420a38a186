"""Pairs of texts from a history that say the same thing in different words.

What a merge says of its topic and a commit of it, a commit and an earlier one that it cites or
reverts, a changelog fragment and the commit that adds it, a paragraph of a message and the rest.
Nobody wrote them for search, so they are many, and they are not prompts: they teach the vocabulary,
and written questions the form.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.index.text import STOP_WORDS

MOST_COMMITS, MOST_MERGES, MOST_EXPLAINED = 70_000, 3_000, 5_000
MOST_OF_MERGE = 11
LONGEST_TEXT, LONGEST_QUESTION = 900, 500
OPENINGS = (160, 250, 400)
LEAST_WORDS = 4
# A pair that shares more of its words teaches what a search by words finds anyway.
MOST_SHARED = 0.6
_TRAILER = re.compile(
    r"^(?:signed-off-by|reviewed-by|reported-by|acked-by|cc|closes?|fixe[sd]|co-authored-by"
    r"|helped-by|tested-by|bug|refs?|see also|link|discussion|author|change-id|approved-by|issue"
    r"|resolves|relates? to)\b.{0,80}[:#].*$",
    re.IGNORECASE | re.MULTILINE,
)
_NOISE = re.compile(
    r"<!--.*?-->|`{3}.*?`{3}|^---+.*?$|^\s*- \[[ x]\].*?$|https?://\S+|^\s*>.*?$|^#+ .*?$",
    re.DOTALL | re.MULTILINE,
)
_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
NOTHING_TO_SAY = re.compile(
    r"(?:bump|update |merge |release|version|chore\(deps|rollup|l10n)", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z]{3,}")
_FRAGMENTS = "changelogs/fragments"


class Commit(NamedTuple):
    """A commit, as far as its message is concerned."""

    hash: str
    parents: list[str]
    subject: str
    body: str

    @property
    def text(self) -> str:
        """Its message without trailers, links and code."""
        return f"{self.subject}\n{cleaned(self.body)}".strip()[:LONGEST_TEXT]


class Pair(NamedTuple):
    """A text that stands for a question, and the one that answers it."""

    asked: str
    answer: str


def pairs_of(repository: Path, rng: random.Random) -> list[Pair]:
    """Return the pairs of one history; each text is in one of them only."""
    commits = {commit.hash: commit for commit in commits_of(repository)}
    found: list[Pair] = []
    seen: set[str] = set()
    for asked, answer in (
        *_merged(repository, commits, rng),
        *_cited(commits, rng),
        *_fragments(repository),
        *_explained(commits, rng),
    ):
        pair = Pair(" ".join(cleaned(asked).split())[:LONGEST_QUESTION], answer)
        if is_useful(pair) and not seen & {*pair}:
            found.append(pair)
            seen |= {*pair}
    return found


def content(text: str) -> set[str]:
    """Return the words of a text that are about something."""
    return {word.lower() for word in _WORD.findall(text)} - STOP_WORDS


def is_useful(pair: Pair) -> bool:
    """Return whether both texts say something, and not in the same words."""
    asked, answer = content(pair.asked), content(pair.answer)
    if min(len(asked), len(answer)) < LEAST_WORDS:
        return False
    return len(asked & answer) <= MOST_SHARED * len(asked)


def without_shared(pair: Pair, part: float, rng: random.Random) -> Pair:
    """Return the pair without a part of the words of the question that the answer has, too."""
    shared = content(pair.answer)
    kept = [
        word
        for word in pair.asked.split()
        if not (content(word) <= shared and content(word) and rng.random() < part)
    ]
    return Pair(" ".join(kept) or pair.asked, pair.answer)


def cleaned(text: str) -> str:
    """Return a text without trailers, links, code, quotations and headings."""
    text = _TRAILER.sub("", _NOISE.sub(" ", text.replace("\r", "")))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", repository, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def commits_of(repository: Path) -> Iterator[Commit]:
    """Yield the newest commits of a history."""
    log = _git(repository, "log", f"-n{MOST_COMMITS}", "--format=%H%x01%P%x01%s%x01%b%x02")
    for row in log.split("\x02"):
        fields = row.lstrip("\n").split("\x01")
        if len(fields) == len(Commit._fields):
            yield Commit(fields[0], fields[1].split(), fields[2], fields[3])


def _merged(
    repository: Path, commits: Mapping[str, Commit], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield what merges say of their topic, each with the longest message of the topic."""
    merges = [commit for commit in commits.values() if len(commit.parents) == 2]
    rng.shuffle(merges)
    for merge in merges[:MOST_MERGES]:
        topic = cleaned(merge.body.partition("\n*")[0])
        if len(_WORD.findall(topic)) < LEAST_WORDS:
            continue
        span = "..".join(merge.parents)
        listed = _git(repository, "rev-list", "--no-merges", f"-n{MOST_OF_MERGE + 1}", span)
        own = [commits[name] for name in listed.split() if name in commits]
        own = [commit for commit in own if not NOTHING_TO_SAY.match(commit.subject)]
        if 0 < len(own) <= MOST_OF_MERGE:
            yield topic, max(own, key=lambda commit: len(commit.body)).text


def _cited(commits: Mapping[str, Commit], rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the openings of commits that cite one other, without its hash and its subject."""
    by_start: dict[str, list[str]] = {}
    for name in commits:
        by_start.setdefault(name[:7], []).append(name)
    for commit in commits.values():
        if len(commit.parents) != 1 or NOTHING_TO_SAY.match(commit.subject):
            continue
        starts = set(_HASH.findall(commit.body))
        cited = {n for start in starts for n in by_start.get(start[:7], ()) if n.startswith(start)}
        if len(cited) != 1 or commit.hash in cited:
            continue
        other = commits[cited.pop()]
        is_revert = commit.subject.startswith("Revert")
        text = commit.body if is_revert else f"{commit.subject}. {commit.body}"
        text = _HASH.sub("", text).replace(other.subject, "").replace("This reverts commit", "")
        yield text[: rng.choice(OPENINGS)], other.text


def _explained(commits: Mapping[str, Commit], rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield a paragraph, or its first sentence, and what else the message says."""
    plain = [c for c in commits.values() if len(c.parents) == 1]
    rng.shuffle(plain)
    for commit in plain[:MOST_EXPLAINED]:
        paragraphs = [p for p in cleaned(commit.body).split("\n\n") if len(_WORD.findall(p)) >= 8]
        if not paragraphs or NOTHING_TO_SAY.match(commit.subject):
            continue
        chosen = rng.choice(paragraphs[:2])
        rest = [] if rng.random() < 0.5 else [p for p in paragraphs if p is not chosen]
        opening = re.split(r"(?<=[.!?])\s", chosen)[0]
        yield rng.choice([chosen, opening]), "\n".join([commit.subject, *rest])[:LONGEST_TEXT]


def _fragments(repository: Path) -> Iterator[tuple[str, str]]:
    """Yield what users are told of a change, and the message of the commit that makes it."""
    options = ("-p", "--no-merges", "--diff-filter=A", "-n6000", "--format=%x02%s%x01%b%x03")
    for row in _git(repository, "log", *options, "--", _FRAGMENTS).split("\x02")[1:]:
        head, _, changes = row.partition("\x03")
        subject, _, body = head.partition("\x01")
        added = [line[1:].strip() for line in changes.splitlines() if re.match(r"\+[^+]", line)]
        told = re.sub(r"^\s*(?:---)?\s*\w+:\s*-?", "", " ".join(added))
        yield told, Commit("", [], re.sub(r"\s*\(#\d+\)$", "", subject), body).text
