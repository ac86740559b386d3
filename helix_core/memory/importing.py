"""Taking knowledge in from a file: an export with its history, or lessons from Markdown.

A line that does not fit costs itself only, with a reason. Everything that is taken in is one
transaction and one event that `undo` takes back. What is there already is left as it is, so that
importing twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from helix_core import constants
from helix_core.errors import RefusedError
from helix_core.memory import remember
from helix_core.memory.context import Memory
from helix_core.model import MAX_CONTENT
from helix_core.store import backups, carried, edges, insights, revisions, trash, vectors
from helix_core.store.connection import rehearsed
from helix_core.text import clean
from helix_core.text.carried import VERSION, Unfit, read_line
from helix_core.text.markdown import Note
from helix_core.text.wording import counted

ACTION = "import"
SOURCE = "import"
BATCH = 32


@dataclass
class Imported:
    """What became of a file."""

    added: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    """Brought back from the trash."""
    known: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    """`line` and `reason` of each line that was not taken in."""
    edges: int = 0
    events: int = 0
    revisions: int = 0
    rejections: int = 0
    backup: str | None = None
    event: int | None = None

    def refuse(self, line: int, reason: str) -> None:
        """Note a line that was not taken in."""
        self.refused.append({"line": line, "reason": reason})


def from_lines(
    mem: Memory, lines: Sequence[tuple[int, str | None]], *, dry_run: bool = False
) -> Imported:
    """Take in the lines of an export, each with its number (`carried.decoded`).

    Texts that are known, in whatever case and spacing, keep the record they have here. Raises
    RefusedError where a newer helix wrote the file.
    """
    done = Imported()
    read: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for number, line in lines:
        try:
            record = read_line(line)
        except Unfit as unfit:
            done.refuse(number, str(unfit))
            continue
        if record["kind"] == "header" and record["version"] > VERSION:
            raise RefusedError("a newer helix wrote this export; update this one first")
        read.setdefault(record["kind"], []).append((number, record))
    with rehearsed(mem.conn, dry_run):
        _Arrival(mem, done, dry_run).take_in(read)
    done.refused.sort(key=lambda item: item["line"])
    return done


class _Arrival:
    """One export on its way in: which of its names is which row here."""

    def __init__(self, mem: Memory, done: Imported, dry_run: bool) -> None:
        self._mem = mem
        self._done = done
        self._texts = carried.known_texts(mem.conn)
        self._away = carried.trashed(mem.conn)
        self._ids: dict[str, int] = {}
        self._new: dict[int, None] = {}  # in order, and quickly asked
        self._back: dict[int, None] = {}
        self._begun = dry_run
        self._rejections: list[str] = []

    def take_in(self, read: dict[str, list[tuple[int, dict[str, Any]]]]) -> None:
        """Insights first, then what speaks of them; one event for all of it."""
        for number, record in read.get("insight", []):
            self._insight(number, record)
        for number, record in read.get("tombstone", []):
            self._rejection(number, record)
        for kind, take in (("edge", self._edge), ("event", self._event), ("revision", self._old)):
            for number, record in read.get(kind, []):
                take(number, record)
        if self._new or self._back or self._rejections:
            detail = {"tombstones": self._rejections}
            ids = [*self._new, *self._back]
            self._done.event = record_event(self._mem, ids, detail)

    def _begin(self) -> None:
        """The backup before the first change."""
        if not self._begun:
            self._done.backup = backup_before(self._mem)
        self._begun = True

    def _insight(self, number: int, record: dict[str, Any]) -> None:
        name, content, conn = record["name"], record["content"], self._mem.conn
        reason = remember.refusal(content, record["tags"])
        key = insights.content_key(content)
        if name in self._ids:
            reason = "a second insight of that name"
        elif not reason and key in self._texts:
            self._ids[name] = self._texts[key]
            self._done.known += 1
            return
        elif not reason and trash.tombstone(conn, key) is not None:
            reason = "tombstone: rejected here by a person"
        if reason:
            self._done.refuse(number, reason)
            return
        self._begin()
        old = self._away.find(content, name)
        if old is not None and trash.bring_back(conn, old) is not None:
            self._back[old] = None
            self._done.back.append(name)
            insight_id = old
        else:
            insight_id, given = carried.add_insight(conn, record, self._away)
            self._new[insight_id] = None
            self._done.added.append(given)
        self._ids[name] = self._texts[key] = insight_id

    def _rejection(self, number: int, record: dict[str, Any]) -> None:
        key = insights.content_key(record["content"])
        if trash.tombstone(self._mem.conn, key) is not None:
            return
        alive = self._texts.get(key)
        if alive is not None and alive not in self._new and alive not in self._back:
            self._done.refuse(number, "rejected there, but an insight here")
            return
        self._begin()
        self._rejections.append(carried.add_tombstone(self._mem.conn, record))
        self._done.rejections += 1

    def _edge(self, number: int, record: dict[str, Any]) -> None:
        ends = [self._id(number, record[end]) for end in ("source", "target")]
        if None in ends or not (ends[0] in self._new or ends[1] in self._new):
            return
        if ends[0] == ends[1]:
            self._done.refuse(number, "an edge from an insight to itself")
            return
        edge = (*ends, record["weight"], record["relation"])
        self._done.edges += edges.add_edges(self._mem.conn, [edge], record["created_at"])

    def _event(self, number: int, record: dict[str, Any]) -> None:
        insight_id = self._id(number, record["insight"])
        if insight_id in self._new:
            self._done.events += carried.add_event(self._mem.conn, int(insight_id or 0), record)

    def _old(self, number: int, record: dict[str, Any]) -> None:
        insight_id = self._id(number, record["insight"])
        if insight_id in self._new:
            carried.add_revision(self._mem.conn, int(insight_id or 0), record)
            self._done.revisions += 1

    def _id(self, number: int, name: str) -> int | None:
        found = self._ids.get(name)
        if found is None:
            self._done.refuse(number, "speaks of an insight that was not taken in")
        return found


def from_notes(mem: Memory, notes: Sequence[Note], *, dry_run: bool = False) -> Imported:
    """Take in lessons as neutral, unproven candidates, screened and without duplicates.

    Their vectors are made first, so that the memory is locked for the writing alone.
    """
    done = Imported()
    fit = []
    for note in notes:
        text = clean.scrub(note.content, MAX_CONTENT + 1).strip()
        labels = remember.clean_tags([note.heading] if note.heading else [])
        reason = remember.refusal(text, labels)
        if reason:
            done.refuse(note.line, reason)
        else:
            fit.append((note.line, text, labels))
    made = _vectors(mem, [text for _, text, _ in fit])
    if mem.index is not None:
        mem.index.refresh(mem.conn)
    with rehearsed(mem.conn, dry_run):
        away = carried.trashed(mem.conn)
        new: list[int] = []
        fresh: list[tuple[int, str, bytes]] = []
        for (line, text, labels), vector in zip(fit, made, strict=True):
            met = remember.meets(mem, text, vector)
            if met.rejected:
                done.refuse(line, "tombstone: rejected here by a person")
            elif met.twin is not None or _repeats(mem, text, vector, fresh):
                done.known += 1
            else:
                if not new and not dry_run:
                    done.backup = backup_before(mem)
                new.append(_add(mem, text, labels, vector, (met, away), done))
                fresh.append((new[-1], text, vectors.pack(vector) if vector else b""))
        if new:
            done.event = record_event(mem, new, {"tombstones": []})
    return done


def _vectors(mem: Memory, texts: list[str]) -> list[list[float] | None]:
    if mem.profile is None or mem.embedder is None:
        return [None] * len(texts)
    found: list[list[float] | None] = []
    for start in range(0, len(texts), BATCH):
        found += mem.embedder.embed_documents(texts[start : start + BATCH])
    return found


def _repeats(
    mem: Memory, text: str, vector: list[float] | None, fresh: list[tuple[int, str, bytes]]
) -> bool:
    """Whether an earlier line of the same file says this already."""
    if vector is None or mem.profile is None or mem.index is None or not fresh:
        return False  # by keyword the search index has it
    cosines = mem.index.similarities(vector, [blob for _, _, blob in fresh])
    window = mem.profile.window_chars
    return any(
        cosine is not None
        and cosine >= mem.profile.duplicate
        and remember.says_the_same(other, text, window)
        for cosine, (_, other, _) in zip(cosines, fresh, strict=True)
    )


def _add(
    mem: Memory,
    text: str,
    labels: list[str],
    vector: list[float] | None,
    about: tuple[remember.Met, carried.Trashed],
    done: Imported,
) -> int:
    met, away = about
    old = away.find(text)
    if old is not None and trash.bring_back(mem.conn, old) is not None:
        done.back.append(insights.by_ids(mem.conn, [old])[old].name)
        return old
    insight_id, name = insights.insert(
        mem.conn,
        content=text,
        tags=labels,
        effectiveness=constants.NEUTRAL_EFFECTIVENESS,
        source=SOURCE,
        moment=mem.moment,
        embedding=vectors.pack(vector) if vector else None,
        embedding_model=mem.profile.name if vector and mem.profile else None,
    )
    done.edges += remember.link(mem, insight_id, met.alike)
    done.added.append(name)
    return insight_id


def backup_before(mem: Memory) -> str | None:
    """The backup before an import; None where there is nothing to lose yet."""
    if not insights.count(mem.conn):
        return None
    return str(backups.make(mem.project.database, "before-import"))


def record_event(mem: Memory, ids: Sequence[int], detail: dict[str, Any]) -> int:
    """The one event of an import."""
    reason = counted(len(ids), "insight")
    return revisions.record(mem.conn, ACTION, mem.actor, ids, mem.now, detail=detail, reason=reason)
