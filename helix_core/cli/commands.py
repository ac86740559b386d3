"""Every command, in the order `helix --help` shows them. Importing the modules declares them."""

from helix_core.cli import curating, doctor, figures, lookup, moving, operation, upkeep
from helix_core.cli.registry import COMMANDS

__all__ = ["COMMANDS", "curating", "doctor", "figures", "lookup", "moving", "operation", "upkeep"]
