"""Git as the store: memories are records in git notes, safe from races, crashes and merges."""
