"""Configuration: the keys, the files, and where each value comes from."""
