"""All policies in many worlds, two at a time; a module of its own, since processes import it.

May import `policies`, `run`, `sentences` and `world`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import get_context

from benchmarks.learning import policies, run, sentences, world
from benchmarks.learning.run import Played

_pool = cache(sentences.pool)


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """That many processes with the texts at hand, each on one thread."""
    _pool()  # embeds what is not cached yet, before all of them would do it at once
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
    with ProcessPoolExecutor(count, get_context("spawn")) as executor:
        yield executor


def one_world(scenario: str, names: Sequence[str], seed: int) -> list[Played]:
    """Every named policy in the world of one seed."""
    made = world.build(world.SCENARIOS[scenario], _pool(), seed)
    return [run.play(made, policies.BY_NAME[name].make(made)) for name in names]


def many_worlds(
    executor: ProcessPoolExecutor, scenario: str, names: Sequence[str], seeds: Sequence[int]
) -> dict[str, list[Played]]:
    """By policy its figures in every world, in the order of the seeds."""
    worlds = list(executor.map(partial(one_world, scenario, names), seeds))
    return {name: [played[n] for played in worlds] for n, name in enumerate(names)}
