"""A mirror of the notes of a remote: a bare repository that has what the remote has, and no more.

A clone joins what it fetches with what it has. A mirror has nothing of its own, so it takes the
remote's refs as they are: whatever is gone there is gone here, objects included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from recollect.config.locate import make_private
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import parse_note
from recollect.core.places import SHARED
from recollect.errors import GitFailed, NotWritable, SyncError
from recollect.ledger.git import Git
from recollect.ledger.git_objects import failure
from recollect.ledger.ledger import Ledger
from recollect.ledger.merge import diff_trees
from recollect.ledger.refs import PREFIXES, SEEN_PREFIXES, Key, Swap, Tip, list_tips, swap_refs
from recollect.ledger.remote import find_remote, push
from recollect.ledger.repository import Repository
from recollect.ledger.tree import anchor_of

_GC_SECONDS = 3600.0
_CHECK_SECONDS = 30.0
_SETTLED = "followed.json"
_SHA256_LENGTH = 64


class Taken(NamedTuple):
    """What a look at the remote brought: whether anything changed, and whether records are gone."""

    changed: bool = False
    removed: bool = False


def open_mirror(path: Path, url: str, environment: Mapping[str, str], timeout: float) -> Repository:
    """Return the mirror of a remote at a path; create it on first use."""
    quiet = {**environment, "GIT_TERMINAL_PROMPT": "0"}  # nobody is there to type a password
    is_there = (path / "HEAD").is_file()
    if not is_there:
        try:
            make_private(path.parent)
        except OSError as error:
            raise NotWritable(f"Cannot create {path.parent}: {error.strerror}") from None
        around = Git(path.parent, timeout=timeout, environment=quiet)
        around.run(
            *("init", "--quiet", "--bare", "--template=", "--initial-branch=main"),
            f"--object-format={_object_format(around, url, timeout)}",
            str(path),
        )
    git = Git(path, git_dir=path, timeout=timeout, environment=quiet)
    format_ = git.run("rev-parse", "--show-object-format").decode("ascii").strip()
    return Repository(git=git, git_dir=path, common_dir=path, object_format=format_)


def check_remote(folder: Path, url: str, environment: Mapping[str, str]) -> None:
    """Raise an error if a remote cannot be read from here."""
    quiet = {**environment, "GIT_TERMINAL_PROMPT": "0"}
    _object_format(Git(folder, environment=quiet), url, _CHECK_SECONDS)


def _object_format(git: Git, url: str, timeout: float) -> str:
    """Ask the remote how long its ids are."""
    try:
        listed = git.run("ls-remote", "--quiet", "--", url, network=True, timeout=timeout)
    except GitFailed as error:
        raise _unreadable(url, error) from None
    return "sha256" if len(listed.split(b"\t")[0]) == _SHA256_LENGTH else "sha1"


def follow(repository: Repository, url: str, timeout: float) -> Taken:
    """Make the mirror equal to the remote, without its history.

    Call `settle` when everything that depends on the mirror has followed. Until then, what was
    there before counts as known, also if this process is killed.
    """
    git = repository.git
    try:
        fetched = git.result(
            "fetch",
            "--quiet",
            "--depth=1",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--prune",
            "--refmap=",
            "--",
            url,
            # Both: what was seen last is what is there, so that nothing old is joined with it.
            f"+{PREFIXES[SHARED]}*:{PREFIXES[SHARED]}*",
            f"+{PREFIXES[SHARED]}*:{SEEN_PREFIXES[SHARED]}*",
            ok=(0, 1),
            network=True,
            timeout=timeout,
        )
        # Git says 1, and no word, if there is nothing to fetch; then it prunes nothing, either.
        if fetched.returncode == 1:
            if fetched.stderr.strip() or _listed(git, url, timeout):
                raise failure(("fetch",), 1, fetched.stderr)
            _drop_all(git)
    except GitFailed as error:
        raise _unreadable(url, error) from None
    before, after = _settled(repository), _trees(git)
    if before == after:
        return Taken()
    is_known = before is not None
    return Taken(True, not is_known or _lost_records(repository, before or {}, after))


def _listed(git: Git, url: str, timeout: float) -> bytes:
    """What a remote has under our prefix."""
    wanted = f"{PREFIXES[SHARED]}*"
    return git.run("ls-remote", "--quiet", "--", url, wanted, network=True, timeout=timeout)


def _drop_all(git: Git) -> None:
    """Delete every ref: the remote has none."""
    tips = list_tips(git, PREFIXES[SHARED], SEEN_PREFIXES[SHARED])
    if tips:
        swap_refs(git, [Swap(ref, None, tip.commit) for ref, tip in tips.items()], "follow")


def settle(repository: Repository, *, erases: bool) -> None:
    """Record that everything has followed; with `erases`, erase what no ref leads to."""
    if erases:
        git = repository.git
        git.run("reflog", "expire", "--expire=all", "--all", detached=True, ok=(0, 1, 128, 255))
        git.run("gc", "--quiet", "--prune=now", timeout=_GC_SECONDS, detached=True)
    path = repository.state_dir / _SETTLED
    make_private(path.parent)
    written = path.with_suffix(".new")
    written.write_text(json.dumps(_trees(repository.git)), "utf-8")
    written.replace(path)


def unsettle(repository: Repository) -> None:
    """Forget what had followed: the next `settle` erases whatever is left of what comes now."""
    (repository.state_dir / _SETTLED).unlink(missing_ok=True)


def push_written(ledger: Ledger, url: str, before: Mapping[str, Tip], timeout: float) -> str:
    """Push what was written into a mirror since `before`; return why it was rejected, or empty."""
    git = ledger.repository.git
    prefix = SEEN_PREFIXES[SHARED]
    theirs = {ref.removeprefix(prefix): tip for ref, tip in before.items()}
    keys = [
        Key(SHARED, ref.removeprefix(prefix))
        for ref, tip in list_tips(git, prefix).items()
        if before.get(ref) != tip
    ]
    return push(ledger, find_remote(git, url), keys, theirs, timeout)


def seen_tips(repository: Repository) -> dict[str, Tip]:
    """Return what the remote had when it was last looked at."""
    return list_tips(repository.git, SEEN_PREFIXES[SHARED])


def _settled(repository: Repository) -> dict[str, str] | None:
    """Return the trees that everything had followed; None if that is not known."""
    try:
        found = json.loads((repository.state_dir / _SETTLED).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return {str(ref): str(tree) for ref, tree in found.items()}


def _trees(git: Git) -> dict[str, str]:
    return {ref: tip.tree for ref, tip in list_tips(git, PREFIXES[SHARED]).items()}


def _unreadable(url: str, error: GitFailed) -> SyncError:
    return SyncError(
        f"The remote {url} cannot be read: {error.message}",
        "Check it on the server, as the user that runs it: git ls-remote URL 'refs/notes/mem/*'",
    )


def _lost_records(
    repository: Repository, before: Mapping[str, str], after: Mapping[str, str]
) -> bool:
    """Whether a record that was there is in no note of its commit any more."""
    git, empty = repository.git, repository.project_anchor
    pairs = [(tree, after.get(ref, empty)) for ref, tree in before.items()]
    try:
        diffs = list(diff_trees(git, pairs))
    except GitFailed:
        return True  # it cannot be told, so nothing old stays
    for diff in diffs:
        changed: dict[str, tuple[list[str], list[str]]] = {}
        for change in diff:
            anchor = anchor_of(change.path, len(empty)) or change.path
            olds, news = changed.setdefault(anchor, ([], []))
            olds += [change.old] if change.old else []
            news += [change.new] if change.new else []
        for olds, news in changed.values():
            if _uids(git, olds) - _uids(git, news):
                return True
    return False


def _uids(git: Git, oids: list[str]) -> set[str]:
    texts = (data.decode("utf-8", "surrogateescape") for data in git.read_all(oids) if data)
    return {uid for text in texts for uid in parse_note(text)}
