"""Playing one policy through one world, and the figures of it.

May import numpy, `evidence` and `policies`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np

from benchmarks.learning import evidence
from benchmarks.learning.learner import Learner
from benchmarks.learning.policies import Policy
from benchmarks.learning.world import World

MIN_USES = 3
NAN = float("nan")


@dataclass(frozen=True)
class Played:
    """The figures of one policy in one world; shares in [0, 1], NaN where nothing counts."""

    success: float
    last_third: float
    precision: float
    """Share of what was injected in the last third that was useful."""
    harmed: float
    """Share of the tasks of the last third that got a harmful insight."""
    per_task: float
    lost: float
    """Share of the good insights that upkeep removed after they had been used."""
    lost_ghosts: float
    """Share of the good insights removed without ever having been used."""
    auc: float
    """Of the shown effectiveness against usefulness, over what has any feedback."""
    auc_tried: float
    """The same over what was used three times."""
    auc_bound: float
    """The same as `auc`, for a judge of these outcomes who knows how hard every task was."""
    sessions_to_drop: float
    """Sessions from a harmful insight's first use to its last, of those used in the first third."""


def play(world: World, policy: Policy) -> Played:
    """One life of a memory."""
    delivered: list[bool] = []
    roles: list[list[str]] = []
    brought: set[int] = set()
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for session, steps in groupby(world.steps, key=lambda step: step.session):
        policy.begin(session)
        for step in steps:
            chosen = policy.choose(step)
            done = step.luck < world.chance(step, chosen)
            policy.learn(step, chosen, done)
            item = None if done else world.brought(step, chosen, brought)
            if item is not None:
                brought.add(item)
                policy.derive(step, item, chosen)
            delivered.append(done)
            roles.append([world.effect_of(i, step) for i in chosen])
            for item, role in zip(chosen, roles[-1], strict=True):
                if role == "harmful":
                    first.setdefault(item, session)
                    last[item] = session
        policy.close()
    late = len(delivered) * 2 // 3
    given = [role for part in roles[late:] for role in part]
    learner = policy if isinstance(policy, Learner) else None
    early = [i for i, session in first.items() if session < world.scenario.sessions / 3]
    return Played(
        success=float(np.mean(delivered)),
        last_third=float(np.mean(delivered[late:])),
        precision=given.count("useful") / len(given) if given else NAN,
        harmed=float(np.mean(["harmful" in part for part in roles[late:]])),
        per_task=sum(map(len, roles)) / len(roles),
        lost=_lost(world, learner, used=True) if learner else 0.0,
        lost_ghosts=_lost(world, learner, used=False) if learner else 0.0,
        auc=evidence.auc(world, learner, learner.shown, 1) if learner else NAN,
        auc_tried=evidence.auc(world, learner, learner.shown, MIN_USES) if learner else NAN,
        auc_bound=(
            evidence.auc(world, learner, partial(evidence.known_difficulty, world, learner), 1)
            if learner
            else NAN
        ),
        sessions_to_drop=float(np.mean([last[i] - first[i] for i in early])) if early else 0.0,
    )


def _lost(world: World, learner: Learner, *, used: bool) -> float:
    good = [
        n
        for n, item in enumerate(world.items)
        if item.role == "useful" and item.turns is None and not item.derived
    ]
    gone = [n for n in good if n in learner.gone and bool(learner.used(n)) == used]
    return len(gone) / len(good)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean and half-width of its 95% interval over seeds (normal approximation)."""
    found = np.asarray(values, dtype=float)
    found = found[~np.isnan(found)]
    if len(found) < 2:
        return (float(found.mean()) if len(found) else NAN), NAN
    return float(found.mean()), float(1.96 * found.std(ddof=1) / np.sqrt(len(found)))
