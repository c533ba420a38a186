"""Typed memories: candidates, merge rules and writes of documents."""
