"""Settings by which a repository's own git configuration names a program to run.

`.git/config` never comes with a clone, but it comes with a copied `.git`: an archive, a shared
folder, a container image. So settings of the repository itself start no program until the person
trusts them (`recollect config trust`). The person's own settings (global, system, environment)
keep working. Nothing here runs anything.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.core.patterns import pattern

# The scopes of `git config --show-scope` that belong to the repository and not to the person.
_OF_THE_REPOSITORY = frozenset({"local", "worktree"})
# What fetch and push can run.
_NETWORK = pattern(
    r"core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)\Z"
    r"|credential\.(?:.+\.)?helper\Z"
    r"|remote\.(?s:.+)\.(?:uploadpack|receivepack|vcs)\Z"
)
# What a commit on the person's branch can run.
_COMMIT = pattern(
    r"core\.(?:hookspath|editor)\Z"
    r"|gpg\.(?:.+\.)?program\Z|gpg\.ssh\.defaultkeycommand\Z"
    r"|filter\.(?s:.+)\.(?:clean|smudge|process)\Z"
)
# What `git repack` can run, and nothing can switch off.
_REPACK = "gc.recentobjectshook"


class GitSetting(NamedTuple):
    """One line of `git config --list --show-scope`."""

    scope: str
    name: str
    value: str

    @property
    def is_of_the_repository(self) -> bool:
        """Whether it stands in the repository's own configuration."""
        return self.scope in _OF_THE_REPOSITORY


class Neutral(NamedTuple):
    """What a command needs so that the repository's own settings start nothing."""

    settings: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    # A setting that cannot be overruled: the command must not run.
    refused: str = ""


def parse_settings(listed: bytes) -> list[GitSetting]:
    """The settings that `git config --list --show-scope -z` prints."""
    parts = listed.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for scope, said in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = said.partition("\n")
        found.append(GitSetting(scope, name, value))
    return found


def programs(settings: Sequence[GitSetting]) -> list[GitSetting]:
    """The repository's own settings that name a program."""
    return [
        setting
        for setting in settings
        if setting.is_of_the_repository
        and setting.value
        and (_NETWORK.match(setting.name) or _COMMIT.match(setting.name) or setting.name == _REPACK)
    ]


def digest_of(found: Sequence[GitSetting]) -> str:
    """By which a set of settings is known again; empty for none."""
    if not found:
        return ""
    import hashlib

    said = "\0".join(f"{setting.name}\n{setting.value}" for setting in found)
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def neutral_network(
    settings: Sequence[GitSetting], environment: Mapping[str, str], verb: str
) -> Neutral:
    """How to fetch or push with the person's own programs only."""
    named = [setting for setting in programs(settings) if _NETWORK.match(setting.name)]
    names = {setting.name for setting in named}
    own = [setting for setting in settings if not setting.is_of_the_repository]
    overruled: list[tuple[str, str]] = []
    surroundings: list[tuple[str, str]] = []
    options: list[str] = []
    if "core.sshcommand" in names:
        ssh = shlex.quote(environment.get("GIT_SSH") or "ssh")
        overruled.append(("core.sshCommand", _last(own, "core.sshcommand") or ssh))
    if "core.askpass" in names:
        overruled.append(("core.askPass", _last(own, "core.askpass")))
    if "core.alternaterefscommand" in names:
        command = _last(own, "core.alternaterefscommand") or "true"
        overruled.append(("core.alternateRefsCommand", command))
    if "core.gitproxy" in names and "GIT_PROXY_COMMAND" not in environment:
        surroundings.append(("GIT_PROXY_COMMAND", ""))  # the first setting wins, so none may
    if any(name.startswith("credential.") for name in names):
        overruled.append(("credential.helper", ""))  # an empty one takes back all before it
        overruled += [
            (setting.name, setting.value)
            for setting in own
            if setting.name.startswith("credential.") and setting.name.endswith("helper")
        ]
    if verb == "fetch" and any(name.endswith(".uploadpack") for name in names):
        options.append("--upload-pack=git-upload-pack")
    if verb == "push" and any(name.endswith(".receivepack") for name in names):
        options.append("--receive-pack=git-receive-pack")
    refused = next((name for name in sorted(names) if name.endswith(".vcs")), "")
    return Neutral(tuple(overruled), tuple(surroundings), tuple(options), refused)


def _last(settings: Sequence[GitSetting], name: str) -> str:
    return next((one.value for one in reversed(settings) if one.name == name), "")


def neutral_repack(settings: Sequence[GitSetting]) -> Neutral:
    """A repack runs where no setting of the repository has a say in it."""
    found = any(one.name == _REPACK for one in programs(settings))
    return Neutral(refused=_REPACK if found else "")


def as_variables(
    settings: Sequence[tuple[str, str]], environment: Mapping[str, str]
) -> dict[str, str]:
    """Settings as variables, after those that are there: a name may hold any character."""
    count = environment.get("GIT_CONFIG_COUNT", "0")
    first = int(count) if count.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))} if settings else {}
    for number, (name, value) in enumerate(settings, first):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
