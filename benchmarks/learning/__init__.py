"""Judged commits, and the weights that are fitted on them."""
