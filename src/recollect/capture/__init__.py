"""What a session leaves behind: noticed, cleaned, kept once."""
