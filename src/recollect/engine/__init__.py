"""The engine: a warm process that serves hooks, with stores open and a model loaded."""
