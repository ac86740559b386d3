"""A whole scripted session through the real hooks, to see the loop turn."""
