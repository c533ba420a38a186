"""The index in PostgreSQL with pgvector, for a team or for many repositories."""
