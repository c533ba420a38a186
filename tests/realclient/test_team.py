"""Two people with the real client, each with a token of their own, and one server of a team."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.realclient.api import Request, Script, say, use
from tests.realclient.workplace import Workplace
from tests.server.place import TeamPlace
from tests.support.postgres import Server, new_database

SERVER = "mcp__team__"


@pytest.fixture
def team(
    isolated: Path, tmp_path_factory: pytest.TempPathFactory, postgres: Server
) -> Iterator[TeamPlace]:
    """A server for three repositories."""
    with new_database(postgres) as url:
        found = TeamPlace(tmp_path_factory.mktemp("team"), url)
        with found.running():
            yield found


def _results(request: Request) -> str:
    """What the tools said, as the model got it."""
    return json.dumps(
        [
            block["content"]
            for message in request.body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
    )


def test_each_person_sees_their_repositories(place: Workplace, team: TeamPlace) -> None:
    """The client connects over HTTP with the header of its settings, and calls the tools."""
    for person, mine, others in (
        ("Ada", ("billing", "web"), ("infra",)),
        ("Bob", ("infra",), ("billing", "web")),
    ):
        server = {
            "type": "http",
            "url": f"{team.address}/mcp",
            "headers": {"Authorization": f"Bearer {team.token(person, *mine)}"},
        }
        settings = place.root / f"{person}.json"
        settings.write_text(json.dumps({"mcpServers": {"team": server}}))
        place.api.play(
            Script(
                [
                    use(f"{SERVER}search_memories", query="PostgreSQL", all=True),
                    use(f"{SERVER}list_memories", repository=others[0]),
                    say("Done."),
                ]
            )
        )

        options = ("--mcp-config", str(settings), "--allowedTools", f"{SERVER}*")
        run = place.ask("Which data are in PostgreSQL?", options=options)

        said = _results(run.main[-1])
        assert all(f"for the data of {name}" in said for name in mine), said
        assert not any(f"for the data of {name}" in said for name in others), said
        assert "There is no repository" in said
