"""The settings and variables for every git command: no command starts a program."""

from __future__ import annotations

import os

# Variables that a git command must not inherit from a git hook or an unusual shell.
DROPPED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_NOTES_REF",
    "GIT_LITERAL_PATHSPECS",
)
SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.useReplaceRefs=false",
    "core.fsmonitor=false",
    "core.fsync=all",
    "core.fsyncMethod=batch",
    "core.filesRefLockTimeout=1000",
    "core.packedRefsTimeout=5000",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "diff.ignoreSubmodules=all",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    "log.showSignature=false",
    "core.pager=cat",
)
# Programs that only the user's own commit may run.
NO_SIGNING = (
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "core.editor=false",
    "sequence.editor=false",
)
# Programs that only a connection may run.
NO_NETWORK = ("core.sshCommand=false", "core.askPass=", "credential.helper=")
# Without a connection, no transport is allowed. Git before 2.44 does not know GIT_NO_LAZY_FETCH and
# would fetch a missing object with whatever program the configuration names.
NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
