"""Does the memory learn? A simulated world with real sentences and real cosines.

Tuning has seen seeds 0 to 39; the final figures are those of seeds 1000 to 1039, the default here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import report
from benchmarks.learning import policies, run, sentences, table, world
from benchmarks.learning.policies import Entry
from benchmarks.learning.run import Played

HELD_OUT = 1000
SEEDS, QUICK_SEEDS = 40, 4


def measure(
    scenario: str, seeds: Sequence[int], entries: Sequence[Entry]
) -> dict[str, list[Played]]:
    """Every policy in every world of one scenario."""
    pool = sentences.pool()
    played: dict[str, list[Played]] = {entry.name: [] for entry in entries}
    for seed in seeds:
        made = world.build(world.SCENARIOS[scenario], pool, seed)
        for entry in entries:
            played[entry.name].append(run.play(made, entry.make(made)))
    return played


def main() -> int:
    """Run it."""
    parser = report.arguments(__doc__ or "")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many worlds (40)")
    parser.add_argument("--first", type=int, default=HELD_OUT, metavar="SEED")
    parser.add_argument("--scenario", action="append", choices=table.ORDER)
    parser.add_argument("--ablations", action="store_true", help="leave out one rule at a time")
    options = parser.parse_args()
    count = options.seeds or (QUICK_SEEDS if options.quick else SEEDS)
    entries = [*policies.FRAME, *policies.RIVALS]
    if options.ablations:
        entries = [policies.ANCHOR, policies.HARDEST, policies.HELIX, *policies.ABLATIONS]
    seeds = range(options.first, options.first + count)
    results = {}
    for scenario in options.scenario or (("base",) if options.quick else table.ORDER):
        results[scenario] = measure(scenario, seeds, entries)
        print(f"{scenario}: {count} seeds", file=sys.stderr, flush=True)
    table.show(results, entries)
    report.finish("learning", table.as_json(results), options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
