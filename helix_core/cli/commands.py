"""Every command, in the order `helix --help` shows them. Importing the modules declares them."""

from helix_core.cli import (
    curating,
    dag,
    figures,
    learning,
    lookup,
    operation,
    recalling,
    sessions,
    upkeep,
)
from helix_core.cli.registry import COMMANDS

__all__ = [
    "COMMANDS",
    "curating",
    "dag",
    "figures",
    "learning",
    "lookup",
    "operation",
    "recalling",
    "sessions",
    "upkeep",
]
