"""helix: the memory and the hook logic. Imports nothing here, so that a hook pays for nothing."""

__version__ = "0.1.0"
