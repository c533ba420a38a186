"""granite-embedding-30m-english, the default model."""
