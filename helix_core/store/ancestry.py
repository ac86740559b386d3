"""SQL for where insights come from: `led_to` edges, those of the trash included.

Standard library only. A lesson whose parent was pruned still has that parent; a parent that was
merged lives on in the insight it was merged into.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from helix_core import formulas
from helix_core.store import cells

PARENTS = (
    "SELECT dst_id, src_id FROM insight_edges e WHERE relation = 'led_to'"
    " AND dst_id IN (SELECT value FROM json_each(:ids))"
    " AND EXISTS (SELECT 1 FROM insight i WHERE i.id = e.src_id)"
    " UNION SELECT json_extract(e.value, '$[1]'), t.insight_id FROM trash t, json_each(t.edges) e"
    " WHERE t.merged_into IS NULL AND json_extract(e.value, '$[0]') = t.insight_id"
    " AND json_extract(e.value, '$[3]') = 'led_to'"
    " AND json_extract(e.value, '$[1]') IN (SELECT value FROM json_each(:ids))"
    " ORDER BY 1, 2"
)
STANDING = (
    "SELECT id, name, effectiveness, use_count, causal_hits, 0 FROM insight"
    " WHERE id IN (SELECT value FROM json_each(:ids))"
    " UNION ALL SELECT insight_id, name, json_extract(columns, '$.effectiveness'),"
    " json_extract(columns, '$.use_count'), json_extract(columns, '$.causal_hits'), 1 FROM trash"
    " WHERE insight_id IN (SELECT value FROM json_each(:ids))"
)


@dataclass(frozen=True)
class Standing:
    """How one insight does: effectiveness as recall reads it; `gone`: it is in the trash."""

    name: str
    effectiveness: float
    gone: bool


def parents(conn: sqlite3.Connection, ids: Iterable[int], depth: int) -> dict[int, list[int]]:
    """The insights each one was led to by, for `ids` and their ancestors up to `depth` steps."""
    found: dict[int, list[int]] = {}
    wanted = set(ids)
    for _ in range(depth):
        rows = conn.execute(PARENTS, {"ids": json.dumps(sorted(wanted))}).fetchall()
        found.update((child, []) for child in wanted)
        for child, parent in rows:
            found[int(child)].append(int(parent))
        wanted = {int(row[1]) for row in rows} - found.keys()
        if not wanted:
            break
    return found


def standing(conn: sqlite3.Connection, ids: Collection[int]) -> dict[int, Standing]:
    """How these insights do; one that is neither in the memory nor in the trash is left out."""
    rows = conn.execute(STANDING, {"ids": json.dumps(sorted(ids))}).fetchall()
    return {
        int(row[0]): Standing(
            cells.text(row[1]),
            formulas.causal_adjusted(cells.share(row[2]), cells.whole(row[3]), cells.whole(row[4])),
            bool(row[5]),
        )
        for row in rows
    }
