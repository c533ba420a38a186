"""The warm process that answers hooks."""
