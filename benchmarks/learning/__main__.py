"""Does the memory learn? A simulated world with real sentences and real cosines.

Tuning has seen seeds 0 to 39; the final figures are those of seeds 1000 to 1039, the default here.
"""

from __future__ import annotations

import sys

from benchmarks import report
from benchmarks.learning import measure, policies, table, world

HELD_OUT = 1000
SEEDS, QUICK_SEEDS = 40, 4
PROCESSES = 2


def main() -> int:
    """Run it."""
    parser = report.arguments(__doc__ or "")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many worlds (40)")
    parser.add_argument("--first", type=int, default=HELD_OUT, metavar="SEED")
    parser.add_argument("--scenario", action="append", choices=[*world.SCENARIOS])
    parser.add_argument("--processes", type=int, default=PROCESSES, metavar="N")
    parser.add_argument("--ablations", action="store_true", help="leave out one rule at a time")
    options = parser.parse_args()
    count = options.seeds or (QUICK_SEEDS if options.quick else SEEDS)
    entries = [*policies.FRAME, *policies.RIVALS]
    if options.ablations:
        entries = [policies.ANCHOR, policies.HARDEST, policies.HELIX, *policies.ABLATIONS]
    seeds = range(options.first, options.first + count)
    names = [entry.name for entry in entries]
    results = {}
    with measure.processes(options.processes) as executor:
        for scenario in options.scenario or (("base",) if options.quick else table.ORDER):
            results[scenario] = measure.many_worlds(executor, scenario, names, seeds)
            print(f"{scenario}: {count} seeds", file=sys.stderr, flush=True)
    against = (policies.HELIX,) if options.ablations else (policies.ANCHOR, policies.HARDEST)
    table.show(results, entries, against)
    report.finish("learning", table.as_json(results, seeds), options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
