"""Recollect's search beside other memories for agents, each in an environment of its own."""
