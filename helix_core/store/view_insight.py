"""The dashboard's read model of one insight: all about it; and of those in the trash.

Standard library and `viewrows` only; like `views`, every function reads all its rows at once.
"""

from __future__ import annotations

import sqlite3
import zlib

from helix_core import formulas, holdout
from helix_core.constants import LIFT_HALF_WIDTH_ONE
from helix_core.store import cells, edges, insights, trash, trials, views
from helix_core.viewrows import InsightDetail, MoveLine, NeighbourLine, TrashLine, Wording

MOVES = 200
NEIGHBOURS = 30
WORDINGS = 30
TRASH = 500


def detail(conn: sqlite3.Connection, insight_id: int) -> InsightDetail | None:
    """One insight whole: text, events, neighbours, wordings; None where it is gone."""
    row = conn.execute(
        f"SELECT {views.line_sql()}, content, confirmations, embedding_model FROM insight"
        " WHERE id = ?",
        (insight_id,),
    ).fetchone()
    if row is None:
        return None
    line = views.lines(conn, [row])[0]
    figures = conn.execute(
        "SELECT (SELECT count(*) FROM injection WHERE insight_id = :id AND withheld = 0),"
        " (SELECT count(*) FROM insight_edges WHERE src_id = :id OR dst_id = :id)",
        {"id": insight_id},
    ).fetchone()
    return InsightDetail(
        line=line,
        content=cells.text(row[14]),
        adjusted=formulas.causal_adjusted(line.effectiveness, line.use_count, line.causal_hits),
        injected=cells.whole(figures[0]),
        edges=cells.whole(figures[1]),
        confirmations=cells.whole(row[15]),
        embedding_model=cells.text(row[16]),
        moves=moves(conn, insight_id),
        neighbours=neighbours(conn, insight_id),
        wordings=wordings(conn, insight_id),
        lift=_lift(conn, insight_id),
    )


def _lift(conn: sqlite3.Connection, insight_id: int) -> str:
    pairs = trials.pairs(conn, insight_id)
    return holdout.told(holdout.lift(pairs, half_width=LIFT_HALF_WIDTH_ONE)) if pairs else ""


def moves(conn: sqlite3.Connection, insight_id: int, limit: int = MOVES) -> tuple[MoveLine, ...]:
    """The newest feedback events of one insight, newest first."""
    rows = conn.execute(
        "SELECT id, created_at, kind, outcome, source, similarity, weight, causal, before, after,"
        " coalesce(task, ''), agent_id, undone_by FROM feedback_event WHERE insight_id = ?"
        " ORDER BY id DESC LIMIT ?",
        (insight_id, limit),
    ).fetchall()
    return tuple(
        MoveLine(
            id=int(r[0]),
            at=cells.text(r[1]),
            kind=cells.text(r[2]),
            outcome=cells.text(r[3]),
            source=cells.text(r[4]),
            similarity=cells.maybe(r[5]),
            weight=cells.number(r[6]),
            causal=bool(cells.whole(r[7])),
            before=cells.share(r[8]),
            after=cells.share(r[9]),
            task=cells.text(r[10])[: views.SHORT],
            agent_id=cells.text(r[11]),
            undone=r[12] is not None,
        )
        for r in rows
    )


def neighbours(
    conn: sqlite3.Connection, insight_id: int, limit: int = NEIGHBOURS
) -> tuple[NeighbourLine, ...]:
    """The insights it is linked with: what it came from, what came of it, what is similar."""
    found = edges.get_neighbors(conn, [insight_id])
    rows = insights.by_ids(conn, [n.other_id for n in found])
    lines = [
        NeighbourLine(
            id=n.other_id,
            name=rows[n.other_id].name,
            content=rows[n.other_id].content[: views.SHORT],
            relation=n.relation,
            outgoing=n.outgoing,
            weight=n.weight,
            effectiveness=rows[n.other_id].effectiveness,
        )
        for n in found
        if n.other_id in rows
    ]
    order = sorted(lines, key=lambda n: (n.relation == "similar", n.outgoing, -n.weight, n.id))
    return tuple(order[:limit])


def wordings(
    conn: sqlite3.Connection, insight_id: int, limit: int = WORDINGS
) -> tuple[Wording, ...]:
    """What it was before each change of it, newest first."""
    rows = conn.execute(
        "SELECT row_version, created_at, reason, actor, content, tags FROM revision"
        " WHERE insight_id = ? ORDER BY id DESC LIMIT ?",
        (insight_id, limit),
    ).fetchall()
    return tuple(
        Wording(
            row_version=cells.whole(row[0]),
            at=cells.text(row[1]),
            reason=cells.text(row[2]),
            actor=cells.text(row[3]),
            content=cells.text(row[4]),
            tags=cells.names(row[5]),
        )
        for row in rows
    )


def trashed(conn: sqlite3.Connection, limit: int = TRASH) -> tuple[TrashLine, ...]:
    """What is in the trash, newest first."""
    return tuple(
        TrashLine(
            key=zlib.crc32(f"{row['name']} {row['trashed_at']}".encode("utf-8", "replace")),
            name=cells.text(row["name"]),
            content=cells.text(row["content"]),
            reason=cells.text(row["reason"]),
            actor=cells.text(row["actor"]),
            trashed_at=cells.text(row["trashed_at"]),
            expires_at=cells.text(row["expires_at"]),
            merged_into=cells.text(row["merged_into"]),
        )
        for row in trash.listed(conn)[:limit]
    )
