"""Capture: finds what a session leaves behind, redacts it, and stores it once."""
