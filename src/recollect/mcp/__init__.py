"""The MCP server: tools for the agent, and the warm engine for its hooks."""
