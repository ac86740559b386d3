"""Storing an insight: scan, refuse what was rejected before, merge duplicates, link the related.

Each store is one write transaction with the duplicate check inside it, so that two processes that
store the same text at once make one row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helix_core import constants
from helix_core.errors import UsageError
from helix_core.memory import questions
from helix_core.memory.context import Memory
from helix_core.model import MAX_CONTENT, USER_TAGS, Insight
from helix_core.store import (
    edges,
    insights,
    journal,
    merging,
    revisions,
    runs,
    trash,
    unlearn,
    vectors,
)
from helix_core.store.connection import writing
from helix_core.text import clean, guards, scanner, terms

MAX_TAGS = 8
MAX_TAG = 40
MADE_BY_RULE = frozenset({"derived", "synthesis"})


@dataclass(frozen=True)
class Stored:
    """What became of a text: added, merged into an existing insight, or rejected, and why."""

    status: Literal["added", "merged", "rejected"]
    name: str | None = None
    reason: str = ""
    insight_id: int | None = None


def store(
    mem: Memory,
    content: object,
    tags: Sequence[object] = (),
    *,
    effectiveness: float = constants.NEUTRAL_EFFECTIVENESS,
    source: str = "agent",
    run: runs.AgentRun | None = None,
    undoable: bool = False,
) -> Stored:
    """Store one insight.

    In: the text (at most 4,000 characters), tags, a starting effectiveness in [0, 1], who it
    comes from (agent, derived, synthesis, user, import), and the agent run that brought it;
    whether it is a change of its own that `undo` takes back. A person's text skips deduplication.
    Where an agent's text contradicts what it is all but the same as, a person is asked. Raises
    UsageError for a value that is no text or no effectiveness.
    """
    if not isinstance(content, str):
        raise UsageError("an insight is a text")
    if not 0.0 <= effectiveness <= 1.0:
        raise UsageError(f"effectiveness must lie between 0 and 1, not {effectiveness}")
    text = clean.scrub(content, MAX_CONTENT + 1).strip()
    labels = clean_tags(tags)
    personal = source == "user" or bool(USER_TAGS & set(labels))
    refused = refusal(text, labels)
    if refused:
        return _rejected(mem, refused)
    vector = mem.embedder.embed_documents([text])[0] if mem.profile and mem.embedder else None
    with writing(mem.conn):
        tombstone = None if personal else _rejected_before(mem, text, vector)
        if tombstone is not None:
            journal.count_rejection(mem.conn, "tombstone", mem.moment)
            questions.about_candidate(mem, text, labels, tombstone, source, run)
            return Stored("rejected", reason="tombstone")
        alike = _similar(mem, vector)
        twin = _twin(mem, text, alike, personal)
        if twin is not None:
            noted = unlearn.noted_merge(mem.conn, twin) if undoable else None
            merged = _merge(mem, twin, text, labels, source="user" if personal else source)
            if noted is not None:
                unlearn.record_store(mem.conn, mem.actor, twin.id, mem.now, noted)
            return merged
        insight_id, name = insights.insert(
            mem.conn,
            content=text,
            tags=labels,
            effectiveness=effectiveness,
            source="user" if personal else source,
            moment=mem.moment,
            embedding=vectors.pack(vector) if vector else None,
            embedding_model=mem.profile.name if vector and mem.profile else None,
        )
        link(mem, insight_id, alike)
        if source == "agent" and not personal:
            ask_about_conflicts(mem, insight_id, alike, run)
        if undoable:
            unlearn.record_store(mem.conn, mem.actor, insight_id, mem.now, None)
        return Stored("added", name=name, insight_id=insight_id)


def clean_tags(tags: Sequence[object]) -> list[str]:
    """Tags as short, lower-case, distinct strings, at most eight."""
    found: list[str] = []
    for tag in tags:
        # Masked first: a key in small letters, or half of one, could not be told any more.
        text = scanner.mask(str(tag)) if tag is not None else ""
        label = clean.fold(text).strip().casefold()[:MAX_TAG]
        if label and label not in found:
            found.append(label)
    return found[:MAX_TAGS]


def refusal(text: str, tags: Sequence[str]) -> str:
    """The rule that refuses a text with its tags; empty where it may be stored."""
    if not text:
        return "empty"
    if len(text) > MAX_CONTENT:
        return f"longer than {MAX_CONTENT:,} characters"
    whole = f"{text}\n{' '.join(tags)}"
    rule = scanner.removed(whole)  # what lost a secret on its way here is not worth learning
    if rule is not None:
        return f"{scanner.RULES[rule]}: {rule}"
    finding = scanner.scan(whole)
    return f"{finding.category}: {finding.rule}" if finding else ""


def _rejected(mem: Memory, reason: str) -> Stored:
    with writing(mem.conn):
        journal.count_rejection(mem.conn, reason, mem.moment)
    mem.note("info", f"insight refused ({reason})")
    return Stored("rejected", reason=reason)


def _rejected_before(mem: Memory, text: str, vector: list[float] | None) -> dict[str, Any] | None:
    """Decision 16: what a person threw out does not come back by itself. Its tombstone."""
    same = trash.tombstone(mem.conn, insights.content_key(text))
    if same is not None or vector is None or mem.profile is None:
        return same
    for key, content, blob in trash.tombstone_vectors(mem.conn, mem.profile.name):
        other = vectors.unpack(blob, mem.profile.dim)
        near = vectors.cosine(vector, other) if other else None
        close = near is not None and near >= mem.profile.duplicate
        if close and says_the_same(content, text, mem.profile.window_chars):
            return trash.tombstone(mem.conn, key)
    return None


def _similar(mem: Memory, vector: list[float] | None) -> list[tuple[int, float]]:
    """Related insights by cosine, best first, read inside the transaction."""
    if vector is None or mem.index is None or mem.profile is None:
        return []
    mem.index.refresh(mem.conn)
    return mem.index.top(vector, 50, mem.profile.related)


def _twin(mem: Memory, text: str, alike: list[tuple[int, float]], personal: bool) -> Insight | None:
    """The insight this text is a duplicate of, if any (decision 13)."""
    same = insights.find_same_text(mem.conn, text)
    if same is not None or personal:
        return same
    if mem.profile is not None:
        near = [i for i, cosine in alike if cosine >= mem.profile.duplicate]
        rows = insights.by_ids(mem.conn, near)
        window = mem.profile.window_chars
        return next((rows[i] for i in near if says_the_same(rows[i].content, text, window)), None)
    expression = terms.match_expression(text)
    ids = [i for i, _ in insights.search_keywords(mem.conn, expression, 10)]
    rows = insights.by_ids(mem.conn, ids)
    return next((rows[i] for i in ids if terms.near_text(rows[i].content, text)), None)


def says_the_same(old: str, new: str, window: int) -> bool:
    """Whether two texts whose vectors agree may be one row (decision 13).

    `window` characters are what the model saw of each: beyond it only near-copies are the same.
    """
    if max(len(old), len(new)) > window:
        return terms.near_text(old, new)
    return guards.may_merge(old, new)[0]


@dataclass(frozen=True)
class Met:
    """What a text from elsewhere meets: one that says it already, the related, a rejection."""

    twin: Insight | None
    alike: list[tuple[int, float]]
    rejected: bool


def meets(mem: Memory, text: str, vector: list[float] | None) -> Met:
    """Compare a text with the memory without storing it; inside a transaction of the caller."""
    if _rejected_before(mem, text, vector):
        return Met(None, [], rejected=True)
    alike = _similar(mem, vector)
    return Met(_twin(mem, text, alike, personal=False), alike, rejected=False)


def _merge(mem: Memory, twin: Insight, text: str, labels: list[str], *, source: str) -> Stored:
    """Count the confirmation; keep both wordings, and the tags of both.

    The newer wording replaces an untried one. A text of higher standing (a person's, pinned, or
    with a record of its own) stays, and so does any text against one that was made by rule; the
    newer wording is then kept as a revision.
    """
    settled = (
        twin.protected
        or twin.use_count > 0
        or source in MADE_BY_RULE
        or revisions.edited_by_hand(mem.conn, twin.id)
    )
    tags = merging.union(twin.tags, labels)
    changes: dict[str, object] = {"confirmations": twin.confirmations + 1}
    if tags != list(twin.tags):
        changes["tags"] = json.dumps(tags, ensure_ascii=False)
    if source == "user" and twin.source != "user":
        changes["source"] = "user"
    kept = twin.content
    if text != twin.content and not settled:
        revisions.keep(mem.conn, twin, "merged: newer wording", mem.actor, mem.now)
        changes.update(_new_wording(mem, text, tags))
        kept = text
    elif text != twin.content:
        revisions.keep_wording(
            mem.conn, twin, text, labels, merging.OTHER_WORDING, mem.actor, mem.now
        )
    if kept == twin.content and "tags" in changes:
        changes["terms"] = insights.search_terms(kept, tags)
    insights.update(mem.conn, twin.id, mem.moment, **changes)
    return Stored("merged", name=twin.name, reason="says the same", insight_id=twin.id)


def _new_wording(mem: Memory, text: str, tags: list[str]) -> dict[str, object]:
    vector = mem.embedder.embed_documents([text])[0] if mem.profile and mem.embedder else None
    return {
        "content": text,
        "terms": insights.search_terms(text, tags),
        "embedding": vectors.pack(vector) if vector else None,
        "embedding_model": mem.profile.name if vector and mem.profile else None,
    }


def link(mem: Memory, insight_id: int, alike: list[tuple[int, float]]) -> int:
    """`similar` edges to the five closest related insights; returns how many were made.

    A pair at or above the duplicate threshold that the guards kept apart is linked too: it says
    something about the same thing.
    """
    near = [(i, c) for i, c in alike if i != insight_id][: constants.MAX_AUTOLINK_EDGES]
    return edges.add_edges(
        mem.conn, [(insight_id, i, min(1.0, c), "similar") for i, c in near], mem.moment
    )


def ask_about_conflicts(
    mem: Memory,
    insight_id: int,
    alike: list[tuple[int, float]],
    run: runs.AgentRun | None = None,
) -> int:
    """Offer pairs that only the guards keep apart as questions (decision 13), each pair once.

    Among the insights just linked; returns how many questions were opened.
    """
    if mem.profile is None:
        return 0
    linked = [(i, c) for i, c in alike if i != insight_id][: constants.MAX_AUTOLINK_EDGES]
    rows = insights.by_ids(mem.conn, [insight_id, *(i for i, _ in linked)])
    mine, opened = rows[insight_id], 0
    for other_id, cosine in linked:
        if cosine < mem.profile.duplicate or other_id not in rows:
            continue
        agree, why = guards.may_merge(rows[other_id].content, mine.content)
        if not agree:
            opened += questions.about_conflict(mem, rows[other_id], mine, cosine, why, run)
    return opened
