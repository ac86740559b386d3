"""Every command, in the groups in which `helix --help` shows them.

Importing the modules declares the commands.
"""

from helix_core.cli import (
    curating,
    dag,
    doctor,
    explaining,
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
    "GROUPS",
    "curating",
    "dag",
    "doctor",
    "explaining",
    "figures",
    "learning",
    "lookup",
    "moving",
    "operation",
    "recalling",
    "sessions",
    "upkeep",
]

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Look things up", ("recall", "get", "history", "neighbors", "explain", "sessions", "count")),
    (
        "Put in, correct, take back",
        (
            *("store", "edit", "tag", "feedback", "merge", "pin", "unpin"),
            *("trash", "restore", "undo"),
        ),
    ),
    ("See how it does", ("health", "stats", "session")),
    ("Answer its questions", ("learn",)),
    ("Keep it and move it", ("export", "import", "promote", "backup", "restore-backup")),
    ("Set it up and mend it", ("demo", "doctor", "setup", "config", "worker")),
    ("Upkeep, else done by itself", ("decay", "prune", "synthesize", "reindex", "calibrate")),
    (
        "What the orchestrator and the hooks call",
        ("strategic-recall", "recall-synthesis", "batch-inject", "dag", "hook"),
    ),
)
"""Every command once: the title of each group, and its commands in the order of their use."""
