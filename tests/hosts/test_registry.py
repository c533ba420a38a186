"""Hosts: one folder each, and nothing about any of them anywhere else."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.hosts import environment, registry
from tests.sandbox import Sandbox

SOURCE = Path(registry.__file__).parents[1]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("package", registry.HOSTS)
def test_what_hosts_set_is_known_to_hooks(package: str) -> None:
    """What the code that has no time to load a host knows is what the hosts say."""
    host = registry.host(package)

    assert host.PROJECT_VARIABLE == environment.PROJECT_VARIABLE
    assert set(host.VARIABLES) <= set(environment.PREFIXES)


def test_every_folder_is_registered() -> None:
    """A folder that nobody names would never be used."""
    folders = {path.parent.name for path in (SOURCE / "hosts").glob("*/__init__.py")}

    assert folders == set(registry.HOSTS)


def test_no_host_outside_its_package() -> None:
    """Only `hosts` knows one: everything else asks the registry."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).parts[0] == "hosts"
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not inside:
                names = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
                hosts = [f"recollect.hosts.{package}" for package in registry.HOSTS]
                if any(name.startswith(host) for name in names for host in hosts):
                    found.add(f"{path.relative_to(SOURCE)}: {node.module}")

    assert not found


# What adding a host takes besides its folder: its name in the registry.
WITH_ACME = """
import sys, time
from recollect.hosts import registry
from tests.hosts import acme
sys.modules["recollect.hosts.acme"] = acme
registry.HOSTS = ("acme", *registry.HOSTS)
from recollect.hooks.runner import main
sys.exit(main(sys.argv[1:], time.time_ns() // 1_000_000))
"""


def test_a_third_host_keeps_and_recalls(sandbox: Sandbox) -> None:
    """A prompt of a host that is new is served like any other, in its own words."""
    repo = sandbox.init("repo")

    def hook(event: str, **payload: str) -> list[str]:
        given = json.dumps({"acme": 1, "talk": "t1", "place": str(repo), **payload}).encode()
        command = [sys.executable, "-c", WITH_ACME, event]
        environment = {**os.environ, "RECOLLECT_HOOK_DEADLINE": "20000"}
        done = subprocess.run(
            command, input=given, capture_output=True, cwd=ROOT, env=environment, check=True
        )
        return list(json.loads(done.stdout)["acme"])

    kept = hook("prompt", says="[remember:decisions] Ship with the blue pipeline on Fridays")
    recalled = hook("prompt", says="Which pipeline do we ship with on Fridays?", talk="t2")

    assert "decisions:" in kept[0]
    assert "blue pipeline" in "\n".join(recalled)
