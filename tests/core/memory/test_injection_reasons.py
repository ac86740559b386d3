"""Why an insight stands where it stands for an agent, said in plain words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from geometry import at, degrees, directions

from helix_core import service
from helix_core.memory import explain, remember
from helix_core.memory.context import Memory
from helix_core.store import insights

TASK = "mend the parser of the shop"
EXACT = "When a parser stalls do x because y"
DISTANT = "When paint peels sand it because it is old"


def put(mem: Memory, text: str, cosine: float, **columns: object) -> str:
    directions(mem)[text] = at(degrees(cosine), 1 + insights.count(mem.conn))
    name = str(remember.store(mem, text).name)
    for key, value in columns.items():
        mem.conn.execute(f"UPDATE insight SET {key} = ? WHERE name = ?", (value, name))
    return name


@pytest.fixture
def asked(mem: Memory) -> Memory:
    """A memory that knows the direction of the task, but no word of it."""
    directions(mem)[TASK] = at(0)
    return mem


def candidates(mem: Memory) -> list[dict[str, object]]:
    found: list[dict[str, object]] = service.run(mem, "what-if", {"task": TASK})["candidates"]
    return found


def test_a_proven_distant_one_above_an_untried_exact_one_is_explained(asked: Memory) -> None:
    exact = put(asked, EXACT, 0.79)
    proven = put(asked, DISTANT, 0.38, effectiveness=0.82, use_count=4, causal_hits=4)
    first, second = candidates(asked)
    assert (first["name"], second["name"]) == (proven, exact)
    why = str(first["_why"])
    assert "82% for a task like this, from 4 causal uses" in why
    assert f"above {exact}, which is closer (cosine 0.79 against 0.38)" in why
    assert "what it has shown (82% against 50%) outweighs" in why
    assert second["_why"] == "untried: counts as 50%"


def test_the_closest_on_top_needs_no_reason_but_its_own_standing(asked: Memory) -> None:
    put(asked, DISTANT, 0.38)
    exact = put(asked, EXACT, 0.79, effectiveness=0.7, use_count=1, causal_hits=1)
    first, second = candidates(asked)
    assert first["name"] == exact
    assert first["_why"] == "70% for a task like this, from 1 causal use"
    assert second["_why"] == "untried: counts as 50%"


def test_what_stands_above_by_its_words_says_so(asked: Memory) -> None:
    worded = put(asked, "When the parser of the shop jams do q", 0.5)
    near = put(asked, EXACT.replace("parser", "lexer"), 0.52)
    first, _ = candidates(asked)
    assert first["name"] == worded
    assert f"above {near}" in str(first["_why"]) and "by the words it shares" in str(first["_why"])


def test_without_a_cosine_there_is_nothing_to_compare(asked: Memory) -> None:
    blind = replace(asked, embedder=None, index=None)
    put(asked, "When the parser of the shop jams do q", 0.5)
    [only] = candidates(blind)
    assert only["_why"] == "untried: counts as 50%"
    assert explain.injection_reasons(()) == []
