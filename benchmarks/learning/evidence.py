"""What the shown effectiveness tells of an insight's true role, and how much could be told at all.

May import numpy, `learner` and `world`. The bound is a judge who saw the same outcomes and knows
how hard each task was and what else was at work, which nobody does in use.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from benchmarks.learning.learner import Learner
from benchmarks.learning.world import ROLES, World


def auc(world: World, learner: Learner, score: Callable[[int], float], uses: int) -> float:
    """Probability that a useful insight scores more than another one (Mann and Whitney 1947).

    Counts insights with that many uses or more, by their role at the end; NaN where one of the
    two kinds is missing.
    """
    end = world.scenario.sessions
    good: list[float] = []
    bad: list[float] = []
    for number, item in enumerate(world.items):
        if learner.used(number) >= uses:
            (good if item.role_at(end) == "useful" else bad).append(score(number))
    if not good or not bad:
        return float("nan")
    return float(np.mean([(g > b) + 0.5 * (g == b) for g in good for b in bad]))


def known_difficulty(world: World, learner: Learner, item: int) -> float:
    """Log-likelihood ratio of "useful" against the other roles, for a judge who knows all else.

    All else is how hard each task was and what the items injected beside it did. The other roles
    weigh by how many items have them.
    """
    fit = dict.fromkeys(ROLES, 0.0)
    for use in learner.uses[item]:
        step = world.steps[use.run]
        if step.topic != world.items[item].topic:
            continue  # it is irrelevant there, whatever its role
        beside = [world.effect_of(i, step) for i in learner.given[use.run] if i != item]
        for role in ROLES:
            chance = world.chance_of(step, [*beside, role])
            fit[role] += math.log(chance if use.outcome > 0.5 else 1.0 - chance)
    others = [i.role for i in world.items if i.role != "useful"]
    harmful = others.count("harmful") / len(others)
    rest = harmful * math.exp(fit["harmful"]) + (1.0 - harmful) * math.exp(fit["neutral"])
    return fit["useful"] - math.log(rest)
