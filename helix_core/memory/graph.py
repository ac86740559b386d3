"""The shape of the insight graph: components, articulation points, density, isolates, hubs.

networkx is imported when it is asked for; without it the figures are missing and say so. Parallel
edges (related and descended from one another) are one link here, loops and edges to insights that
are gone are none, so that every share stays in [0, 1].
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

_LINKS = (
    "SELECT min(e.src_id, e.dst_id) AS a, max(e.src_id, e.dst_id) AS b, max(e.weight) AS weight"
    " FROM insight_edges e JOIN insight s ON s.id = e.src_id JOIN insight d ON d.id = e.dst_id"
    " WHERE e.src_id <> e.dst_id{within} GROUP BY 1, 2 ORDER BY 1, 2"
)
EDGES_SQL = _LINKS.format(within="")
"""The links between insights that exist, each once."""
ENDS_SQL = (
    f"WITH link AS ({EDGES_SQL}) SELECT a AS id, weight FROM link"
    " UNION ALL SELECT b, weight FROM link"
)
"""Each link from both its ends."""
NODES_SQL = "SELECT id, name FROM insight ORDER BY id"
_SOME = "(SELECT value FROM json_each(:ids))"
_SOME_EDGES = _LINKS.format(within=f" AND e.src_id IN {_SOME} AND e.dst_id IN {_SOME}")
_SOME_NODES = f"SELECT id, name FROM insight WHERE id IN {_SOME} ORDER BY id"
NAMES_SHOWN = 20


@dataclass(frozen=True)
class Shape:
    """The graph of insights, taken as undirected.

    `density`: links over possible links. `isolates`: insights without a link. `articulation`:
    insights whose removal would take a component apart (Hopcroft and Tarjan 1973), the best linked
    first. `components` counts isolates too; `largest` is the size of the biggest.
    """

    nodes: int
    links: int
    components: int
    largest: int
    density: float
    isolates: int
    articulation: tuple[str, ...]
    connected_ratio: float


def available() -> bool:
    """Whether networkx is installed where this runs."""
    import importlib.util

    return importlib.util.find_spec("networkx") is not None


def load(conn: sqlite3.Connection, among: Collection[int] | None = None) -> Any:
    """The networkx graph of all insights: nodes are ids with their name, links have a weight.

    `among` restricts it to these insights and the links between them. Raises ImportError where
    networkx is missing.
    """
    import networkx

    chosen = {} if among is None else {"ids": json.dumps(sorted(among))}
    nodes, links = (NODES_SQL, EDGES_SQL) if among is None else (_SOME_NODES, _SOME_EDGES)
    graph = networkx.Graph()
    graph.add_nodes_from((int(i), {"name": str(name)}) for i, name in conn.execute(nodes, chosen))
    graph.add_weighted_edges_from(conn.execute(links, chosen).fetchall())
    return graph


def analyse(conn: sqlite3.Connection, among: Collection[int] | None = None) -> Shape:
    """The shape of the graph, or of its part among some insights; O(insights + links).

    Raises ImportError without networkx.
    """
    import networkx

    graph = load(conn, among)
    total = graph.number_of_nodes()
    parts = [len(part) for part in networkx.connected_components(graph)]
    isolates = networkx.number_of_isolates(graph)
    cuts = sorted(networkx.articulation_points(graph), key=lambda i: (-graph.degree(i), i))
    return Shape(
        nodes=total,
        links=graph.number_of_edges(),
        components=len(parts),
        largest=max(parts, default=0),
        density=float(networkx.density(graph)),
        isolates=isolates,
        articulation=tuple(graph.nodes[i]["name"] for i in cuts),
        connected_ratio=(total - isolates) / total if total else 0.0,
    )
