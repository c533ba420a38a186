"""MCP over streamable HTTP, at `/mcp`, with the official SDK.

Without sessions: each request carries its token and stands alone, so that any worker answers it,
and a revoked token ends with the next one.
"""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from recollect.server.people import Person
from recollect.server.tools import INSTRUCTIONS, Services, call, listing
from recollect.version import __version__

MOST_BODY = 1 << 18


def make_endpoint(services: Services) -> StreamableHTTPSessionManager:
    """Return what answers requests to `/mcp`; `request.state.person` says who asks."""

    async def list_tools(context: Any, _params: Any) -> types.ListToolsResult:
        can_write = person_of(context).can_write and services.writing.is_on
        tools = [types.Tool(**one) for one in listing(can_write=can_write)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        person = person_of(context)
        outcome = await to_thread.run_sync(call, services, person, params.name, params.arguments)
        text = types.TextContent(type="text", text=outcome.text)
        return types.CallToolResult(content=[text], is_error=outcome.is_error)

    server: Server[Any] = Server(
        "recollect",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        # `Host` and `Origin` are checked for all routes, before this.
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=MOST_BODY,
    )


def person_of(context: Any) -> Person:
    """Return who sent the request that a handler serves."""
    person = context.request.state.person
    assert isinstance(person, Person)
    return person
