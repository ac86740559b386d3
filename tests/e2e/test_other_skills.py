"""The skills beside /helix on the real client: they ask, count and plan, and change nothing."""

from __future__ import annotations

import json

import pytest

from tests.architecture.prose import skills
from tests.e2e import conversation, story
from tests.e2e.memory import number, rows
from tests.e2e.stage import House
from tests.e2e.told import answers, consulted

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.model,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("real-client"),
]
SKILLS = [
    ("asking", "helix-query", story.BUCKET.text, "This is what the memory knows."),
    ("figures", "helix-stats", "", "This is how the memory is doing."),
    ("only-planning", "helix-meta-planner", story.OBJECTIVE, "The plan, with the insights that"),
]


@pytest.mark.parametrize(("plan", "skill", "given", "closing"), SKILLS, ids=lambda v: str(v)[:12])
def test_a_skill_that_only_looks(
    plan: str, skill: str, given: str, closing: str, house: House
) -> None:
    with consulted(house, plan, f"/helix:{skill} {given}".strip()) as (place, run):
        assert run.returncode == 0, run.stderr
        assert run.result["result"].startswith(closing)
        first = conversation.first_message(
            next(r["body"] for r in run.requests if not conversation.is_small_question(r["body"]))
        )
        (page,) = [item for item in skills() if item.fields["name"] == skill]
        assert page.body.strip().split("\n\n", 1)[0] in first
        assert given in first
        said = answers(run)
        assert not [name for name, text in said.items() if "Exit code" in text], said
        db = place.project / ".helix" / "helix.db"
        contents = {row["content"] for row in rows(db, "SELECT content FROM insight")}
        assert contents == set(story.INSIGHTS)
        for table in ("agent_run", "run", "task", "feedback_event"):
            assert number(db, f"SELECT count(*) FROM {table}") == 0
        stored = number(db, "SELECT count(*) FROM curation_event WHERE action = 'store'")
        assert number(db, "SELECT count(*) FROM curation_event") == stored == len(story.INSIGHTS)
        if plan == "asking":
            assert story.BUCKET.insight in said["recall"]
        if plan == "figures":
            assert json.loads(said["health"])["insights"] == len(story.INSIGHTS)
        if plan == "only-planning":
            assert json.loads(said["check"])["status"] == "valid"
