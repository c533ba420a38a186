"""Sleep: merges similar memories, archives stale ones, and finds where episodes of work end."""
