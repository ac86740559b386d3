"""The worked example of the README is what the demonstration really did, to the digit."""

from __future__ import annotations

import re
from pathlib import Path

from helix_core import formulas, profiles
from tests.core.command import helix
from tests.demo.conftest import ROOT, Shown

ROW = re.compile(
    r'^\| the (\w+) of "([^"]+)" \| (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) → ([\d.]+) \|$',
    re.MULTILINE,
)
SUM = re.compile(r"([\d.]+) \+ 0\.2 × ([\d.]+) × \(([\d.]+) - ([\d.]+)\) = ([\d.]+)")


def section() -> str:
    """The README's section on how a score moves."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition("\n## How a score moves\n")[2].partition("\n## ")[0]


def test_the_table_is_the_history_of_that_insight(shown: Shown) -> None:
    name = re.search(r"<!-- example: (\S+) -->", section())
    assert name
    project = Path(shown.report["project"])
    found = helix(project, "history", name[1], "--json").json
    assert found["insight"]["content"] in " ".join(section().split())
    rows = ROW.findall(section())
    assert len(rows) == 2
    told = [(row[2], *row[3:]) for row in rows]
    assert told == [
        (
            event["outcome"],
            f"{event['similarity']:.2f}",
            f"{event['weight']:.2f}",
            f"{event['before']:.3f}",
            f"{event['after']:.3f}",
        )
        for event in found["events"]
    ]
    texts = {
        (agent["type"].removeprefix("helix-"), agent["task"])
        for session in shown.report["sessions"]
        for agent in session["agents"]
    }
    assert {row[:2] for row in rows} <= texts


def test_the_sums_are_the_formulas() -> None:
    model = profiles.MINILM
    rows = ROW.findall(section())
    for _, _, outcome, cosine, weight, before, after in rows:
        credit = formulas.causal_weight(float(cosine), model.causal_threshold, model.causal_ramp)
        assert abs(credit - float(weight)) < 0.02  # the cosine is rounded
        new = formulas.ema(float(before), float(weight), formulas.OUTCOME_VALUES[outcome])
        assert abs(new - float(after)) < 0.0015
    sums = SUM.findall(section())
    assert [(one[1], one[0], one[4]) for one in sums] == [(row[4], *row[5:]) for row in rows]
    for start, weight, target, base, end in sums:
        assert start == base
        moved = float(start) + 0.2 * float(weight) * (float(target) - float(base))
        assert abs(moved - float(end)) < 0.0015  # the weight is rounded


def test_the_rules_beside_it_are_the_formulas() -> None:
    text = " ".join(section().split())
    model = profiles.MINILM
    assert model.causal_threshold == model.causal_ramp
    assert f"`(cosine - {model.causal_threshold}) / {model.causal_ramp}`" in text
    values = formulas.OUTCOME_VALUES
    assert (
        f"towards {values['delivered']:.0f} for delivered, {values['partial']} for partial" in text
    )
    assert round(formulas.ema(0.5, 1.0, 1.0), 9) == 0.6  # a fifth of the way
    assert round(formulas.erode(0.6), 9) == 0.591 and "above 50% wears off by 9%" in text
