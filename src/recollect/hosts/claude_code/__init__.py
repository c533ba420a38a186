"""Claude Code: its events, replies, transcripts and installation."""
