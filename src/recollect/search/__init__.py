"""Search, and the selection of what an agent gets to read."""
