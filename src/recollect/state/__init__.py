"""Local state that is not derived from the ledger: usage, sessions, the spool."""
