"""Hosts: the agents that run our hooks. One package per agent, behind one protocol."""
