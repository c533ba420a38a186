"""The derived index: fast, disposable, and rebuilt from the ledger at any time."""
