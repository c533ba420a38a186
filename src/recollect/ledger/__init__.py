"""Git as the store: memories as records in git notes, which no race, crash or merge can lose."""
