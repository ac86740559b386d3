"""What stands around the drawn graph: its figures, the selected insight, its neighbours. Pure."""

from __future__ import annotations

from helix_tui import formats
from helix_tui.glyphs import Glyphs
from helix_tui.state import GraphView, LinkLine, NodeLine
from helix_tui.widgets import graph_art
from helix_tui.widgets.table_layout import Cell, Column, Row

BESIDE_COLUMNS = (
    Column("relation", "how", 9),
    Column("weight", "like", 4, right=True, drop=1),
    Column("effectiveness", "eff", 4, right=True),
    Column("insight", "insight"),
)


def figures(view: GraphView, glyphs: Glyphs) -> list[Cell]:
    """How the whole graph is built, and how much of it is drawn."""
    shape = view.shape
    if shape is None:
        parts: list[Cell] = [("no figures: networkx is missing, `helix setup` brings it", "warn")]
    else:
        parts = [
            (f"{formats.plural(shape.components, 'component')}", "strong"),
            (f" (largest {shape.largest:,})  ", "muted"),
            (f"{formats.plural(shape.links, 'link')}", "strong"),
            (f"  density {shape.density:.1%}", ""),
            (f"  {formats.plural(shape.isolates, 'isolate')}", ""),
            (f"  {formats.plural(len(shape.articulation), 'articulation point')}", ""),
        ]
    return parts


def title(view: GraphView) -> str:
    """How much of the graph this is."""
    count = len(view.nodes)
    if view.focus is not None:
        return f"Neighbourhood: {formats.plural(count, 'insight')} of {view.total:,}; n shows all"
    if count < view.total:
        return f"{count:,} of {view.total:,} insights: the best linked one and what is round it"
    return formats.plural(count, "insight")


def legend(glyphs: Glyphs) -> list[Cell]:
    """What the signs mean."""
    line, dots = ("--", "..") if glyphs.ascii else ("──", "⠂⠂")
    arrow = glyphs.mark("direct")[-1]
    return [
        (glyphs.mark("high"), "good"),
        (f" {graph_art.GOOD:.0%}+ ", "muted"),
        (glyphs.mark("middle"), "warn"),
        (" between ", "muted"),
        (glyphs.mark("low"), "bad"),
        (f" under {graph_art.POOR:.0%}  ", "muted"),
        ("".join(glyphs.mark(f"cut_{name}") for name in ("high", "middle", "low")), "strong"),
        (" articulation point  ", "muted"),
        (f"{dots} ", ""),
        ("similar  ", "muted"),
        (f"{line}{arrow} ", ""),
        ("led to", "muted"),
    ]


def about(view: GraphView, key: int | None, glyphs: Glyphs) -> list[list[Cell]]:
    """The selected insight: its text, its figures, how it is linked."""
    node = next((n for n in view.nodes if n.id == key), None)
    if node is None:
        return [[("no insight yet", "muted")]]
    _, role = graph_art.grade(node)
    sign, _ = graph_art.node_cell(node, node.id in view.cut, glyphs)
    links = [link for link in view.links if key in (link.source, link.target)]
    similar = sum(link.relation == "similar" for link in links)
    children = sum(link.relation == "led_to" and link.source == key for link in links)
    parents = len(links) - similar - children
    parts: list[Cell] = [
        (f"{sign} {formats.percent(node.effectiveness)}", f"{role} strong"),
        (f"  {formats.plural(node.use_count, 'use')}", "muted"),
        (f"  {similar} similar", ""),
        (f"  came of {parents}", ""),
        (f"  led to {children}", ""),
    ]
    if node.id in view.cut:
        parts.append(("  articulation point: holds its component together", "accent"))
    return [parts, [(formats.literal(node.content), "")]]


def beside(view: GraphView, key: int | None) -> list[Row]:
    """What the selected insight is linked to, the strongest links first; keys are insights."""
    known = {node.id: node for node in view.nodes}
    links = [link for link in view.links if key in (link.source, link.target)]
    links.sort(key=lambda link: (link.relation, -link.weight, link.source, link.target))
    rows: dict[int, Row] = {}
    for link in links:
        other = known.get(link.target if link.source == key else link.source)
        if other is not None and other.id not in rows:
            rows[other.id] = Row(other.id, _cells(link, other, key))
    return list(rows.values())


def whole(view: GraphView, key: int | None) -> list[Cell]:
    """The text of one insight of the drawing."""
    node = next((n for n in view.nodes if n.id == key), None)
    if node is None:
        return []
    return [(formats.literal(node.content), ""), (f"  {formats.literal(node.name)}", "muted")]


def _cells(link: LinkLine, other: NodeLine, key: int | None) -> tuple[Cell, ...]:
    if link.relation == "similar":
        how = "similar"
    elif link.relation == "led_to":
        how = "led to" if link.source == key else "came of"
    else:
        how = formats.literal(link.relation)
    return (
        (how, "" if link.relation == "similar" else "accent"),
        (formats.percent(link.weight) if link.relation == "similar" else "", "muted"),
        (formats.percent(other.effectiveness), "strong"),
        (formats.literal(other.content or other.name), ""),
    )
