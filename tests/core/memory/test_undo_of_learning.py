"""What a person makes the memory learn is undone like any other change, newest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from geometry import PROFILE, at, directions, dump, later

from helix_core import service
from helix_core.errors import RefusedError
from helix_core.memory import curate, feedback, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store import insights, trash, undo
from helix_core.store.connection import writing

ONE = "When the parser fails do x because y"
THREE = "When paint peels sand it because it is old"
TWO = "When the lexer fails do z because w"


def store(mem: Memory, text: str, angle: float = 10, **more: object) -> dict[str, str]:
    directions(mem).setdefault(text, at(angle))
    answer: dict[str, str] = service.run(mem, "store", {"content": text, **more})
    return answer


def put(mem: Memory, text: str, angle: float = 10) -> str:
    """An insight that no person stored: nothing to undo."""
    directions(mem)[text] = at(angle)
    return str(remember.store(mem, text).name)


def take_back(mem: Memory) -> tuple[str, list[str]]:
    done = undo.newest(mem.conn, actor="cli", moment=mem.now)
    return done["undone"], done["names"]


def effectiveness(mem: Memory, name: str) -> float:
    row = insights.get(mem.conn, name)
    assert row
    return row.effectiveness


def test_a_stored_text_goes_to_the_trash_and_nothing_older_is_touched(mem: Memory) -> None:
    old = put(mem, ONE)
    curate.tag(mem, old, ["kept"])
    new = store(later(mem, hours=1), TWO, 100)["name"]
    assert take_back(later(mem, hours=2)) == ("store", [new])
    assert [one["name"] for one in trash.listed(mem.conn)] == [new]
    row = insights.get(mem.conn, old)
    assert row and row.tags == ("kept",)
    assert insights.get(mem.conn, new) is None
    assert take_back(mem)[0] == "tag"
    assert store(mem, TWO)["status"] == "added"  # no tombstone: it was only taken back


def test_what_agents_and_maintenance_store_is_no_change_of_the_persons(mem: Memory) -> None:
    hook = replace(mem, actor="hook")
    directions(mem)[ONE] = at(10)
    service.run(hook, "store", {"content": ONE})
    with pytest.raises(RefusedError, match="nothing to undo"):
        take_back(mem)


def test_a_confirmation_is_taken_out_with_the_tags_it_brought(mem: Memory) -> None:
    name = put(mem, ONE)
    curate.tag(mem, name, ["old"])
    before = dump(mem)
    done = store(later(mem, hours=1), ONE, tags=["new"], source="user")
    assert done == {"status": "merged", "name": name, "reason": "says the same"}
    assert dump(mem) != before
    assert take_back(mem) == ("store", [name])
    assert dump(mem) == before


def test_a_newer_wording_of_an_agents_gives_way_to_the_older_one(mem: Memory) -> None:
    name = put(mem, ONE)
    before = dump(mem)
    newer = "When the parser fails, do x because y"
    done = store(later(mem, hours=1), newer, 11)
    row = insights.get(mem.conn, name)
    assert done["status"] == "merged" and row and row.content == newer
    assert take_back(mem) == ("store", [name])
    assert dump(mem) == before


def test_feedback_by_hand_is_withdrawn_and_later_feedback_stays(mem: Memory) -> None:
    name, other = put(mem, ONE), put(mem, TWO, 100)
    feedback.by_hand(mem, [name, other], "blocked", {}, PROFILE)
    row = insights.get(mem.conn, name)
    assert row
    by = feedback.Attribution("agent-1", "m", "delivered", "self")
    with writing(mem.conn):
        feedback.move(later(mem, hours=1), row, 1.0, PROFILE, by, None)
    assert take_back(later(mem, hours=2)) == ("feedback", [name, other])
    assert effectiveness(mem, name) == pytest.approx(0.6)  # as if only the delivery had been
    assert effectiveness(mem, other) == 0.5
    now = insights.get(mem.conn, name)
    assert now and (now.use_count, now.causal_hits) == (1, 1)
    events = service.run(mem, "history", {"name": name})["events"]
    assert [(e["outcome"], e["undone_by"] is None) for e in events] == [
        ("blocked", False),
        ("delivered", True),
    ]


def test_a_decay_by_hand_is_given_back_and_can_be_done_again(mem: Memory) -> None:
    name = put(mem, ONE)
    feedback.by_hand(mem, [name], "delivered", {}, PROFILE)
    old = later(mem, days=100)
    [change] = upkeep.decay(old)
    assert take_back(old) == ("decay", [name])
    assert effectiveness(mem, name) == pytest.approx(change.before)
    [again] = upkeep.decay(later(old, hours=1))
    assert again.after == pytest.approx(change.after)
    assert take_back(old)[0] == "decay"
    assert effectiveness(mem, name) == pytest.approx(change.before)
    assert take_back(old)[0] == "feedback"
    assert effectiveness(mem, name) == 0.5


def test_the_decay_of_maintenance_is_nobodys_change(mem: Memory) -> None:
    name = put(mem, ONE)
    feedback.by_hand(mem, [name], "delivered", {}, PROFILE)
    upkeep.decay(replace(later(mem, days=100), actor="maintenance"))
    assert take_back(mem) == ("feedback", [name])


def _edit(mem: Memory, name: str) -> object:
    directions(mem)[THREE] = at(80, 2)
    return curate.edit(mem, name, THREE)


CHANGES: dict[str, Callable[[Memory, str], object]] = {
    "store": lambda mem, _: store(mem, TWO, 100),
    "feedback": lambda mem, name: feedback.by_hand(mem, [name], "partial", {}, PROFILE),
    "decay": lambda mem, _: upkeep.decay(later(mem, days=100)),
    "edit": _edit,
    "pin": lambda mem, name: service.run(mem, "pin", {"name": name}),
    "trash": lambda mem, name: service.run(mem, "trash", {"names": [name]}),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_dry_run_says_what_undo_then_does_and_changes_nothing(mem: Memory, kind: str) -> None:
    name = put(mem, ONE)
    mem.conn.execute("UPDATE insight SET effectiveness = 0.9 WHERE name = ?", (name,))
    CHANGES[kind](mem, name)
    before = dump(mem)
    told = service.run(mem, "undo", {"dry_run": True})
    assert dump(mem) == before
    assert (told["undone"] == kind and told["by"] == "cli" and told["effect"]) or kind == "pin"
    assert service.run(mem, "undo", {}) == told
    assert dump(mem) != before


def test_undo_takes_everything_back_in_turn(mem: Memory) -> None:
    """One change of each kind, and as many undos: the newest first, to where it began."""
    name = put(mem, ONE)
    mem.conn.execute("UPDATE insight SET effectiveness = 0.9 WHERE name = ?", (name,))
    before = dump(mem)["insight"]
    kinds = ["pin", "store", "feedback", "decay", "edit", "trash"]
    for kind in kinds:
        CHANGES[kind](mem, name)
    assert [take_back(mem)[0] for _ in kinds] == kinds[::-1]
    assert dump(mem)["insight"] == before
