"""SQL for whole rows of knowledge on their way out of one memory and into another.

Standard library only. What is read is put into the bounds of an export (`text.carried`), so that an
odd cell of an old database never costs a line; writing happens inside a transaction of the caller.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from helix_core import timestamps
from helix_core.model import Insight, Source
from helix_core.store import cells, insights, trash
from helix_core.text.carried import SHAPES, encoded

OTHERWISE = "agent"
_EVENT_COLUMNS = tuple(key for key in SHAPES["event"] if key not in ("insight", "event"))
_REVISION_COLUMNS = tuple(key for key in SHAPES["revision"] if key != "insight")


def all_records(conn: sqlite3.Connection, moment: str) -> Iterator[dict[str, Any]]:
    """Everything an export holds but its header: insights first, then what speaks of them."""
    contexts = dict(
        conn.execute(
            "SELECT id, context_centroid FROM insight WHERE context_centroid IS NOT NULL"
        ).fetchall()
    )
    rows = insights.all_insights(conn)
    names = {row.id: row.name for row in rows}
    for row in rows:
        yield {"kind": "insight", **_insight(row, contexts.get(row.id), moment)}
    yield from _edges(conn, names, moment)
    yield from _events(conn, names, moment)
    yield from _revisions(conn, names, moment)
    for content, reason, created in conn.execute(
        "SELECT content, reason, created_at FROM tombstone ORDER BY created_at, content_hash"
    ).fetchall():
        yield {"kind": "tombstone", "content": cells.text(content), "reason": cells.text(reason),
               "created_at": _when(created) or moment}  # fmt: skip


def _insight(row: Insight, context: object, moment: str) -> dict[str, Any]:
    spread = row.context_spread
    return {
        "name": row.name,
        "content": row.content,
        "tags": list(row.tags),
        "effectiveness": row.effectiveness,
        "use_count": row.use_count,
        "causal_hits": row.causal_hits,
        "recent_uses": row.recent_uses,
        "context_spread": None if spread is None else min(2.0, max(0.0, spread)),
        "context_count": row.context_count,
        "context_centroid": encoded(context if isinstance(context, bytes) else None),
        "created_at": _when(row.created_at) or moment,
        "updated_at": _when(row.updated_at),
        "last_used": _when(row.last_used),
        "last_feedback_at": _when(row.last_feedback_at),
        "decayed_on": _when(row.decayed_on),
        "pinned": row.pinned,
        "source": row.source if row.source in get_args(Source) else OTHERWISE,
        "confirmations": row.confirmations,
        "row_version": row.row_version,
    }


def _when(value: object) -> str | None:
    return str(value) if timestamps.parse_time(value) is not None else None


def _edges(
    conn: sqlite3.Connection, names: dict[int, str], moment: str
) -> Iterator[dict[str, Any]]:
    for source, target, relation, weight, created in conn.execute(
        "SELECT src_id, dst_id, relation, weight, created_at FROM insight_edges"
        " WHERE relation IN ('similar', 'led_to') ORDER BY src_id, dst_id, relation"
    ).fetchall():
        if source in names and target in names:
            yield {
                "kind": "edge",
                "source": names[source],
                "target": names[target],
                "relation": relation,
                "weight": cells.share(weight),
                "created_at": _when(created) or moment,
            }


def _events(
    conn: sqlite3.Connection, names: dict[int, str], moment: str
) -> Iterator[dict[str, Any]]:
    for insight_id, kind, *values in conn.execute(
        f"SELECT insight_id, kind, {', '.join(_EVENT_COLUMNS)} FROM feedback_event"
        " WHERE undone_by IS NULL ORDER BY id"
    ).fetchall():
        if insight_id not in names:
            continue
        row = dict(zip(_EVENT_COLUMNS, values, strict=True))
        for key in ("weight", "before", "after"):
            row[key] = cells.share(row[key])
        row["baseline"] = None if row["baseline"] is None else cells.share(row["baseline"])
        cosine = cells.maybe(row["similarity"])
        row["similarity"] = None if cosine is None else min(1.0, max(-1.0, cosine))
        row.update(causal=bool(row["causal"]), created_at=_when(row["created_at"]) or moment)
        yield {"kind": "event", "insight": names[insight_id], "event": kind, **row}


def _revisions(
    conn: sqlite3.Connection, names: dict[int, str], moment: str
) -> Iterator[dict[str, Any]]:
    for insight_id, *values in conn.execute(
        f"SELECT insight_id, {', '.join(_REVISION_COLUMNS)} FROM revision ORDER BY id"
    ).fetchall():
        if insight_id not in names:
            continue
        row = dict(zip(_REVISION_COLUMNS, values, strict=True))
        row.update(tags=list(cells.names(row["tags"])), pinned=bool(row["pinned"]))
        row.update(effectiveness=cells.share(row["effectiveness"]))
        row.update(created_at=_when(row["created_at"]) or moment)
        yield {"kind": "revision", "insight": names[insight_id], **row}


def known_texts(conn: sqlite3.Connection) -> dict[str, int]:
    """The id of every insight by the key of its text (`insights.content_key`)."""
    rows = conn.execute("SELECT id, content FROM insight ORDER BY id DESC").fetchall()
    return {_key(content): int(i) for i, content in rows}


@dataclass(frozen=True)
class Trashed:
    """What lies in the trash: its names, and the newest id for each text (and name)."""

    names: frozenset[str]
    ids: dict[tuple[str | None, str], int]

    def find(self, content: str, name: str | None = None) -> int | None:
        """The id of the insight with this text (and name), if it was not merged into another."""
        return self.ids.get((name, insights.content_key(content)))


def trashed(conn: sqlite3.Connection) -> Trashed:
    """Everything in the trash, read once."""
    rows = conn.execute(
        "SELECT insight_id, name, content, merged_into FROM trash ORDER BY insight_id"
    ).fetchall()
    ids: dict[tuple[str | None, str], int] = {}
    for insight_id, name, content, merged in rows:
        if merged is None:
            for called in (None, cells.text(name)):
                ids[called, _key(content)] = int(insight_id)
    return Trashed(frozenset(cells.text(row[1]) for row in rows), ids)


def _key(content: object) -> str:
    return insights.content_key(cells.text(content))


def add_insight(conn: sqlite3.Connection, record: dict[str, Any], away: Trashed) -> tuple[int, str]:
    """Insert a whole row without its vector; another name where that one is taken."""
    taken = record["name"] in away.names or insights.get(conn, record["name"]) is not None
    values = {key: record[key] for key in SHAPES["insight"]}
    values.update(
        name=insights.unique_name(conn, record["content"]) if taken else record["name"],
        tags=json.dumps(record["tags"], ensure_ascii=False),
        pinned=int(record["pinned"]),
        row_version=max(1, record["row_version"]),
        terms=insights.search_terms(record["content"], record["tags"]),
    )
    marks = ",".join("?" * len(values))
    cursor = conn.execute(
        f"INSERT INTO insight({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    )
    return int(cursor.lastrowid or 0), str(values["name"])


def add_event(conn: sqlite3.Connection, insight_id: int, record: dict[str, Any]) -> bool:
    """Insert one feedback event; False where the same one is there."""
    names = ("insight_id", "kind", *_EVENT_COLUMNS)
    values = (insight_id, record["event"], *(record[key] for key in _EVENT_COLUMNS))
    marks = ",".join("?" * len(names))
    return (
        conn.execute(
            f"INSERT OR IGNORE INTO feedback_event({', '.join(names)}) VALUES ({marks})", values
        ).rowcount
        > 0
    )


def add_revision(conn: sqlite3.Connection, insight_id: int, record: dict[str, Any]) -> None:
    """Insert one earlier state."""
    row = {**record, "tags": json.dumps(record["tags"], ensure_ascii=False)}
    names = ("insight_id", *_REVISION_COLUMNS)
    marks = ",".join("?" * len(names))
    conn.execute(
        f"INSERT INTO revision({', '.join(names)}) VALUES ({marks})",
        (insight_id, *(row[key] for key in _REVISION_COLUMNS)),
    )


def add_tombstone(conn: sqlite3.Connection, record: dict[str, Any]) -> str:
    """Insert one rejection; returns its key."""
    key = insights.content_key(record["content"])
    trash.lift(
        conn,
        key,
        [key, record["content"], None, None, None, record["reason"], record["created_at"]],
    )
    return key
