"""Importers: other systems' stores as memories."""
