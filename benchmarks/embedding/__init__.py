"""How the default model is tuned for what developers ask about a project's past."""
