"""The memory and the work of the end-to-end test: 30 insights, 24 tasks, four waves of six.

Role: plain data. May import: standard library only.

The six tasks of a wave come from one trade (tests, migrations, caches, deploys) and share its
words, so a memory that hands out "something about migrations" is wrong five times in six. Each
task has exactly one insight meant for it; six more insights speak the same language and are meant
for none. `test_world.py` measures that every own insight ranks first, by keyword and by vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Ending = Literal["delivered", "partial", "blocked", "unknown", "crashed"]
Check = Literal["passes", "fails", "not run"]
WAVE_SIZE = 6


@dataclass(frozen=True)
class WorldTask:
    """One scripted builder: what it is asked, the insight meant for it, and how it ends.

    `report` is the text behind the outcome marker (the reason of a block), `remaining` what a
    partial one leaves, `check` what its VERIFY command does, `learned` an insight of its own.
    """

    seq: int
    text: str
    insight: str
    ending: Ending
    report: str = ""
    remaining: str = ""
    check: Check = "not run"
    learned: str = ""

    @property
    def wave(self) -> int:
        """The wave the task belongs to, counted from 0."""
        return (self.seq - 1) // WAVE_SIZE

    @property
    def verify(self) -> str:
        """The command named after VERIFY in the prompt."""
        return f"sh checks/task.sh {self.seq} {1 if self.check == 'fails' else 0}"

    @property
    def reason(self) -> str:
        """Why the task did not get done, as its builder puts it; empty for other endings."""
        return {"blocked": self.report, "partial": self.remaining}.get(self.ending, "")

    @property
    def source(self) -> str:
        """What the outcome rests on: the agent's own word, or a check that agrees or does not."""
        if self.check == "not run" or self.ending in ("unknown", "crashed"):
            return "self"
        agrees = (self.check == "passes") == (self.ending == "delivered")
        return "verified" if agrees else "contradicted"


TASKS: tuple[WorldTask, ...] = (
    # Wave 0: the test suite of one checkout service.
    WorldTask(
        1,
        "Stop the checkout tests from failing around midnight when the date changes",
        "When tests fail around midnight, freeze the clock in a fixture because the date changes "
        "between two reads",
        "delivered",
        "checkout tests read one frozen clock",
        check="passes",
        learned="When a frozen clock is shared by async tests, tick it by hand because "
        "awaiting a sleep never returns",
    ),
    WorldTask(
        2,
        "Make the checkout tests faster by building the database fixture only once per module",
        "When a database fixture makes tests slow, build it once per module and roll back a "
        "savepoint because creating the schema takes seconds",
        "partial",
        "the fixture is built once per module",
        remaining="two modules still commit by hand and leave rows behind for their neighbours",
    ),
    WorldTask(
        3,
        "Run the checkout tests in parallel processes without clashing on a listening port",
        "When tests run in parallel processes, bind listening port zero and read back the number "
        "because fixed ports clash",
        "blocked",
        "the vendored mail server only starts on 2525 and ignores every port option given to it",
        check="fails",
    ),
    WorldTask(
        4,
        "Refresh the screenshot snapshots of the checkout tests after the new footer",
        "When tests compare screenshot snapshots, look at every picture before accepting it "
        "because a blind refresh hides a broken footer",
        "delivered",
        "11 snapshots refreshed, each looked at",
    ),
    WorldTask(
        5,
        "Keep the checkout tests off the network by faking the payment gateway replies",
        "When tests need payment gateway replies, play back recorded ones because hand written "
        "fakes drift from the real network",
        "unknown",
        learned="When recording gateway traffic, strip the merchant number because playback "
        "files are public",
    ),
    WorldTask(
        6,
        "Raise the branch coverage of the checkout tests for refunds of partly shipped orders",
        "When tests leave branch coverage of refunds low, list shipped and unshipped cases in a "
        "table because every guard needs both answers",
        "crashed",
    ),
    # Wave 1: migrations of one orders database.
    WorldTask(
        7,
        "Write the orders migration that adds a required currency column without locking the table",
        "When a migration adds a required column, fill the old rows in batches before the "
        "constraint because one big rewrite locks the table",
        "blocked",
        "timeout",
    ),
    WorldTask(
        8,
        "Write the orders migration that renames the buyer column to customer",
        "When a migration renames a column, keep the former name as an alias for one release "
        "because servers still running read it",
        "delivered",
        "customer column with an alias for the former name",
        check="passes",
    ),
    WorldTask(
        9,
        "Write the orders migration that builds an index on the shipping date",
        "When a migration builds an index, create it concurrently outside a transaction because "
        "a plain index build stops all writers",
        "partial",
        "the index is built concurrently on the primary",
        remaining="docs",
        check="fails",
    ),
    WorldTask(
        10,
        "Write the orders migration that moves postal addresses into a table of their own",
        "When a migration moves addresses into their own table, merge spelling twins first "
        "because postal duplicates break the unique key",
        "unknown",
    ),
    WorldTask(
        11,
        "Write the downgrade of the orders migration that dropped the archive data",
        "When a downgrade must bring back dropped data, export an archive beforehand because a "
        "drop keeps nothing to restore",
        "crashed",
    ),
    WorldTask(
        12,
        "Rehearse the orders migration on a copy of production before the weekend",
        "When rehearsing a migration, use a masked copy of production because an empty schema "
        "proves nothing about running time",
        "delivered",
        "rehearsed on the masked copy in nine minutes",
        learned="When a rehearsal is timed, warm the page store first because the cold run "
        "measures only the disk",
    ),
    # Wave 2: one product cache.
    WorldTask(
        13,
        "Drop entries from the product cache as soon as an editor changes a price",
        "When an editor changes a price, drop the cache entry after the commit because an "
        "earlier drop is refilled with the old price",
        "partial",
        "entries are dropped after the commit",
        remaining="bulk price imports bypass the editor and never send the drop message",
    ),
    WorldTask(
        14,
        "Protect the product cache from a stampede when a popular key expires",
        "When a popular cache key expires, let one caller recompute under a lock because a "
        "stampede overwhelms the backend",
        "unknown",
    ),
    WorldTask(
        15,
        "Limit how much memory the product cache may use before it evicts entries",
        "When limiting cache memory, count bytes instead of entries because a few large values "
        "evict everything else",
        "crashed",
    ),
    WorldTask(
        16,
        "Remember missing products in the cache so that crawlers stop hitting the database",
        "When crawlers ask a cache for missing products, remember the absence briefly because "
        "each miss otherwise reaches the database",
        "delivered",
        "absences are remembered for thirty seconds",
        check="fails",
    ),
    WorldTask(
        17,
        "Put a format version into the product cache keys for the next release",
        "When the format of a cached value changes, put a version into the cache key because the "
        "old release still reads the same keys",
        "delivered",
        "keys carry a format version",
        check="passes",
    ),
    WorldTask(
        18,
        "Show the hit ratio of the product cache on the monitoring dashboard",
        "When showing the hit ratio of a cache, leave out warm up traffic because the dashboard "
        "otherwise averages two different days",
        "blocked",
        "the metrics agent on the dashboard host drops every gauge whose label holds a dot",
        check="fails",
    ),
    # Wave 3: deploys of one API service.
    WorldTask(
        19,
        "Deploy the API without cutting open connections of streaming clients",
        "When an API deploy stops servers, drain open connections first because streaming "
        "clients do not resume",
        "unknown",
    ),
    WorldTask(
        20,
        "Deploy the API with rotated signing secrets and no rejected tokens",
        "When an API deploy rotates signing secrets, accept the previous one for an hour because "
        "tokens already issued are otherwise rejected",
        "crashed",
    ),
    WorldTask(
        21,
        "Deploy the API to one canary region and compare its error rate",
        "When an API deploy is compared on a canary, pick a region with ordinary traffic because "
        "a quiet region hides the error rate",
        "delivered",
        "canary compared in the busiest region",
    ),
    WorldTask(
        22,
        "Deploy the API from a smaller container image with fewer layers",
        "When the container image of an API deploy grows, copy only built files into the last "
        "stage because build tools stay in the layers",
        "blocked",
        "the private base image refuses multi stage builds because its entry script is read only",
    ),
    WorldTask(
        23,
        "Deploy the API with a readiness probe that waits for the search index",
        "When an API deploy passes its readiness probe too early, let it query the search index "
        "because a port opens long before the data is loaded",
        "partial",
        "the probe queries the search index",
        remaining="the standby zone has no search index, so its probe can never become green",
        check="fails",
    ),
    WorldTask(
        24,
        "Deploy the API behind a feature flag that can be switched off without a rollback",
        "When a feature flag guards an API deploy, test the switched off side too because a flag "
        "that only works on is no rollback",
        "delivered",
        "flag tested on both sides",
        check="passes",
    ),
)

# Builders asked for the same thing at once: the best insight can go to only one of them, and at
# least five of the 30 fit, by vector (0.35 and more) as by keyword (two shared words).
TWINS: tuple[WorldTask, ...] = tuple(
    WorldTask(
        number,
        "Protect the product cache from a stampede when the key of a changed value expires",
        "",
        "delivered",
        "one caller recomputes",
    )
    for number in range(101, 106)
)

DISTRACTORS: tuple[str, ...] = (
    "When tests are reviewed, read the assertions before the names because names flatter",
    "When two branches add a migration, renumber the later one because the order decides",
    "When a cache hides a bug, switch it off before debugging because stale answers mislead",
    "When a deploy goes wrong, write down the exact minute because logs are searched by time",
    "When a table is only appended to, partition it by month because old parts are dropped whole",
    "When a client library is upgraded, read its changelog aloud in the team because one person "
    "skips lines",
)

INSIGHTS: tuple[str, ...] = tuple(task.insight for task in TASKS) + DISTRACTORS


def waves() -> tuple[tuple[WorldTask, ...], ...]:
    """The tasks in the order they are launched: four tuples of six."""
    return tuple(TASKS[start : start + WAVE_SIZE] for start in range(0, len(TASKS), WAVE_SIZE))


def with_feedback() -> tuple[WorldTask, ...]:
    """The tasks whose outcome says something about the insight that was given to them."""
    return tuple(
        task
        for task in TASKS
        if task.ending in ("delivered", "partial", "blocked") and task.source != "contradicted"
    )


def with_derived() -> tuple[WorldTask, ...]:
    """The tasks whose reason is specific enough to become an insight of its own."""
    return tuple(task for task in TASKS if len(task.reason) >= 20)


def task_of(seq: int) -> WorldTask:
    """The task with this number; KeyError if there is none."""
    for task in TASKS:
        if task.seq == seq:
            return task
    raise KeyError(seq)
