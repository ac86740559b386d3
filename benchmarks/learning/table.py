"""The tables: success against the hardest rival, and what else there is to know of each policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import report
from benchmarks.learning.policies import ANCHOR, HARDEST, Entry
from benchmarks.learning.run import Played, interval

Results = Mapping[str, Mapping[str, Sequence[Played]]]
"""By scenario, by policy, one per seed."""

REFERENCE = {
    "none": (-8.2, -17.8, -8.0, -8.7, -5.7, -3.7, -3.2),
    "oracle": (20.1, 10.5, 20.5, 19.8, 14.8, 21.5, 12.2),
    "cosine": (-2.2, -1.1, -2.5, -2.9, -1.5, -1.7, -1.2),
    "hybrid k=1": (7.8, 2.7, 8.7, 7.7, 5.7, 6.9, 5.4),
}
"""Where the world has to land, against hybrid k = 3: figures of an earlier simulator."""
ORDER = ("base", "mild", "long", "hicos", "confounded", "drift", "weak")
TOLERANCE = 2.5
LEAST_AUC, MOST_LOST = 0.8, 0.02
LEAST = {"base": 2.0, "long": 2.0, "drift": 2.0, "hicos": 2.0, "mild": 1.0, "confounded": 1.0,
         "weak": -0.5}  # fmt: skip


def gain(played: Mapping[str, Sequence[Played]], name: str, against: str) -> tuple[float, float]:
    """Points of success over another policy on the same tasks, with the 95% half-width."""
    pairs = zip(played[name], played[against], strict=True)
    return interval([100 * (mine.success - other.success) for mine, other in pairs])


def comparable(results: Results) -> list[str]:
    """Where the world is off the reference by more than 2.5 points."""
    found = []
    for name, wanted in REFERENCE.items():
        for scenario, value in zip(ORDER, wanted, strict=True):
            if scenario in results and name in results[scenario]:
                mean = gain(results[scenario], name, ANCHOR.name)[0]
                if abs(mean - value) > TOLERANCE:
                    found.append(f"{name} in {scenario}: {mean:+.1f}, wanted {value:+.1f}")
    return found


def overall(results: Results, name: str, against: str) -> tuple[float, float]:
    """The mean of the gain over all scenarios; the interval is over seeds, which they share."""
    by_scenario = [
        [
            100 * (mine.success - other.success)
            for mine, other in zip(played[name], played[against], strict=True)
        ]
        for played in results.values()
    ]
    return interval([sum(one) / len(one) for one in zip(*by_scenario, strict=True)])


def success(results: Results, entries: Sequence[Entry], against: str) -> list[list[str]]:
    """One row per policy, one column per scenario and one for all of them."""
    rows = []
    for entry in entries:
        gains = [gain(played, entry.name, against) for played in results.values()]
        gains.append(overall(results, entry.name, against))
        same = entry.name == against
        rows.append([entry.words, *("0" if same else f"{m:+.1f} ±{h:.1f}" for m, h in gains)])
    return rows


COLUMNS = (
    ("last_third", "last third %", 100, "{:.1f}"),
    ("precision", "useful %", 100, "{:.0f}"),
    ("harmed", "harmed %", 100, "{:.0f}"),
    ("per_task", "per task", 1, "{:.2f}"),
    ("lost", "good lost %", 100, "{:.1f}"),
    ("lost_ghosts", "ghosts %", 100, "{:.1f}"),
    ("auc", "AUC", 1, "{:.2f}"),
    ("auc_tried", "AUC 3+", 1, "{:.2f}"),
    ("auc_bound", "AUC bound", 1, "{:.2f}"),
    ("sessions_to_drop", "to drop", 1, "{:.0f}"),
)


def details(played: Mapping[str, Sequence[Played]], entries: Sequence[Entry]) -> list[list[str]]:
    """One row per policy with the other measures of one scenario."""
    rows = []
    for entry in entries:
        if entry.name in played:
            row = [entry.words]
            for field, _, factor, form in COLUMNS:
                mean = interval([getattr(one, field) for one in played[entry.name]])[0]
                row.append(form.format(factor * mean) if mean == mean else "")
            rows.append(row)
    return rows


def verdicts(results: Results) -> list[str]:
    """What the product has to reach, and whether it does."""
    lines = []
    for scenario, least in LEAST.items():
        if scenario in results and "helix" in results[scenario]:
            mean, half = gain(results[scenario], "helix", HARDEST.name)
            word = "ok" if mean >= least else "MISSED"
            lines.append(f"{word}  {scenario}: {mean:+.1f} ±{half:.1f}, at least {least:+.1f}")
            lines += [_lost(scenario, results[scenario]), *_aucs(scenario, results[scenario])]
    return lines


def _lost(scenario: str, played: Mapping[str, Sequence[Played]]) -> str:
    lost = interval([p.lost + p.lost_ghosts for p in played["helix"]])[0]
    word = "ok" if lost <= MOST_LOST else "MISSED"
    return f"{word}  {scenario}: good insights lost {100 * lost:.1f}%, at most 2%"


def _aucs(scenario: str, played: Mapping[str, Sequence[Played]]) -> list[str]:
    """Both ways to count, and what a judge who knows each task's difficulty would reach."""
    bound = interval([p.auc_bound for p in played["helix"]])[0]
    lines = []
    for field, who in (("auc", "with feedback"), ("auc_tried", "used three times")):
        mean, half = interval([getattr(p, field) for p in played["helix"]])
        word = "ok" if mean >= LEAST_AUC else "MISSED"
        lines.append(
            f"{word}  {scenario}: AUC of those {who} {mean:.3f} ±{half:.3f}, at least 0.80"
            f" (bound {bound:.2f})"
        )
    return lines


def show(results: Results, entries: Sequence[Entry], against: Sequence[Entry]) -> None:
    """Print everything."""
    for other in against:
        print(f"\nPoints of task success against {other.words} (95% interval over seeds)")
        report.table(["policy", *results, "all"], success(results, entries, other.name))
    for scenario, played in results.items():
        print(f"\n{scenario}: in the last third, and at the end")
        report.table(["policy", *(c[1] for c in COLUMNS)], details(played, entries))
    off = comparable(results)
    print("\nThe world is comparable to the reference." if not off else "\nOFF the reference:")
    print("\n".join([*off, *verdicts(results)]))


def as_json(results: Results, seeds: Sequence[int]) -> dict[str, Any]:
    """The seeds; by scenario and policy the success in each world and the mean of all else."""
    return {
        "seeds": [seeds[0], seeds[-1]],
        "scenarios": {
            scenario: {name: _summary(runs) for name, runs in played.items()}
            for scenario, played in results.items()
        },
    }


def _summary(runs: Sequence[Played]) -> dict[str, Any]:
    means = {
        field: interval([getattr(one, field) for one in runs])[0]
        for field in vars(runs[0])
        if field != "success"
    }
    return {
        "success": [round(one.success, 4) for one in runs],
        **{k: None if math.isnan(mean) else round(mean, 4) for k, mean in means.items()},
    }
