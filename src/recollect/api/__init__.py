"""The one object that every surface calls."""
