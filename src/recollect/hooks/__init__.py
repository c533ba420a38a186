"""Hooks: what Recollect does at each event of an agent's session."""
