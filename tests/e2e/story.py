"""A whole /helix session as a story: what is asked, planned, built, goes wrong, and is learned.

Role: plain data and the steps that use it. May import: standard library, tests.e2e.

Five tasks in three waves. Task 2 ends partial, and what remains becomes task 6. Task 3 is blocked,
and task 7 takes its place. The first builder of task 4 dies, a second one delivers. What the block
taught is asked, answered, and stored; a later session on the same ground gets it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.e2e.loopback_api import Call, Reply, Say
from tests.e2e.orchestra import (
    AgentTurn,
    Answers,
    Orchestra,
    Step,
    agent,
    always,
    answer_json,
    shell,
)
from tests.e2e.scenario import CLOSING, builder_turn
from tests.e2e.world import WorldTask

OBJECTIVE = "Limit the rate of requests to the shop API, by customer"
REMAINING = "the limits of trial customers still stand in a constant of the billing module"
BLOCK = (
    "redis in the test environment refuses every connection since its password has been rotated, "
    "so tests/test_shared.py cannot start"
)
LESSON = (
    "When token buckets are shared between server processes, keep them in the database because "
    "redis in the test environment has no stable password"
)
CONSTRAINTS = ["Read a monotonic clock wherever tokens refill [50%]"]
RISK_AREAS = ["Whatever is shared between server processes"]
TARGETS = ["Where the API answers before a handler runs"]
DIED = "WARNING: the first builder of this task died on an API error."

BUCKET = WorldTask(
    1,
    "Add a token bucket to the shop API that refills every second",
    "When a token bucket refills, read a monotonic clock because wall time jumps backwards",
    "delivered",
    "TokenBucket in api/bucket.py with take() and refill()",
    check="passes",
)
LIMITS = WorldTask(
    2,
    "Read the request limit of each customer from the settings file",
    "When limits come from a settings file, refuse unknown customer names at start because a typo "
    "otherwise means no limit",
    "partial",
    "limits of paying customers come from the settings file",
    remaining=REMAINING,
)
SHARED = WorldTask(
    3,
    "Share the token buckets between the server processes through redis",
    "When server processes share counters, let one script do reading and writing because two calls "
    "race",
    "blocked",
    BLOCK,
    check="fails",
)
REFUSAL = WorldTask(
    4,
    "Answer requests over the limit with status 429 and a retry header",
    "When a status 429 is sent, put whole seconds into the retry header because clients refuse "
    "fractions",
    "delivered",
    "requests over the limit get 429 with Retry-After",
    check="passes",
)
LOAD = WorldTask(
    5,
    "Load test the shop API at twice the limit of a customer",
    "When a load test exceeds a limit, count answers by status because an average hides refusals",
    "delivered",
    "half of the answers at twice the limit are 429",
    check="passes",
)
TRIALS = WorldTask(
    6,
    "Move the limits of trial customers from the billing constant into the settings file",
    "",
    "delivered",
    "no limit stands in the code any more",
    check="passes",
)
IN_DATABASE = WorldTask(
    7,
    "Share the token buckets between the server processes through a table of the database",
    "",
    "delivered",
    "buckets live in the table token_bucket, one row for a customer",
    check="passes",
)
LATER = WorldTask(
    1,
    "Let the server processes of the search API keep their token buckets in one database table",
    "",
    "delivered",
    "the search API shares its buckets through the table token_bucket",
    check="passes",
)

PLANNED = (BUCKET, LIMITS, SHARED, REFUSAL, LOAD)
BLOCKERS = {1: [], 2: [], 3: [1], 4: [2], 5: [3, 4]}
INSIGHTS = tuple(task.insight for task in PLANNED)
SCOPES = ("api", "billing", "tests")
EXPLORED = (
    "until [ $(ls .helix/explorer-results/*.json 2>/dev/null | wc -l) -ge 3 ]; do sleep 0.2; done"
)
PLANNED_IS = (
    'until helix dag status --session "$CLAUDE_CODE_SESSION_ID" >/dev/null 2>&1; do sleep 0.2; done'
)

EXPECTED_STATES = {
    "1": "delivered",
    "2": "partial",
    "3": "blocked",
    "4": "delivered",
    "5": "delivered",
    "6": "delivered",
    "7": "delivered",
}


def entry(task: WorldTask, blocked_by: Sequence[int] = ()) -> dict[str, Any]:
    """A task as a planner writes it."""
    return {
        "seq": task.seq,
        "slug": "-".join(task.text.lower().split()[:3]),
        "description": task.text,
        "relevant_files": ["NOTES.txt"],
        "blocked_by": list(blocked_by),
        "verify": task.verify,
    }


def plan_message(tasks: Sequence[WorldTask]) -> str:
    """The last message of a planner."""
    spec = json.dumps([entry(task, BLOCKERS[task.seq]) for task in tasks], indent=1)
    return f"Early risk first.\n\nPLAN_SPEC:\n{spec}\nPLAN_COMPLETE: {len(tasks)} tasks specified"


def findings_message(scope: str) -> str:
    """The last message of an explorer."""
    finding = {"file": f"{scope}/__init__.py", "what": f"the package {scope} starts here"}
    report = {"scope": scope, "focus": "rate limits", "status": "success", "findings": [finding]}
    return f"```json\n{json.dumps(report)}\n```"


def explorer(scope: str) -> Call:
    """The start of an explorer."""
    prompt = (
        f"CONTEXT: none\nSCOPE: {scope}\nFOCUS: where rate limits would be enforced\n"
        f"OBJECTIVE: {OBJECTIVE}\n"
    )
    return agent(f"explore_{scope}", "explorer", prompt)


def planner(name: str = "plan") -> Call:
    """The start of the planner."""
    prompt = (
        f"OBJECTIVE: {OBJECTIVE}\nEXPLORATION: api/__init__.py: the package starts here\n"
        f"CONSTRAINTS:\n- {CONSTRAINTS[0]}\nRISK_AREAS:\n- {RISK_AREAS[0]}\n"
    )
    return agent(name, "planner", prompt)


def builder(task: WorldTask, attempt: int = 1) -> Call:
    """The start of a builder; a second one is warned of what happened to the first."""
    warning = f"{DIED}\n" if attempt > 1 else ""
    prompt = (
        f"TASK_ID: {task.seq}\nTASK: {task.text}\nOBJECTIVE: {OBJECTIVE}\nVERIFY: {task.verify}\n"
        f"{warning}{CLOSING}"
    )
    return agent(f"build_{task.seq}_{attempt}", "builder", prompt)


def says(text: str) -> AgentTurn:
    """An agent that answers at once."""
    reply: Reply = [Say(text)]
    return lambda turn: reply


def builds(task: WorldTask, mark: str = "") -> AgentTurn:
    """A builder that ends as the task says; `mark` keeps the calls of a second one apart."""
    return lambda turn: builder_turn(task, turn, mark)


QUESTION = {
    "header": "Shared state",
    "question": f"Task 3 ended blocked: {BLOCK}. What should a later session do (api/bucket.py)?",
    "options": [
        {
            "label": "Use the database",
            "description": "redis in the test environment is not to be relied on",
            "insight": {"content": LESSON, "tags": ["rate-limit"]},
        },
        {"label": "Wait for redis", "description": "the password is mended tomorrow"},
    ],
    "task": 3,
}


def _wait_for_answer(answers: Answers) -> Sequence[Call]:
    asked = answer_json(answers, "ask")
    (number,) = [question["id"] for question in asked["questions"]]
    return [shell("answer", f"helix learn wait {number} --timeout 60 --json")]


def _with_the_clients_task_list() -> list[Step]:
    """One task noted in the client's own list too, and its id with ours."""

    def link(answers: Answers) -> Sequence[Call]:
        (number,) = re.findall(r"#(\d+)", answers["toolu_listed"])
        return [shell("linked", f"helix dag set {BUCKET.seq} link {number} --json")]

    listed = {"subject": BUCKET.text, "description": BUCKET.text}
    return [always(Call("toolu_listed", "TaskCreate", listed)), link]


def _recall() -> list[Step]:
    kept = {
        "objective": OBJECTIVE,
        "constraints": CONSTRAINTS,
        "risk_areas": RISK_AREAS,
        "exploration_targets": TARGETS,
    }
    return [
        always(shell("recall", "helix strategic-recall --json -", OBJECTIVE)),
        always(shell("keep", "helix recall-synthesis set -", json.dumps(kept))),
    ]


def whole(background: bool) -> Orchestra:
    """The session in which it is all learned.

    In the foreground the client has its Task tools too (`told`), and they change nothing.
    """
    dead = replace(REFUSAL, ending="crashed", check="not run")
    agents: list[tuple[str, AgentTurn]] = [
        *((f"SCOPE: {scope}\n", says(findings_message(scope))) for scope in SCOPES),
        ("EXPLORATION: api", says(plan_message(PLANNED))),
        (DIED, builds(REFUSAL, "again")),
        *(
            (f"TASK: {task.text}\n", builds(task))
            for task in (BUCKET, LIMITS, SHARED, dead, LOAD, TRIALS, IN_DATABASE)
        ),
    ]
    steps: list[Step] = [
        *_recall(),
        always(*map(explorer, SCOPES)),
        always(shell("explored", EXPLORED)),
        always(planner()),
        always(shell("planned", PLANNED_IS)),
        always(shell("plan_status", "helix dag status --json")),
        *([] if background else _with_the_clients_task_list()),
        always(shell("ready_1", "helix dag ready --json")),
        always(builder(BUCKET), builder(LIMITS)),
        always(shell("wait_1", "helix dag wait 1 2 --timeout 60 --json")),
        always(shell("fold", "helix dag set 2 replan - --json", json.dumps([entry(TRIALS)]))),
        always(shell("ready_2", "helix dag ready --json")),
        always(builder(SHARED), builder(TRIALS)),
        always(shell("wait_2", "helix dag wait 3 6 --timeout 60 --json")),
        always(
            shell("replan", "helix dag set 3 replan - --json", json.dumps([entry(IN_DATABASE)]))
        ),
        always(shell("ready_3", "helix dag ready --json")),
        always(builder(IN_DATABASE), builder(REFUSAL)),
        always(shell("wait_3", "helix dag wait 4 7 --timeout 60 --json")),
        always(shell("stalled", "helix dag status --json")),
        always(shell("retry", "helix dag set 4 retry --json")),
        always(shell("ready_4", "helix dag ready --json")),
        always(builder(REFUSAL, attempt=2)),
        always(shell("wait_4", "helix dag wait 4 --timeout 60 --json")),
        always(shell("parents", "helix dag deliveries 5 --json")),
        always(builder(LOAD)),
        always(shell("wait_5", "helix dag wait 5 --timeout 60 --json")),
        always(shell("status", "helix dag status --json")),
        always(shell("ask", "helix learn ask - --json", json.dumps(QUESTION))),
        _wait_for_answer,
        always(shell("report", "helix session report --json")),
    ]
    return Orchestra(steps, agents, "The objective is reached.", background)


def again(background: bool) -> Orchestra:
    """A later session on the same ground: one task, which the lesson is made for."""
    agents: list[tuple[str, AgentTurn]] = [
        ("EXPLORATION: api", says(plan_message([LATER]))),
        (f"TASK: {LATER.text}\n", builds(LATER)),
    ]
    steps = [
        *_recall(),
        always(planner()),
        always(shell("planned", PLANNED_IS)),
        always(shell("ready_1", "helix dag ready --json")),
        always(builder(LATER)),
        always(shell("wait_1", "helix dag wait 1 --timeout 60 --json")),
        always(shell("report", "helix session report --json")),
    ]
    return Orchestra(steps, agents, "Done.", background)


def asking(background: bool) -> Orchestra:
    """`/helix-query`: the memory is asked, and what it says is shown."""
    steps = [
        always(shell("recall", "helix recall --json --limit 10 -", BUCKET.text)),
        always(shell("explain", "helix explain -", BUCKET.text)),
    ]
    return Orchestra(steps, [], "This is what the memory knows.", background)


def figures(background: bool) -> Orchestra:
    """`/helix-stats`: the figures are read, and nothing else happens."""
    steps = [
        always(shell("health", "helix health --json")),
        always(shell("stats", "helix stats --json")),
    ]
    return Orchestra(steps, [], "This is how the memory is doing.", background)


def only_planning(background: bool) -> Orchestra:
    """`/helix-meta-planner`: recall, a plan that is checked, and no agent."""
    tasks = json.dumps([entry(task, BLOCKERS[task.seq]) for task in PLANNED])
    steps = [
        always(shell("recall", "helix strategic-recall --json -", OBJECTIVE)),
        always(shell("check", "helix dag plan --check --json -", tasks)),
    ]
    return Orchestra(steps, [], "The plan, with the insights that shaped it.", background)
