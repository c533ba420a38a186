"""Health checks around a ledger: harmful configuration, blocking refs, missing blobs.

Nothing here changes anything; each finding says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.core.named_tuple import NamedTuple
from recollect.ledger.ledger import Ledger
from recollect.ledger.refs import MISSING, PREFIXES, SEEN_PREFIXES, list_refs, without_bad_names

OLDEST_GIT = (2, 34)
PROBLEM = "problem"
WARNING = "warning"
OK = "ok"


class Finding(NamedTuple):
    """The result of one check."""

    level: str
    check: str
    message: str
    hint: str = ""
    # The uids of the records or memories that it is about, where they can be named.
    ids: tuple[str, ...] = ()


def check_surroundings(ledger: Ledger) -> Iterator[Finding]:
    """Check git itself, the configuration and the refs."""
    git = ledger.repository.git
    words = git.run("version").decode().split()
    version = tuple(int(n) for n in re.findall(r"\d+", words[2])[:2])
    if version < OLDEST_GIT:
        yield Finding(PROBLEM, "git", f"git {words[2]} is too old.", "Install git 2.34 or newer.")
    else:
        yield Finding(OK, "git", f"git {words[2]}")
    where = "the user ledger" if ledger.repository.is_user_ledger else "this repository"
    yield Finding(OK, "ledger", f"Memories are kept in {where}: {ledger.repository.common_dir}")
    yield from _check_configuration(ledger)
    yield from _check_refs(ledger)


def _check_configuration(ledger: Ledger) -> Iterator[Finding]:
    out = ledger.repository.git.run("config", "--list", "-z", ok=(0, 1)).decode("utf-8", "replace")
    entries = [entry.partition("\n")[::2] for entry in out.split("\0") if entry]
    found = False
    for name, value in entries:
        finding = _check_setting(name, value)
        if finding is not None:
            found = True
            yield finding
    if not found:
        yield Finding(OK, "configuration", "Nothing in git's configuration harms the notes.")


def _check_setting(name: str, value: str) -> Finding | None:
    lowered = name.lower()
    if lowered.startswith("remote.") and lowered.endswith(".fetch"):
        target = value.partition(":")[2]
        if target.startswith("refs/notes") or target == "refs/*":
            return Finding(
                WARNING,
                "configuration",
                f"{name} = {value} lets a fetch overwrite notes. Recollect restores what it has"
                " seen, but perhaps not what others add with plain git.",
                "Remove that refspec; `recollect sync` needs none.",
            )
    if lowered.startswith("remote.") and lowered.endswith(".push"):
        source = value.removeprefix("+").partition(":")[0]
        if source.startswith("refs/notes") or source == "refs/*":
            return Finding(
                WARNING,
                "configuration",
                f"{name} = {value} lets `git push` send notes, private memories included.",
                "Remove that refspec; `recollect sync` needs none.",
            )
    if lowered.startswith("remote.") and lowered.endswith(".mirror") and value == "true":
        return Finding(
            WARNING,
            "configuration",
            f"{name} is on: `git push` to it copies every ref, private memories included.",
            "Turn it off, or keep private memories out of this clone.",
        )
    if lowered.startswith("notes.") and value == "cat_sort_uniq":
        return Finding(
            WARNING,
            "configuration",
            f"{name} = cat_sort_uniq sorts the lines of notes that git merges or rewrites.",
            "Use `union` or `concatenate`, which do no harm.",
        )
    return None


def _check_refs(ledger: Ledger) -> Iterator[Finding]:
    git = ledger.repository.git
    tips, bad = without_bad_names(list_refs(git, *PREFIXES.values(), *SEEN_PREFIXES.values()))
    for ref, problem in sorted(bad.items()):
        repair = "Run `recollect repair`, or remove"
        yield Finding(
            PROBLEM,
            "refs",
            f"The ref {ref} {problem}. It is skipped; the other kinds work.",
            f"{repair if problem == MISSING else 'Remove'} it with: git update-ref -d {ref}",
        )
    for space, seen_prefix in SEEN_PREFIXES.items():
        exact = PREFIXES[space].rstrip("/")
        if exact in tips:
            yield Finding(
                PROBLEM,
                "refs",
                f"The ref {exact} blocks the ledger's refs.",
                f"Rename it: git update-ref {exact}-old {exact} && git update-ref -d {exact}",
            )
        for ref in (ref for ref in tips if ref.startswith(PREFIXES[space])):
            seen = seen_prefix + ref.removeprefix(PREFIXES[space])
            if tips.get(seen) != tips[ref] and seen not in bad:
                yield Finding(
                    WARNING,
                    "refs",
                    f"{ref} was moved by another program.",
                    "The next recollect command merges both. Nothing is lost.",
                )
    count = sum(ref.startswith(tuple(PREFIXES.values())) for ref in tips)
    yield Finding(OK, "refs", f"Kinds with notes: {count}")
