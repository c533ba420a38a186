"""The example in docs/team, as far as no container engine is needed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from recollect.server.settings import DATABASE, read_settings

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "team"


def test_its_file_is_what_the_server_reads() -> None:
    """With the variables that compose.yaml sets; other machines reach it through the container."""
    compose = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())
    environment = compose["services"]["server"]["environment"]

    found = read_settings(EXAMPLE / "team.toml", {DATABASE: environment[DATABASE]})

    assert (found.host, found.port, found.public) == ("0.0.0.0", 8321, True)
    mounted = [volume.split(":")[1] for volume in compose["services"]["server"]["volumes"]]
    assert str(found.data) in mounted
    commands = (EXAMPLE / "Dockerfile").read_text()
    assert any(f'"{path}"' in commands for path in mounted if path.endswith(".toml"))


def test_its_addresses_and_names_fit_together() -> None:
    """The port, the route of the health check, the volumes, and the names of the services."""
    compose = yaml.safe_load((EXAMPLE / "compose.yaml").read_text())
    database, server = (compose["services"][name] for name in ("database", "server"))
    found = read_settings(EXAMPLE / "team.toml", {DATABASE: "postgresql:///x"})
    routes = (ROOT / "src/recollect/server/application.py").read_text()

    address = urlsplit(server["environment"][DATABASE])
    assert (address.hostname, address.username) == (
        "database",
        database["environment"]["POSTGRES_USER"],
    )
    assert address.path == f"/{database['environment']['POSTGRES_DB']}"
    assert server["ports"] == [f"127.0.0.1:{found.port}:{found.port}"]
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", server["healthcheck"]["test"][-1])
    assert asked
    assert int(asked[1]) == found.port
    assert f'Route("{asked[2]}"' in routes
    mounted = [volume for one in (database, server) for volume in one["volumes"]]
    assert {v.split(":")[0] for v in mounted if not v.startswith(".")} == set(compose["volumes"])
    assert (EXAMPLE / server["build"]["context"] / server["build"]["dockerfile"]).exists()


def test_its_image_gets_everything_that_a_build_reads() -> None:
    """What pyproject.toml names is copied, and what is copied exists."""
    lines = re.findall(r"^COPY (.+) \S+$", (EXAMPLE / "Dockerfile").read_text(), re.MULTILINE)
    copied = {name for line in lines for name in line.split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert all((ROOT / name).exists() for name in copied)
    named = [
        *wheel["force-include"],
        *wheel["shared-scripts"],
        *wheel["packages"],
        *project["project"]["license-files"],
        project["project"]["readme"],
    ]
    missing = [n for n in named if not any(Path(n).is_relative_to(one) for one in copied)]
    assert missing == []
