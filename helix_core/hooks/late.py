"""The status line of an agent whose end could not be written to the database yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helix_core import clock
from helix_core.hooks import extraction, handover
from helix_core.hooks.payload import agent_event
from helix_core.text import fields, markers, transcript


def write_status(home: Path, event: str, payload: dict[str, Any]) -> bool:
    """Append the status line from the payload alone; the spool brings the rest later."""
    found = agent_event(payload)
    if found is None:
        return False
    message = found.message or extraction.late_message(found)
    outcome = markers.read_outcome(message, f"helix-{found.role}")
    prompt = fields.read_prompt(transcript.first_prompt(found.transcript))
    state = extraction.state_of(found, message, outcome)
    if event == "StopFailure":
        state = "crashed"
    line = extraction.status_line(
        found,
        state,
        "self",
        outcome.summary,
        task_id=prompt.task_id,
        remaining=outcome.remaining,
        ts=clock.iso(clock.now()),
    )
    try:
        handover.append_status(home, line, once=True)
    except OSError:
        return False
    return True
