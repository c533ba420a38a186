"""Search and selection: what answers a query, and what an agent gets to read."""
