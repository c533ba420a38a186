"""Twelve scripted working days with the real client, and what should be remembered of them."""
