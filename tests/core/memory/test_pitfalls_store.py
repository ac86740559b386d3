"""What storing gets wrong easily, each point with the test that holds it.

a merge overwrites no text of higher standing and loses no tags; a person's text is one row, linked:
    test_remember.py: test_a_text_of_higher_standing_is_not_overwritten
    test_remember.py: test_a_person_gets_an_own_row_but_the_same_words_only_once
    test_a_text_edited_by_a_person_is_not_overwritten
    test_a_merge_loses_no_tags
names are unique for any script; a failed insert releases its transaction:
    test_remember.py: test_names_are_unique_for_any_script_and_collision
    test_a_failed_insert_releases_its_transaction
limits on content, tags and summaries; texts that differ late are no duplicates:
    test_remember.py: test_refusals_say_why_and_are_counted_without_the_text
    test_remember.py: test_texts_that_differ_late_are_not_duplicates
    test_pitfalls_learning.py: test_tags_are_a_short_list_of_short_strings
    ../../hooks/test_b03_b06_endings.py, ../../hooks/test_b20_insight_json.py
rejections are visible, with the rule's name and never the secret:
    test_rejections_are_counted_where_one_looks
    ../../hooks/test_b23_secrets.py
two who store the same at once make one row (decision 13):
    test_identical_stores_of_several_processes_are_one_row
    test_paraphrases_of_several_threads_are_one_row
conflicts are asked about (decision 13):
    test_an_agents_contradiction_is_asked_about_once
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from geometry import PROFILE, at, degrees, directions

from helix_core import service
from helix_core.embed.index import MatrixIndex
from helix_core.errors import HelixError
from helix_core.memory import curate, remember, upkeep
from helix_core.memory.context import Memory
from helix_core.store import insights
from helix_core.store.connection import open_store

ROOT = Path(__file__).parents[3]
HANGS = "When pytest hangs in CI, pass -x because a fixture leaks"
OTHER = "When pytest hangs in CI, use -x because one fixture leaks"
ALWAYS = "When deploying, always run migrations first because the schema is older"
NEVER = "When deploying, never run migrations first because the schema is older"
STORE = """
import sys
from helix_core import clock, paths, settings
from helix_core.memory import remember
from helix_core.memory.context import Memory
from helix_core.store.connection import open_store

project = paths.find_project(sys.argv[1])
conn = open_store(project.database, create=True, wait_ms=60_000)
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(sys.argv[2])):
    word = "".join(chr(97 + int(digit)) for digit in str(n * 7919 + 104729))
    mem = Memory(conn, project, settings.Settings(), clock.now())
    text = f"When {word} breaks, restart {word[::-1]} first because it leaks"
    print(remember.store(mem, text + sys.argv[3]).status)
conn.close()
"""


def place(mem: Memory, text: str, cosine: float) -> str:
    directions(mem)[text] = at(degrees(cosine))
    return text


def test_a_text_edited_by_a_person_is_not_overwritten(mem: Memory) -> None:
    first = remember.store(mem, place(mem, "When pytest hangs, wait because it ends", 0.9))
    curate.edit(mem, str(first.name), place(mem, HANGS, 1.0))
    done = remember.store(replace(mem, actor="hook"), place(mem, OTHER, 0.95))
    assert (done.status, done.name) == ("merged", first.name)
    [row] = insights.all_insights(mem.conn)
    assert row.content == HANGS and row.confirmations == 1


def test_a_text_edited_by_a_person_is_not_folded_into_another(mem: Memory) -> None:
    blind = replace(mem, embedder=None, index=None)
    remember.store(mem, place(mem, HANGS, 1.0))
    second = remember.store(blind, "When paint peels, sand it because it is old")
    curate.edit(blind, str(second.name), place(mem, OTHER, 0.95))
    assert upkeep.reindex(mem) == 1
    assert insights.count(mem.conn) == 2


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_merge_loses_no_tags(mem: Memory, by_hand: bool) -> None:
    mine, theirs = ([f"{side}{n}" for n in range(8)] for side in "ab")
    first = remember.store(mem, place(mem, HANGS, 1.0), mine)
    if by_hand:
        second = remember.store(mem, place(mem, "When paint peels sand it now", 0.1), theirs)
        curate.merge(mem, str(first.name), str(second.name))
    else:
        remember.store(mem, place(mem, OTHER, 0.95), theirs)
    [row] = insights.all_insights(mem.conn)
    assert set(row.tags) == {*mine, *theirs}


def test_a_failed_insert_releases_its_transaction(mem: Memory) -> None:
    mem.conn.execute(
        "CREATE TRIGGER full BEFORE INSERT ON insight BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    )
    with pytest.raises((sqlite3.Error, HelixError)):
        remember.store(mem, HANGS)
    assert not mem.conn.in_transaction
    other = open_store(mem.project.database, wait_ms=100)
    other.execute("DROP TRIGGER full")
    assert remember.store(replace(mem, conn=other), HANGS).status == "added"
    other.close()


def test_rejections_are_counted_where_one_looks(mem: Memory) -> None:
    secret = "AKIAIOSFODNN7" + "EXAMPLE"
    for _ in range(2):
        remember.store(mem, f"When deploying use {secret} because prod needs it")
    remember.store(mem, "x" * 4001)
    for command in ("health", "stats"):
        shown = json.dumps(service.run(mem, command, {}))
        assert "credential: aws-key" in shown and "longer than 4,000" in shown
        assert secret not in shown
    assert secret not in (mem.project.home / "helix.log").read_text()


@pytest.mark.parametrize("ending", ["", "."])
def test_identical_stores_of_several_processes_are_one_row(project: Path, ending: str) -> None:
    """Two, and two more whose texts may end in a full stop, at the same moment."""
    rounds = 40
    running = [
        subprocess.Popen(
            [sys.executable, "-c", STORE, str(project), str(rounds), end],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for end in ("", ending)
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said: list[str] = []
    for process in running:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        said += out.split()
    assert sorted(said) == ["added"] * rounds + ["merged"] * rounds
    conn = open_store(project / ".helix" / "helix.db")
    rows = insights.all_insights(conn)
    conn.close()
    assert len(rows) == rounds and {row.confirmations for row in rows} == {1}


def test_paraphrases_of_several_threads_are_one_row(mem: Memory) -> None:
    """As in the worker: one matrix, a connection for each request."""
    place(mem, HANGS, 1.0)
    place(mem, OTHER, 0.95)
    shared = MatrixIndex(PROFILE)
    said: list[str] = []
    start = threading.Barrier(4)

    def request(text: str) -> None:
        conn = open_store(mem.project.database, wait_ms=30_000)
        start.wait(30)
        said.append(remember.store(replace(mem, conn=conn, index=shared), text).status)
        conn.close()

    threads = [threading.Thread(target=request, args=(t,)) for t in (HANGS, OTHER) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == ["added", "merged", "merged", "merged"]
    assert insights.count(mem.conn) == 1


def asked(mem: Memory) -> list[dict[str, object]]:
    rows = mem.conn.execute("SELECT kind, evidence, options FROM question ORDER BY id").fetchall()
    assert {row[0] for row in rows} <= {"conflict"}
    return [{**json.loads(row[1]), "options": json.loads(row[2])} for row in rows]


def test_an_agents_contradiction_is_asked_about_once(mem: Memory) -> None:
    old = remember.store(mem, place(mem, ALWAYS, 1.0))
    new = remember.store(mem, place(mem, NEVER, 0.99))
    [question] = asked(mem)
    assert question["names"] == [old.name, new.name]
    assert question["contents"] == [ALWAYS, NEVER]
    assert str(question["differs"]).startswith("polarity")
    values = [option["value"] for option in question["options"]]  # type: ignore[attr-defined]
    assert values == ["both", "first", "second", "same"]
    remember.store(mem, NEVER)
    mem.conn.execute("UPDATE insight SET embedding = NULL, embedding_model = NULL")
    upkeep.reindex(mem)
    assert len(asked(mem)) == 1
    mem.conn.execute("UPDATE question SET state = 'dismissed'")
    mem.conn.execute("UPDATE insight SET embedding = NULL, embedding_model = NULL")
    upkeep.reindex(mem)
    assert len(asked(mem)) == 1


def test_a_contradiction_that_came_without_the_model_is_found_with_it(mem: Memory) -> None:
    blind = replace(mem, embedder=None, index=None)
    for text, cosine in ((ALWAYS, 1.0), (NEVER, 0.99)):
        remember.store(blind, place(mem, text, cosine))
    assert asked(mem) == []
    upkeep.reindex(mem)
    assert len(asked(mem)) == 1


@pytest.mark.parametrize(
    ("text", "cosine", "tags"),
    [(NEVER, 0.99, ["user-provided"]), (NEVER, 0.8, []), (OTHER, 0.99, [])],
)
def test_what_is_no_conflict_is_not_asked(
    mem: Memory, text: str, cosine: float, tags: list[str]
) -> None:
    """A person's word needs no question; nor does what is merely related, or a duplicate."""
    remember.store(mem, place(mem, HANGS if text == OTHER else ALWAYS, 1.0))
    remember.store(mem, place(mem, text, cosine), tags)
    assert asked(mem) == []
