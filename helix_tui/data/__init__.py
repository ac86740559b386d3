"""Reading and changing the memory for the dashboard. May import helix_core, state and messages."""
