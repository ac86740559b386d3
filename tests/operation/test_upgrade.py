"""Databases of the earlier plugin, upgraded as a person would: all their manifests say is there.

Then their vectors are made anew by the worker, in the background, also where it is killed midway.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from helix_core import paths
from helix_core.embed import client, lifecycle
from helix_core.store import schema, vectors
from tests.core.command import helix
from tests.hooks import scene
from tests.hooks.fire import fire

DATABASES = Path(__file__).parents[1] / "fixtures" / "databases"
VERSIONS = sorted((path.stem for path in DATABASES.glob("v*.db")), key=lambda v: int(v[1:]))
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
MODEL_SECONDS = 180.0


def placed(project: Path, version: str) -> dict[str, Any]:
    """Put an old database into a project; its manifest."""
    (project / ".helix").mkdir()
    shutil.copyfile(DATABASES / f"{version}.db", scene.database(project))
    found: dict[str, Any] = json.loads((DATABASES / f"{version}.json").read_text())
    return found


def _same(value: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(value, (int, float)):
        return bool(value == pytest.approx(expected, abs=1e-9))
    return bool(value == expected)


def _embedding(blob: bytes | None) -> dict[str, Any] | None:
    """What a manifest says of a vector."""
    if not blob:
        return None
    return {"dim": len(blob) // 4, "sha256": hashlib.sha256(blob).hexdigest()}


def check_rows(conn: sqlite3.Connection, manifest: dict[str, Any]) -> None:
    """Every row the manifest spells out, cell by cell."""
    for expected in manifest["exact_insight_rows"]:
        keys = [key for key in expected if key != "context_centroid"]  # becomes the mean vector
        row = conn.execute(
            f"SELECT {', '.join(keys)} FROM insight WHERE id = ?", (expected["id"],)
        ).fetchone()
        for key, value in zip(keys, row, strict=True):
            if key == "embedding":
                wanted = expected[key]
                about = wanted and {"dim": wanted["dim"], "sha256": wanted["sha256"]}
                assert _embedding(value) == about, (expected["name"], key)
            else:
                assert _same(value, expected[key]), (expected["name"], key)
    for table, key in (("insight_edges", "exact_edges"), ("session_log", "exact_session_log")):
        for expected in manifest.get(key, ()):
            where = " AND ".join(f"{name} IS ?" for name in expected)
            found = conn.execute(
                f"SELECT count(*) FROM {table} WHERE {where}", tuple(expected.values())
            ).fetchone()
            assert found == (1,), expected


def check_sums(conn: sqlite3.Connection, manifest: dict[str, Any]) -> None:
    """What the manifest says of whole columns, over the rows that were insights already."""
    sums = manifest["aggregates"]
    old = f"FROM insight WHERE id <= {sums['max_id']}"
    for key, column in (
        ("sum_effectiveness", "effectiveness"),
        ("sum_use_count", "use_count"),
        ("sum_causal_hits", "causal_hits"),
        ("sum_recent_uses", "recent_uses"),
    ):
        if key in sums:
            assert _same(conn.execute(f"SELECT sum({column}) {old}").fetchone()[0], sums[key])
    for key, sql in (
        ("edges_by_relation", "SELECT relation, count(*) FROM insight_edges GROUP BY 1"),
        ("session_log_by_outcome", "SELECT outcome, count(*) FROM session_log GROUP BY 1"),
    ):
        if key in sums:
            assert {str(name): count for name, count in conn.execute(sql)} == sums[key]
    for column, between, key in (
        ("name", "\n", "all_names_sha256"),
        ("content", "\0", "all_content_sha256"),
    ):
        texts = [str(row[0]) for row in conn.execute(f"SELECT {column} {old} ORDER BY id")]
        assert hashlib.sha256(between.join(texts).encode()).hexdigest() == manifest[key]


def check_search(conn: sqlite3.Connection, manifest: dict[str, Any]) -> None:
    """What could be found by keyword before is found still (stemming may find more)."""
    for table, key in (
        ("insight_fts", "fts_queries"),
        ("session_log_fts", "session_log_fts_queries"),
    ):
        for query, ids in manifest.get(key, {}).items():
            rows = conn.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (query,))
            assert set(ids) <= {row[0] for row in rows}, (table, query)


def by_command(project: Path) -> None:
    assert helix(project, "count").code == 0


def by_hook(project: Path) -> None:
    fired = fire("SessionStart", project)
    assert (fired.code, fired.err) == (0, "")


@pytest.mark.parametrize("opened", [by_command, by_hook])
@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_manifest_says_is_there(
    project: Path, version: str, opened: Callable[[Path], None]
) -> None:
    manifest = placed(project, version)
    opened(project)
    with closing(sqlite3.connect(scene.database(project))) as conn:
        newest = conn.execute("SELECT max(version) FROM schema_version").fetchone()
        assert newest == (schema.LATEST,)
        check_rows(conn, manifest)
        check_sums(conn, manifest)
        check_search(conn, manifest)
        present = {row[0] for row in conn.execute("SELECT name FROM sqlite_master")}
        assert set(manifest["row_counts"]) <= present  # no table of the old plugin is dropped
        for table in ("memory", "memory_edge", "memory_file_pattern", "exploration"):
            if table in manifest["row_counts"]:
                count = conn.execute(f"SELECT count(*) FROM {table}").fetchone()
                assert count == (manifest["row_counts"][table],)
        for (content,) in (
            conn.execute("SELECT content FROM memory").fetchall() if ("memory" in present) else []
        ):
            known = conn.execute("SELECT 1 FROM insight WHERE content = ?", (content,))
            assert known.fetchone() == (1,)
    [backup] = (project / ".helix" / "backups").glob("*.db")
    original = f"{(DATABASES / f'{version}.db').as_uri()}?immutable=1"
    with (
        closing(sqlite3.connect(backup)) as kept,
        closing(sqlite3.connect(original, uri=True)) as before,
    ):
        assert list(kept.iterdump()) == list(before.iterdump())


@pytest.mark.parametrize("version", VERSIONS)
def test_old_and_new_work_together_afterwards(project: Path, version: str) -> None:
    placed(project, version)
    count = helix(project, "count", "--json").json["count"]
    lesson = "When an old memory is opened, learn on because nothing was lost"
    assert helix(project, "store", lesson).code == 0
    name = json.loads(helix(project, "recall", "old memory is opened, learn on", "--json").out)[0][
        "name"
    ]
    assert helix(project, "feedback", name, "--outcome", "delivered").code == 0
    assert helix(project, "prune", "--dry-run").code == 0
    assert helix(project, "health").code == 0 and helix(project, "stats").code == 0
    assert helix(project, "count", "--json").json == {"count": count + 1}
    lines = helix(project, "export").out.splitlines()
    assert sum(json.loads(line)["kind"] == "insight" for line in lines) == count + 1


# -- vectors ------------------------------------------------------------------------------------


@pytest.fixture
def own_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Start a worker of this test's own, with the real model; it is killed at the end."""
    monkeypatch.setenv("HELIX_WORKER", "auto")
    monkeypatch.setenv("HELIX_WORKER_WAIT_MS", "30000")
    others = len(lifecycle._started)

    def begin() -> int:
        assert lifecycle.start(Path(sys.executable))
        found = client.wait_ready(MODEL_SECONDS)
        assert found and found["model"] == MODEL
        return int(found["pid"])

    yield begin
    for child in lifecycle._started[others:]:
        child.kill()
        child.wait()
    del lifecycle._started[others:]


def embedded(project: Path) -> int:
    """How many insights have a vector of the model."""
    return int(scene.one(project, "SELECT count(*) FROM insight WHERE embedding_model = ?", MODEL))


def look_after(project: Path) -> None:
    """Make the project known to the worker."""
    client.request("count", {}, paths.find_project(project), first_ms=scene.PATIENCE_MS)


@pytest.mark.model
@pytest.mark.xdist_group("worker")
@pytest.mark.parametrize("version", ["v5", "v15"])
def test_vectors_are_made_anew_also_by_a_second_worker(
    project: Path, version: str, own_worker: Callable[[], int]
) -> None:
    placed(project, version)
    names = {
        row[0]
        for row in sqlite3.connect(scene.database(project)).execute("SELECT name FROM insight")
    }
    pid = own_worker()
    look_after(project)
    done = scene.wait_for(lambda: embedded(project) >= 16 and embedded(project))
    os.kill(pid, signal.SIGKILL)
    scene.wait_for(lambda: client.status() is None)
    assert done < len(names), "the first worker was done before it could be killed"
    kept = {
        row[0]: row[1]
        for row in scene.rows(
            project, "SELECT id, embedding FROM insight WHERE embedding_model = ?", MODEL
        )
    }
    own_worker()
    look_after(project)
    waiting = "SELECT count(*) FROM insight WHERE embedding_model IS NOT ?"
    scene.wait_for(lambda: not scene.one(project, waiting, MODEL), 120)
    now = dict(scene.rows(project, "SELECT id, embedding FROM insight"))
    assert all(now[i] == blob for i, blob in kept.items() if i in now)  # not done a second time
    assert all(vectors.unpack(blob, 384) for blob in now.values())
    gone = {row[0] for row in scene.rows(project, "SELECT name FROM trash WHERE merged_into > 0")}
    present = {row[0] for row in scene.rows(project, "SELECT name FROM insight")}
    assert names <= present | gone and not names <= gone
    found = client.request(
        "recall",
        {"query": "database migrations"},
        paths.find_project(project),
        first_ms=scene.PATIENCE_MS,
    )
    assert found["mode"] == "vector" and found["results"]
