"""Settings through which a repository's own git configuration names a program to run.

`.git/config` never comes with a clone, but it does come with a copied `.git`: an archive, a shared
folder, a container image. So the repository's own settings start no program until you trust them
(`recollect config trust`). Your own settings (global, system, environment) keep working. This
module runs nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

# The scopes of `git config --show-scope` that belong to the repository, not to the user.
_OF_THE_REPOSITORY = frozenset({"local", "worktree"})
# What fetch and push can run.
_NETWORK = pattern(
    r"core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)\Z"
    r"|credential\.(?:.+\.)?helper\Z"
    r"|remote\.(?s:.+)\.(?:uploadpack|receivepack|vcs)\Z"
)
# What a commit on the user's branch can run.
_COMMIT = pattern(
    r"core\.(?:hookspath|editor)\Z"
    r"|gpg\.(?:.+\.)?program\Z|gpg\.ssh\.defaultkeycommand\Z"
    r"|filter\.(?s:.+)\.(?:clean|smudge|process)\Z"
)
# What `git repack` can run and no option can disable.
_REPACK = "gc.recentobjectshook"


class GitSetting(NamedTuple):
    """One line of `git config --list --show-scope`."""

    scope: str
    name: str
    value: str

    @property
    def is_of_the_repository(self) -> bool:
        """Whether it is in the repository's own configuration."""
        return self.scope in _OF_THE_REPOSITORY


class Neutral(NamedTuple):
    """What a command needs so that the repository's own settings start nothing."""

    settings: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    # A setting that cannot be overridden: the command must not run.
    refused: str = ""


def parse_settings(listed: bytes) -> list[GitSetting]:
    """Parse the output of `git config --list --show-scope -z`."""
    parts = listed.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for scope, said in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = said.partition("\n")
        found.append(GitSetting(scope, name, value))
    return found


def programs(settings: Sequence[GitSetting]) -> list[GitSetting]:
    """Return the repository's own settings that name a program."""
    return [
        setting
        for setting in settings
        if setting.is_of_the_repository
        and setting.value
        and (_NETWORK.match(setting.name) or _COMMIT.match(setting.name) or setting.name == _REPACK)
    ]


def digest_of(found: Sequence[GitSetting]) -> str:
    """Return a digest that identifies a set of settings; empty for none."""
    if not found:
        return ""
    import hashlib

    said = "\0".join(f"{setting.name}\n{setting.value}" for setting in found)
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def neutral_network(
    settings: Sequence[GitSetting], environment: Mapping[str, str], verb: str
) -> Neutral:
    """Return how to fetch or push with only the user's own programs."""
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
        surroundings.append(("GIT_PROXY_COMMAND", ""))  # the first setting wins, so none may remain
    if any(name.startswith("credential.") for name in names):
        overruled.append(("credential.helper", ""))  # an empty value resets all earlier ones
        overruled += [
            (setting.name, setting.value)
            for setting in own
            if setting.name.startswith("credential.") and setting.name.endswith("helper")
        ]
    if verb in ("fetch", "ls-remote") and any(name.endswith(".uploadpack") for name in names):
        options.append("--upload-pack=git-upload-pack")
    if verb == "push" and any(name.endswith(".receivepack") for name in names):
        options.append("--receive-pack=git-receive-pack")
    refused = next((name for name in sorted(names) if name.endswith(".vcs")), "")
    return Neutral(tuple(overruled), tuple(surroundings), tuple(options), refused)


def _last(settings: Sequence[GitSetting], name: str) -> str:
    return next((one.value for one in reversed(settings) if one.name == name), "")


def neutral_repack(settings: Sequence[GitSetting]) -> Neutral:
    """Return how to repack without the repository's settings."""
    found = any(one.name == _REPACK for one in programs(settings))
    return Neutral(refused=_REPACK if found else "")


def as_variables(
    settings: Sequence[tuple[str, str]], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return settings as environment variables, after existing ones; names may be any text."""
    count = environment.get("GIT_CONFIG_COUNT", "0")
    first = int(count) if count.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(settings))} if settings else {}
    for number, (name, value) in enumerate(settings, first):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables
