"""Filling the archive of a memory with failures whose directions the test chooses."""

from __future__ import annotations

from collections.abc import Sequence

from geometry import Directions, at, directions

from helix_core.memory.context import Memory
from helix_core.model import Insight
from helix_core.store import results, runs
from helix_core.store.connection import writing

# Five subjects, each on an axis of its own: cosine 0 between any two of them.
SUBJECTS = {
    "migration": "the orders table is missing because migration {n} is not applied in CI",
    "oauth": "the OAuth provider cannot be reached from the login tests, attempt {n}",
    "kafka": "the Kafka consumer lags behind after deployment {n} of the order service",
    "hydration": "the Playwright checkout spec fails with a hydration mismatch in run {n}",
    "lockfile": "poetry.lock is out of date against pyproject.toml in job {n}",
}
AXES = {subject: number * 5 + 1 for number, subject in enumerate(SUBJECTS)}


def direction(subject: str, tilt: float = 0.0, towards: int = 0) -> list[float]:
    """The unit vector of a subject, tilted by some degrees towards one of its own side axes."""
    axis = AXES[subject]
    flat = at(tilt, 31)  # cosine on the first axis, sine on the last
    vector = [0.0] * len(flat)
    vector[axis], vector[axis + 1 + towards % 4] = flat[0], flat[31]
    return vector


class Subjects(Directions):
    """An embedder that sends a text it does not know the way of the subject it speaks of."""

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known.get(text) or _of(text) for text in texts]


def _of(text: str) -> list[float]:
    for subject, reason in SUBJECTS.items():
        if reason.split("{n}")[0] in text:
            return direction(subject, 25.0, 2)
    return at(90, 31)


def fail(
    mem: Memory,
    subject: str,
    number: int,
    *,
    session: str | None = None,
    outcome: str = "blocked",
    tilt: float = 10.0,
    given: Sequence[Insight] = (),
    task: str = "",
) -> str:
    """Archive one failure of a subject (in a session of its own unless named); its reason."""
    reason = SUBJECTS[subject].format(n=number)
    directions(mem)[reason] = direction(subject, tilt, number)
    session = session or f"session-{subject}-{number}"
    name = f"agent-{subject}-{session}-{number}"
    with writing(mem.conn):
        run_id = runs.create(
            mem.conn, session, "helix-builder", mem.moment, agent_id=name, state=outcome,
            tool_use_id=f"call-{name}", task=task, ended_at=mem.moment,
        )  # fmt: skip
        for row in given:
            mem.conn.execute(
                "INSERT INTO injection(agent_run_id, session_id, tool_use_id, insight_id, name,"
                " rank, effectiveness, score, source, created_at) VALUES (?,?,?,?,?,1,.5,.1,'h',?)",
                (run_id, session, f"call-{name}", row.id, row.name, mem.moment),
            )
        results.archive(
            mem.conn, agent_id=name, agent_type="helix-builder", task_id=str(number),
            outcome=outcome, summary=f"{reason} [CONSTRAINTS: keep it small]", reason=reason,
            mark=name, session_id=session, agent_run_id=run_id, moment=mem.moment,
        )  # fmt: skip
    return reason
