"""A memory whose insights are linked: chains and clusters, some of each kind, some alone."""

from __future__ import annotations

import random
from pathlib import Path

import shop

from helix_core.store import edges
from helix_core.store.connection import open_store, writing


def web(root: Path, count: int, seed: int = 3) -> shop.World:
    """A memory of `count` insights with about as many links, the same ones every time."""
    world = shop.many(root, count)
    rng = random.Random(seed)
    links = []
    for number in range(4, count + 1):
        if rng.random() < 0.75:
            for _ in range(rng.choice([1, 1, 2, 3])):
                other = number - rng.randrange(1, min(number, 9))
                relation = "similar" if rng.random() < 0.7 else "led_to"
                links.append((other, number, round(rng.uniform(0.6, 0.9), 2), relation))
    conn = open_store(world.project.database)
    with writing(conn):
        edges.add_edges(conn, links, shop.NOW.isoformat())
    conn.close()
    return world
