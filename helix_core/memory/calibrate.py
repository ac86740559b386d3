"""Thresholds for a model nobody measured, from the cosines of the project's own insights.

The same insights are compared with each other by two models: the one in use, and an anchor whose
thresholds are known (the packaged MiniLM). A threshold of the anchor stands at some quantile of its
cosines; the model in use gets the cosine at the same quantile of its own. This is equipercentile
linking (Kolen and Brennan 2014, chapter 2), so that it does not matter how alike the insights of a
project are. Beyond the last quantile with enough pairs the link runs straight to cosine 1, which is
an identical text to every model. numpy is imported when it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from helix_core.errors import RefusedError
from helix_core.memory.context import Memory
from helix_core.profiles import THRESHOLDS, ModelProfile, calibration_key
from helix_core.store import journal, vectors
from helix_core.store.connection import writing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = Sequence[float] | npt.NDArray[np.float64]

FEWEST = 30  # insights; 435 pairs put ten beyond the 97.7% quantile
MOST = 400  # insights; 80,000 pairs, and some seconds of the anchor's work
PAIRS_BEYOND = 10  # pairs that a quantile needs beyond it to mean something
QUANTILES = (
    0.01,
    0.05,
    0.25,
    0.5,
    0.75,
    0.9,
    0.95,
    0.98,
    0.99,
    0.995,
    0.998,
    0.999,
    0.9995,
    0.9999,
)
SHOWN = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
LEAST_RAMP = 0.05


@dataclass(frozen=True)
class Thresholds:
    """What a `ModelProfile` needs of a model's cosines, each in [0, 1]."""

    gate: float
    related: float
    duplicate: float
    causal_threshold: float
    causal_ramp: float


def calibrate(mem: Memory, *, dry_run: bool = False) -> dict[str, Any]:
    """Derive the thresholds of the model in use and keep them in the project's `meta`.

    Returns model, anchor, how many insights and pairs, some quantiles of both, the thresholds
    `before` and `derived`, and whether they were `written`: not with `dry_run`, nor for a model
    whose thresholds are measured. Raises RefusedError without a model, an anchor or 30 insights.
    """
    if mem.profile is None or mem.embedder is None:
        raise RefusedError("calibration needs the embedding model (helix worker start)")
    profile = mem.profile
    texts, mine = _insights(mem, profile)
    if len(texts) < FEWEST:
        raise RefusedError(f"calibration needs {FEWEST} insights with a vector, not {len(texts)}")
    anchor = mem.embedder.anchor()
    if anchor is None:
        raise RefusedError("calibration needs the packaged model to compare with (helix setup)")
    own = pair_cosines(mine)
    known = pair_cosines(anchor.embed_documents(texts))
    derived = derive(own, known, anchor.profile)
    write = not profile.measured and not dry_run
    if write:
        with writing(mem.conn):
            text = json.dumps({**asdict(derived), "insights": len(texts), "at": mem.moment})
            journal.set_meta(mem.conn, calibration_key(profile.name), text)
        mem.note("info", f"calibrated {profile.name} on {len(texts)} insights: {derived}")
    return {
        "model": profile.name,
        "anchor": anchor.profile.name,
        "insights": len(texts),
        "pairs": len(own),
        "quantiles": {str(p): [_at(own, p), _at(known, p)] for p in SHOWN},
        "before": {name: getattr(profile, name) for name in THRESHOLDS},
        "derived": asdict(derived),
        "measured": profile.measured,
        "written": write,
    }


def derive(own: Numbers, known: Numbers, anchor: ModelProfile) -> Thresholds:
    """The anchor's thresholds, carried over by quantile.

    `own` and `known` are the pair cosines of the same texts by the model in use and by the anchor.
    """
    full = min(1.0, anchor.causal_threshold + anchor.causal_ramp)
    causal = link(own, known, anchor.causal_threshold)
    return Thresholds(
        gate=link(own, known, anchor.gate),
        related=link(own, known, anchor.related),
        duplicate=link(own, known, anchor.duplicate),
        causal_threshold=causal,
        causal_ramp=round(max(LEAST_RAMP, link(own, known, full) - causal), 3),
    )


def link(own: Numbers, known: Numbers, threshold: float) -> float:
    """The cosine of the model in use that stands where `threshold` stands for the anchor."""
    import numpy as np

    usable = [p for p in QUANTILES if (1.0 - p) * len(own) >= PAIRS_BEYOND]
    across = np.append(np.quantile(known, usable), 1.0)
    along = np.append(np.quantile(own, usable), 1.0)
    keep = np.append(True, np.diff(across) > 1e-9)
    found = float(np.interp(threshold, across[keep], along[keep]))
    return round(min(1.0, max(0.0, found)), 3)


def pair_cosines(rows: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    """The cosine of every two of some vectors, each pair once."""
    import numpy as np

    matrix = np.asarray(rows, dtype=np.float64)
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    found: npt.NDArray[np.float64] = (matrix @ matrix.T)[np.triu_indices(len(matrix), 1)]
    return found


def _at(cosines: Numbers, p: float) -> float:
    import numpy as np

    return round(float(np.quantile(cosines, p)), 3)


def _insights(mem: Memory, profile: ModelProfile) -> tuple[list[str], list[list[float]]]:
    """Texts and vectors of the newest insights that have one of this model."""
    texts, found = [], []
    for content, blob in mem.conn.execute(
        "SELECT content, embedding FROM insight WHERE embedding_model = ? ORDER BY id DESC LIMIT ?",
        (profile.name, MOST),
    ):
        vector = vectors.unpack(blob, profile.dim)
        if vector is not None:
            texts.append(str(content))
            found.append(vector)
    return texts, found
