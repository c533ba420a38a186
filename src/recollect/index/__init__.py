"""The derived index: fast, disposable, rebuilt from the ledger at any time."""
