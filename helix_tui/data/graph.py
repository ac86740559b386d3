"""The graph view's rows: as much of the insight graph as can be drawn, or one neighbourhood."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helix_core.memory import graph
from helix_core.store import view_graph, views
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import GraphView, GraphWanted

DRAWN = 200
"""Insights drawn at most; of more, the best linked one and what hangs together with it."""
HOPS = 1


@dataclass(frozen=True)
class _Known:
    """What follows from the links alone: it costs a walk over all of them, and most changes of a
    memory change none."""

    state: tuple[int, ...]
    shape: graph.Shape | None
    drawn: tuple[int, ...]


_known: dict[Path, _Known] = {}
"""The newest of each memory that was looked at."""


def read(desk: Desk, wanted: GraphWanted, before: GraphView | None = None) -> GraphView:
    """The wanted part; everything in one consistent read."""
    conn = desk.conn
    known = _all_links(conn, desk.project.database)
    shape, ids = known.shape, known.drawn
    if wanted.focus is not None:
        ids = tuple(view_graph.around(conn, wanted.focus, HOPS, DRAWN))
    nodes = view_graph.nodes(conn, ids)
    cut = set(shape.articulation) if shape else set()
    return GraphView(
        nodes=tuple(nodes),
        links=tuple(view_graph.links(conn, [node.id for node in nodes])),
        total=views.counts(conn).insights,
        shape=shape,
        cut=frozenset(node.id for node in nodes if node.name in cut),
        focus=wanted.focus,
    )


def _all_links(conn: sqlite3.Connection, database: Path) -> _Known:
    state = view_graph.state(conn)
    known = _known.get(database)
    if known is None or known.state != state:
        shape = graph.analyse(conn) if graph.available() else None
        known = _Known(state, shape, tuple(view_graph.best_linked(conn, DRAWN)))
        _known[database] = known
    return known


def facts(desk: Desk) -> dict[str, Any]:
    """The drawn part and the figures of the whole."""
    view = read(desk, GraphWanted())
    return {
        "shape": asdict(view.shape) if view.shape else None,
        "nodes": [{**asdict(node), "cut": node.id in view.cut} for node in view.nodes],
        "links": [asdict(link) for link in view.links],
    }


def text(found: dict[str, Any]) -> list[str]:
    """The graph as lines: the figures, then each insight with what it is linked to."""
    shape = found["shape"]
    lines = [figures(graph.Shape(**shape) if shape else None), ""]
    names = {node["id"]: formats.literal(node["name"]) for node in found["nodes"]}
    for node in found["nodes"]:
        mark = " (holds its part together)" if node["cut"] else ""
        lines.append(f"{formats.percent(node['effectiveness']):>4} {names[node['id']]}{mark}")
        lines += [
            f"       {link['relation'].replace('_', ' ')} {names[link['target']]}"
            for link in found["links"]
            if link["source"] == node["id"]
        ]
    return lines


def figures(shape: graph.Shape | None) -> str:
    """The shape of the graph in one line."""
    if shape is None:
        return "no figures: networkx is missing"
    return ", ".join(
        (
            formats.plural(shape.nodes, "insight"),
            formats.plural(shape.links, "link"),
            f"{formats.plural(shape.components, 'component')} (largest {shape.largest:,})",
            f"density {shape.density:.1%}",
            formats.plural(shape.isolates, "isolate"),
            formats.plural(len(shape.articulation), "articulation point"),
        )
    )


PART: Part[GraphWanted, GraphView] = Part(GraphWanted, read, facts, text)
