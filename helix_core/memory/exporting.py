"""What a memory looks like outside of its database: JSON Lines with its history, or Markdown.

Read only. Vectors are left out: they belong to a model, and are made anew where the lines arrive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import helix_core
from helix_core import constants, formulas
from helix_core.constants import PROVEN_FROM
from helix_core.errors import RefusedError
from helix_core.memory import evidence, remember
from helix_core.memory.context import Memory
from helix_core.memory.evidence import Evidence
from helix_core.model import Insight
from helix_core.store import carried, curation, insights
from helix_core.text import clean
from helix_core.text.carried import FORMAT, VERSION
from helix_core.text.wording import counted

MARK = "<!-- helix export -->"
DOUBTFUL_UNDER = 0.40


def records(mem: Memory) -> Iterator[dict[str, Any]]:
    """Every record of an export, its header first."""
    yield {
        "kind": "header",
        "format": FORMAT,
        "version": VERSION,
        "helix": helix_core.__version__,
        "exported_at": mem.moment,
    }
    yield from carried.all_records(mem.conn, mem.moment)


def as_lines(mem: Memory) -> str:
    """The memory as JSON Lines: insights, edges, feedback events, revisions, rejections."""
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records(mem))


def as_markdown(mem: Memory) -> str:
    """The memory as a text for people: the proven first, each with what it has shown."""
    rows = insights.all_insights(mem.conn)
    known = evidence.of_insights(mem.conn, rows)
    parts: dict[str, list[Insight]] = {
        "Proven": [],
        "Untried": [],
        "In between": [],
        "Doubtful": [],
    }
    for row in sorted(rows, key=lambda one: (-adjusted(one), one.id)):
        parts[_standing(row)].append(row)
    lines = [MARK, f"# What helix knows about {clean.fold(mem.project.root.name)}", ""]
    lines += [f"{counted(len(rows), 'insight')} on {mem.moment[:10]}.", ""]
    for title, chosen in parts.items():
        if chosen:
            lines += [f"## {title}", "", *(_item(row, known[row.id]) for row in chosen), ""]
    return "\n".join(lines)


def adjusted(row: Insight) -> float:
    """The causally adjusted effectiveness that every surface shows."""
    return formulas.causal_adjusted(row.effectiveness, row.use_count, row.causal_hits)


def _standing(row: Insight) -> str:
    if row.use_count < constants.CAUSAL_MIN_USES:
        return "Untried"
    if adjusted(row) >= PROVEN_FROM:
        return "Proven"
    return "Doubtful" if adjusted(row) < DOUBTFUL_UNDER else "In between"


def _item(row: Insight, proof: Evidence) -> str:
    tags = f"; {', '.join(row.tags)}" if row.tags else ""
    pinned = "; pinned" if row.pinned else ""
    return (
        f"- {clean.fold(row.content)}\n"
        f"  ({round(adjusted(row) * 100)}%; helped in {proof.helped:.1f} of {proof.n:.1f} tasks;"
        f" `{row.name}`{clean.fold(tags)}{pinned})"
    )


def promoted(mem: Memory, name: str) -> dict[str, Any]:
    """A proven insight as a line for CLAUDE.md, with its evidence. Nothing is written.

    Proven is what `helix health` counts as such. Raises RefusedError for one that is not, for one
    that the scanner would not let in today, and where there is none of that name.
    """
    row = curation.required(mem.conn, name)
    refused = remember.refusal(row.content, row.tags)
    if refused:
        raise RefusedError(f"{name} is refused today ({refused}); nothing to promote")
    proof = evidence.of_insights(mem.conn, [row])[row.id]
    if _standing(row) != "Proven":
        raise RefusedError(
            f"{name} is not proven: {round(adjusted(row) * 100)}% after"
            f" {counted(row.use_count, 'use')};"
            f" it takes {PROVEN_FROM:.0%} after {constants.CAUSAL_MIN_USES} or more"
        )
    says = (
        f"helix: {round(adjusted(row) * 100)}%, helped in {proof.helped:.1f} of {proof.n:.1f} tasks"
        f" (90%: {proof.low:.0%} to {proof.high:.0%}), {mem.moment[:10]}, {name}"
    )
    text = clean.fold(row.content).replace("<!--", "").replace("-->", "")
    return {"name": name, "line": f"- {text} <!-- {_safe(says)} -->", "evidence": says}


def _safe(text: str) -> str:
    """A text that cannot end the comment it stands in."""
    return clean.fold(text).replace("--", "-").replace(">", "")
