"""One file per agent: its stdin JSON to an event, our reply to its stdout JSON."""
