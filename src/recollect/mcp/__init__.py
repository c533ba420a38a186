"""The MCP server: tools for the agent, and a warm engine for its hooks."""
