"""Every command, in the order `helix --help` shows them. Importing the modules declares them."""

from helix_core.cli import lookup, operation, upkeep
from helix_core.cli.registry import COMMANDS

__all__ = ["COMMANDS", "lookup", "operation", "upkeep"]
