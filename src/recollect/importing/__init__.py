"""Imports the stores of other tools as memories."""
