"""The keys: one module per view and one for everywhere. Standard library only."""
