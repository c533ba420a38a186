"""One repository's ledger, index, local state and configuration, wired together."""
