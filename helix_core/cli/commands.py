"""Every command, in the order `helix --help` shows them. Importing the modules declares them."""

from helix_core.cli import (
    curating,
    dag,
    doctor,
    figures,
    learning,
    lookup,
    moving,
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
    "doctor",
    "figures",
    "learning",
    "lookup",
    "moving",
    "operation",
    "recalling",
    "sessions",
    "upkeep",
]
