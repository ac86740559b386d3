"""A project whose memory was filled by helix itself: hooks, feedback and curation, no SQL by hand.

Texts become vectors by counting their words, so that similarity, gate and attribution run as they
do with a model, in no time and the same everywhere.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from helix_core import dispatch, settings
from helix_core.embed.index import MatrixIndex
from helix_core.memory.context import Memory
from helix_core.paths import Project, find_project
from helix_core.profiles import MINILM
from helix_core.store.connection import open_store
from helix_core.text import tokens
from helix_core.text.stopwords import STOP_WORDS

NOW = datetime(2026, 3, 14, 12, 0, 0, tzinfo=timezone.utc)
SESSION = "5e551011-0000-4000-8000-000000000001"
DIM = 256
PROFILE = replace(
    MINILM, name="words", dim=DIM, gate=0.15, related=0.45, causal_threshold=0.15, causal_ramp=0.35
)


class Words:
    """Unit vectors that count words."""

    profile = PROFILE

    def embed_query(self, text: str) -> list[float]:
        values = [0.0] * DIM
        for word in (tokens.stem(w) for w in tokens.words(text) if w not in STOP_WORDS):
            values[zlib.crc32(word.encode()) % DIM] += 1.0
        norm = math.sqrt(sum(x * x for x in values)) or 1.0
        return [x / norm for x in values]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class World:
    """One project, and the hooks of a client that works in it."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        (root / ".git").mkdir(exist_ok=True)
        self.project: Project = find_project(root, environ={})
        self.now = NOW - timedelta(hours=2)
        self._words = Words()
        self._index = MatrixIndex(PROFILE)
        self._calls = 0

    def run(self, op: str, args: dict[str, Any], *, actor: str = "cli") -> Any:
        conn = open_store(self.project.database, create=True)
        try:
            self._index.refresh(conn)
            mem = Memory(
                conn=conn,
                project=self.project,
                settings=settings.load(self.project.home, {}),
                now=self.now,
                embedder=self._words,
                index=self._index,
                actor=actor,
            )
            return dispatch.run(mem, op, args)
        finally:
            conn.close()

    def later(self, **span: float) -> None:
        self.now += timedelta(**span)

    def store(self, content: str, *tags: str, source: str = "agent") -> str:
        told = {"content": content, "tags": tags, "source": source}
        return str(self.run("store", told, actor="hook")["name"])

    def hook(self, event: str, session: str = SESSION, **payload: Any) -> Any:
        return self.run(f"hook:{event}", {"payload": {"session_id": session, **payload}})

    def call(self, role: str, prompt: str, session: str = SESSION) -> str:
        """An agent is called and starts; returns its id."""
        self._calls += 1
        use, agent = f"toolu_{self._calls:04d}", f"a{self._calls:07d}"
        tool = {"subagent_type": f"helix:helix-{role}", "prompt": prompt, "description": "x"}
        self.hook("PreToolUse", session, tool_name="Agent", tool_use_id=use, tool_input=tool)
        self.later(seconds=2)
        self.hook("SubagentStart", session, agent_id=agent, agent_type=f"helix:helix-{role}")
        self.hook(
            "PostToolUse",
            session,
            tool_name="Agent",
            tool_use_id=use,
            tool_input=tool,
            tool_response={"agentId": agent},
        )
        return agent

    def end(self, agent: str, role: str, message: str, session: str = SESSION) -> None:
        self.hook(
            "SubagentStop",
            session,
            agent_id=agent,
            agent_type=f"helix:helix-{role}",
            last_assistant_message=message,
        )

    def crash(self, agent: str, role: str, error: str, session: str = SESSION) -> None:
        self.hook(
            "StopFailure", session, agent_id=agent, agent_type=f"helix:helix-{role}", error=error
        )


LESSONS = (
    ("When a migration adds a NOT NULL column, give it a default because SQLite refuses it", "db"),
    ("When tests share one database file, open it per test because locks leak between tests", "db"),
    (
        "When parsing dates from the API, read them as UTC because the server sends naive times",
        "api",
    ),
    ("When the checkout form rounds prices, use Decimal because floats lose cents", "money"),
    ("When a webhook arrives twice, key it by event id because the sender retries", "api"),
    ("When mocking the mail server, patch the client class because the module caches it", "tests"),
)


def prompt(task_id: int, task: str) -> str:
    return f"TASK_ID: {task_id}\n\nTASK: {task}\n\nOBJECTIVE: the shop takes orders\n"


PLAN = [
    {
        "seq": seq,
        "slug": slug,
        "description": description,
        "blocked_by": blocked_by,
        "verify": f"pytest -q tests/test_{slug.replace('-', '_')}.py",
    }
    for seq, slug, description, blocked_by in (
        (1, "orders-migration", "Migration with the NOT NULL column", []),
        (2, "price-rounding", "Prices in Decimal", [1]),
        (3, "webhook", "Webhook by event id", [1]),
        (4, "mail", "Order mail", [2, 3]),
    )
]


def shop(root: Path) -> World:
    """A shop: one planned run with an agent in every state, six lessons and what became of them."""
    world = World(root)
    world.later(days=-6)
    for text, tag in LESSONS:
        world.store(text, tag)
        world.later(hours=5)
    world.store("When in doubt, ask for the invoice layout because the owner cares", source="user")
    _earlier(world)
    world.now = NOW - timedelta(minutes=40)
    world.hook("SessionStart", source="startup")
    planner = world.call("planner", "OBJECTIVE: the shop takes orders\n\nEXPLORATION: none yet\n")
    world.later(minutes=3)
    plan = f"PLAN_SPEC:\n{json.dumps(PLAN)}\n\nPLAN_COMPLETE: 4 tasks specified"
    world.end(planner, "planner", plan)
    first = world.call("builder", prompt(1, "add a migration with a NOT NULL column for orders"))
    world.later(minutes=6)
    world.end(first, "builder", "DELIVERED: orders table has its total column")
    second = world.call("builder", prompt(2, "the checkout form rounds prices with Decimal"))
    third = world.call("builder", prompt(3, "a webhook that arrives twice counts by event id"))
    world.later(minutes=8)
    world.end(second, "builder", "BLOCKED: the price list has three currencies and no rate table")
    world.later(minutes=1)
    world.crash(third, "builder", "API Error: 529 overloaded")
    world.later(minutes=2)
    world.call("builder", prompt(3, "a webhook that arrives twice counts by event id, again"))
    return world


def _earlier(world: World, session: str = "5e551011-0000-4000-8000-000000000000") -> None:
    """A session of two days ago, without a plan."""
    world.now = NOW - timedelta(days=2)
    for number, (task, outcome) in enumerate(
        (
            ("a webhook of the sender arrives twice, key it by event id", "DELIVERED: keyed"),
            ("the dates from the API are naive times in the server log", "DELIVERED: read as UTC"),
            (
                "tests share one database file and its locks leak",
                "PARTIAL: half of them\nREMAINING: the rest of the tests still share it",
            ),
        ),
        1,
    ):
        agent = world.call("builder", prompt(number, task), session)
        world.later(minutes=5)
        world.end(agent, "builder", outcome, session)
    world.hook("SessionEnd", session)


LESSON = (
    "When prices come in several currencies, ask for the rate table because none is in the repo"
)
QUESTIONS = [
    {
        "header": "No rate table",
        "question": 'Task 2 ended with "the price list has three currencies and no rate table".'
        " Where do rates come from?",
        "task": "2",
        "files": ["shop/prices.py", "shop/rates.py"],
        "options": [
            {"label": "From the bank's file", "description": "it lies on the server every night"},
            {
                "label": "Nobody knows yet",
                "description": "the owner has to be asked",
                "insight": {"content": LESSON, "tags": ["money"]},
            },
        ],
    },
    {
        "header": "What may fail",
        "question": 'Task 3 ended with "API Error: 529 overloaded". Which of these should we do?',
        "task": "3",
        "multi_select": True,
        "options": [
            {"label": "Try again later"},
            {
                "label": "Fewer at once",
                "insight": "When the API is overloaded, run fewer builders because each one waits",
            },
            {"label": "Tell the owner"},
        ],
    },
]


def questions(root: Path) -> list[int]:
    """Two questions of the running session, a conflict and a candidate; the numbers of the two."""
    world = World(root)
    world.now = NOW - timedelta(minutes=5)
    world.store("When tests share one database file, never open it per test because it is slow")
    world.run("trash", {"names": ["when-in-doubt-ask-for-the-invoice-layout-because-t"]})
    world.store("When in doubt, ask for the invoice layout because the owner cares")
    world.later(minutes=2)
    asked = {"document": {"questions": QUESTIONS}, "session": SESSION}
    found = world.run("learn-ask", asked)["questions"]
    return [int(item["id"]) for item in found]


def many(root: Path, count: int) -> World:
    """A memory of `count` insights, stored as helix stores them."""
    from helix_core.store import insights
    from helix_core.store.connection import writing

    world = World(root)
    conn = open_store(world.project.database, create=True)
    with writing(conn):
        for number in range(count):
            insights.insert(
                conn,
                content=f"When part {number} of {count} fails then look at rule {number * 7919}",
                tags=[f"t{number % 7}"],
                effectiveness=(number * 37 % 101) / 100,
                source="agent",
                moment=(NOW - timedelta(minutes=number)).isoformat(),
                embedding=None,
                embedding_model=None,
            )
    conn.close()
    return world


def hold_out(project: Project, count: int) -> None:
    """So many more agents that ended, each with one insight that a coin was tossed for."""
    from helix_core.model import Given
    from helix_core.store import runs
    from helix_core.store.connection import writing

    conn = open_store(project.database)
    moment = (NOW - timedelta(days=1)).isoformat()
    with writing(conn):
        for n in range(count):
            withheld, delivered = n % 3 == 0, n % 9 in (1, 2, 4, 5, 6)
            run_id = runs.create(
                conn, "held", "helix-builder", moment, tool_use_id=f"toolu_held_{n}",
                agent_id=f"held{n}", state="delivered" if delivered else "blocked",
                outcome_source="self", ended_at=moment,
            )  # fmt: skip
            run = runs.by_id(conn, run_id)
            assert run is not None
            given = Given(1 + n // 9 % 6, f"lesson-{n // 9 % 6}", "", (), 0.5, 0.6, 0.01, 0)
            runs.add_injection(
                conn, run, given, rank=1, value=None, chars=0, source="hook", moment=moment,
                withheld=withheld, probability=1 / 3,
            )  # fmt: skip
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    conn.close()


def texts(rows: Iterable[Sequence[object]]) -> list[str]:
    return [str(row[0]) for row in rows]


def same_times(project: Project) -> None:
    """Give all hook calls one duration: the only figure that no two makings share."""
    conn = open_store(project.database)
    conn.execute("UPDATE hook_call SET ms = 40.0")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    conn.close()
