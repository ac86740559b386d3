"""The embedding model and the one worker that holds it."""
