"""The graph view by keys and mouse, and what it reads."""

from __future__ import annotations

import shop
import web
from kit import make_app, ready, shown, text, until
from textual.pilot import Pilot

from helix_core.memory import graph
from helix_core.paths import Project
from helix_core.store import edges, view_graph
from helix_core.store.connection import open_store, writing
from helix_tui.app import HelixApp
from helix_tui.data import graph as graph_part
from helix_tui.state import GraphView
from helix_tui.widgets.graph_canvas import GraphCanvas
from helix_tui.widgets.live_table import LiveTable

SIZE = (120, 36)
MOMENT = "2026-03-14T12:00:00+00:00"


def canvas(app: HelixApp) -> GraphCanvas:
    return app.screen.query_one(GraphCanvas)


def rows_of(app: HelixApp) -> GraphView:
    found = shown(app).of(GraphView)
    assert found is not None
    return found


def link(project: Project, *links: tuple[int, int, float, str]) -> None:
    conn = open_store(project.database)
    with writing(conn):
        edges.add_edges(conn, links, MOMENT)
    conn.close()


async def drawn(pilot: Pilot[None], count: int) -> HelixApp:
    app = pilot.app
    assert isinstance(app, HelixApp)
    await ready(pilot)
    await until(pilot, lambda: len(canvas(app).where) == count, "the layout")
    return app


async def test_it_shows_the_figures_of_the_whole_graph(project: Project) -> None:
    world = web.web(project.root.parent / "web", 60)
    conn = open_store(world.project.database, readonly=True)
    shape = graph.analyse(conn)
    conn.close()
    async with make_app(world.project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 60)
        line = text(app).splitlines()[1]
        for words in (
            f"{shape.components} components (largest {shape.largest})",
            f"{shape.links} links",
            f"density {shape.density:.1%}",
            f"{shape.isolates} isolates",
            f"{len(shape.articulation)} articulation points",
        ):
            assert words in line
        cut = {node.name for node in rows_of(app).nodes if node.id in rows_of(app).cut}
        assert cut == set(shape.articulation)
        assert "similar" in text(app)


async def test_walking_selects_and_enter_opens(project: Project) -> None:
    world = web.web(project.root.parent / "web", 60)
    async with make_app(world.project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 60)
        view = canvas(app)
        start = view.key
        degree = {i: len(linked) for i, linked in view.linked.items()}
        assert degree[start] == max(degree.values())
        seen = {start}
        for key in ("left", "h", "down", "j", "right", "l", "up", "k"):
            await pilot.press(key)
            seen.add(view.key)
        assert len(seen) > 3
        chosen = view.key
        content = next(n.content for n in rows_of(app).nodes if n.id == chosen)
        assert " ".join(content.split()[:4]) in text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.current_mode == "insights")
        table = app.screen.query_one("#insights", LiveTable)
        await until(pilot, lambda: table.key == chosen)


async def test_the_neighbourhood_of_one_and_back(project: Project) -> None:
    link(project, (1, 2, 0.9, "similar"), (1, 3, 0.8, "similar"), (3, 4, 1.0, "led_to"))
    async with make_app(project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 9)
        view = canvas(app)
        await pilot.press("g")
        hub = view.key
        assert hub is not None
        around = {hub, *view.linked[hub]}
        conn = open_store(project.database, readonly=True)
        assert set(view_graph.around(conn, hub, 1, 100)) == around
        conn.close()
        await pilot.press("n")
        await until(pilot, lambda: set(view.where) == around)
        assert f"Neighbourhood: {len(around)} insights of 9" in text(app)
        await pilot.press("n")
        await until(pilot, lambda: len(view.where) == 9)
        await pilot.press("n")
        await until(pilot, lambda: len(view.where) == len(around))
        conn = open_store(project.database)
        conn.execute("DELETE FROM insight WHERE id = ?", (hub,))
        conn.close()
        await until(pilot, lambda: len(view.where) == 8, "all the others, since it is gone")


async def test_what_is_known_stays_when_something_comes(project: Project) -> None:
    world = web.web(project.root.parent / "web", 40)
    async with make_app(world.project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 40)
        view = canvas(app)
        await pilot.press("right", "down")
        key, places = view.key, dict(view._places)
        world.store("When something new comes, keep the places because eyes remember them")
        link(world.project, (41, 12, 0.8, "similar"))
        await until(pilot, lambda: len(view.where) == 41 and 12 in view.linked.get(41, ()))
        await ready(pilot)
        assert view.key == key
        assert {i: view._places[i] for i in places} == places
        grown = view._places
        await pilot.press("r")
        await until(pilot, lambda: view._places != grown, "a layout from nothing")
        assert view.key == key


async def test_next_part_goes_round_all_components(project: Project) -> None:
    link(project, (1, 2, 0.9, "similar"), (2, 3, 0.8, "similar"))
    async with make_app(project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 9)
        view = canvas(app)
        shape = rows_of(app).shape
        seen = []
        for _ in range(shape.components):
            seen.append(view.key)
            await pilot.press("c")
        assert view.key == seen[0]
        assert len(set(seen)) == shape.components


async def test_the_mouse_selects_the_nearest_and_opens_it(project: Project) -> None:
    async with make_app(project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 9)
        await pilot.press("2")  # made now, so that no click meets a screen on its way
        await until(pilot, lambda: app.current_mode == "insights")
        await ready(pilot)
        await pilot.press("4")
        await until(pilot, lambda: app.current_mode == "graph")
        view = canvas(app)
        other = next(i for i in view.where if i != view.key)
        x, y = view.where[other]
        await pilot.click("#graph", offset=(x, y))
        assert view.key == other
        await pilot.click("#graph", offset=(x, y), times=2)
        await until(pilot, lambda: app.current_mode == "insights")


async def test_a_large_graph_is_bounded_and_says_so(project: Project) -> None:
    world = web.web(project.root.parent / "web", 900)
    async with make_app(world.project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, graph_part.DRAWN)
        assert f"{graph_part.DRAWN} of 900 insights" in text(app)
        view = rows_of(app)
        linked = {end for line in view.links for end in (line.source, line.target)}
        assert len(linked) == graph_part.DRAWN  # what is drawn hangs together


def test_the_best_linked_hang_together(project: Project) -> None:
    world = web.web(project.root.parent / "web", 300)
    conn = open_store(world.project.database, readonly=True)
    found = view_graph.best_linked(conn, 50)
    links = view_graph.links(conn, found)
    everything = view_graph.best_linked(conn, 10_000)
    conn.close()
    assert len(found) == len(set(found)) == 50
    reached, edge = set(), {found[0]}
    while edge:
        reached |= edge
        edge = {
            end
            for line in links
            if {line.source, line.target} & reached
            for end in (line.source, line.target)
        } - reached
    assert reached == set(found)
    assert sorted(everything) == list(range(1, 301))


def test_links_to_what_is_gone_and_to_itself_are_none(project: Project) -> None:
    link(project, (1, 2, 0.9, "similar"))
    conn = open_store(project.database)
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute(
        "INSERT OR IGNORE INTO insight_edges(src_id, dst_id, weight, relation, created_at)"
        " VALUES (1, 999, 0.9, 'similar', ?), (3, 3, 0.9, 'similar', ?)",
        (MOMENT, MOMENT),
    )
    ids = view_graph.best_linked(conn, 100)
    lines = view_graph.links(conn, ids)
    around = view_graph.around(conn, 1, 2, 100)
    conn.close()
    assert 999 not in ids
    assert 999 not in around
    assert all(line.source != line.target for line in lines)


async def test_hidden_it_reads_nothing_and_lays_nothing_out(project: Project) -> None:
    async with make_app(project, "run").run_test(size=SIZE) as pilot:
        app = pilot.app
        assert isinstance(app, HelixApp)
        await ready(pilot)
        assert shown(app).of(GraphView) is None
        await pilot.press("4")
        await until(pilot, lambda: app.current_mode == "graph")
        await drawn(pilot, 9)
        first = rows_of(app)
        await pilot.press("1")
        await until(pilot, lambda: app.current_mode == "run")
        link(project, (1, 2, 0.95, "led_to"))
        shop.World(project.root).store("When nobody looks, draw nothing because it costs")
        await until(pilot, lambda: shown(app).counts.insights == 10)
        assert rows_of(app) is first


async def test_text_is_literal_and_sizes_do_no_harm(project: Project) -> None:
    conn = open_store(project.database)
    conn.execute("UPDATE insight SET content = 'When [/] or [red]x[/] \x1b[31m 日本語 then' || id")
    conn.close()
    async with make_app(project, "graph").run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 9)
        assert "[/] or [red]x[/] ␛[31m" in text(app)
        for size in ((1, 1), (20, 5), (300, 2), (61, 16), (110, 17), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        await until(pilot, lambda: "The selected one" in text(app))


async def test_plain_characters_only(project: Project) -> None:
    link(project, (1, 2, 0.9, "similar"), (2, 3, 1.0, "led_to"))
    async with make_app(project, "graph", ascii_only=True).run_test(size=SIZE) as pilot:
        app = await drawn(pilot, 9)
        ours = {c for c in text(app) if not c.isascii()}
        assert ours <= set("…"), ours
