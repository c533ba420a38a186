"""Typed memories: finding the memory to change, merge rules, and writes."""
