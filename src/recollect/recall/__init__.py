"""What helps now: search, fusion and scoring."""
