"""The table of operations. Standard library only; knows none of the operations itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from helix_core.memory.context import Memory

Operation = Callable[[Memory, dict[str, Any]], Any]
OPERATIONS: dict[str, Operation] = {}


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register an operation under the name requests use."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register
