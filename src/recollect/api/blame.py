"""Which memories speak about which lines of a file.

A memory that names the file belongs to a line in one of two ways: it was captured at the commit
that last changed the line, or it names a word of the line, such as a function, in code style.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from recollect.core.fields import check_path
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import parse_name
from recollect.core.patterns import pattern

if TYPE_CHECKING:
    from recollect.ledger.commits import Blamed
    from recollect.store.store import Store

_CODE = pattern(r"`([^`\n]{2,80})`")
_WORD = pattern(r"[^\W\d]\w{1,79}")
_MOST_WORDS = 20
_MOST_NEARBY = 100
_MOST_COMMITS = 900  # a query takes no more


class BlamedLines(NamedTuple):
    """Lines next to each other that one commit changed last: the first, the last, and who speaks.

    `lines` has the text of the lines. `memories` were captured at the commit. `named` are words of
    the lines that memories name, each with the memory and the number of the line.
    """

    first: int
    last: int
    commit: str
    lines: Sequence[str]
    memories: Sequence[Memory]
    named: Sequence[tuple[int, str, Memory]]


class Blame(NamedTuple):
    """What is known about a file: about its lines, and about the file as a whole."""

    path: str
    blocks: Sequence[BlamedLines]
    # The memories that name the file and belong to no line.
    others: Sequence[Memory]
    # The newest of those that name no file and were captured at the commit of a line.
    nearby: Sequence[Memory] = ()

    @property
    def memories(self) -> list[Memory]:
        """Every memory that names the file, once."""
        found = [memory for block in self.blocks for memory in block.memories]
        found += [memory for block in self.blocks for _, _, memory in block.named]
        return list({memory.uid: memory for memory in (*found, *self.others)}.values())


def blame(store: Store, path: str, limit: int | None = None, **filters: Any) -> Blame:
    """Return which memories speak about which lines of a file, as it is in the last commit.

    With a limit, only the newest memories that name the file.
    """
    from recollect.ledger.commits import blame_lines

    path = check_path(path)
    filters.setdefault("sensitivity", ("public",))
    is_own = store.ledger.repository.is_user_ledger
    lines = [] if is_own else blame_lines(store.ledger.repository.git, path)
    about = (
        store.memories(file=path, **filters)
        if limit is None
        else store.newest(limit, file=path, **filters)
    )
    at_commits = _by_commit(about)
    named = _named(lines, about)
    blocks = []
    for oid, numbered in groupby(enumerate(lines, 1), key=lambda pair: pair[1].oid):
        block = list(numbered)
        first, last = block[0][0], block[-1][0]
        words = [one for one in named if first <= one[0] <= last]
        texts = [line.text for _, line in block]
        blocks.append(BlamedLines(first, last, oid, texts, at_commits.get(oid, ()), words))
    placed = {memory.uid for block in blocks for memory in block.memories}
    placed |= {memory.uid for _, _, memory in named}
    others = [memory for memory in about if memory.uid not in placed]
    known = {memory.uid for memory in about}
    nearby = [
        memory
        for memory in _at_commits(store, {line.oid for line in lines}, filters)
        if memory.uid not in known and not (memory.files_modified or memory.files_read)
    ]
    return Blame(path, blocks, others, nearby)


def _at_commits(store: Store, oids: set[str], filters: dict[str, Any]) -> list[Memory]:
    """Return the newest memories that were captured at some commits."""
    if not oids:
        return []
    wanted = store.filters(**filters)._replace(anchors=frozenset(sorted(oids)[:_MOST_COMMITS]))
    now = store.now()
    return store.indexing.using(lambda index: index.newest(wanted, _MOST_NEARBY, now))


def _by_commit(memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    """Return memories by the commit that they were captured at."""
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        name = parse_name(memory.id)
        if name is not None:
            found.setdefault(name.anchor, []).append(memory)
    return found


def _named(lines: Sequence[Blamed], memories: Sequence[Memory]) -> list[tuple[int, str, Memory]]:
    """Return where words that memories write as code first stand in a file."""
    first: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        for word in _WORD.findall(line.text):
            first.setdefault(word, number)
    found: list[tuple[int, str, Memory]] = []
    for memory in memories:
        text = f"{memory.summary}\n{memory.text}"
        words = [word for code in _CODE.findall(text) for word in _WORD.findall(code)]
        asked = list(dict.fromkeys(words))[:_MOST_WORDS]
        found += [(first[word], word, memory) for word in asked if word in first]
    return sorted(found, key=lambda one: one[0])
