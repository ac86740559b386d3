"""What a person may do to an insight's text and tags, and the rules that hold there too.

May import the store, the text modules and its siblings. The changes themselves, and how they are
taken back, are in `store.curation`.
"""

from __future__ import annotations

from collections.abc import Sequence

from helix_core.errors import RefusedError
from helix_core.memory import remember, upkeep
from helix_core.memory.context import Memory
from helix_core.model import MAX_CONTENT, Insight
from helix_core.store import curation, insights, journal
from helix_core.store.connection import writing
from helix_core.text import clean


def edit(mem: Memory, name: str, content: str, version: int | None = None) -> Insight:
    """Give an insight another text, screened like any text that is stored.

    In: its name, the text (at most 4,000 characters), and the `row_version` the edit is based on.
    Out: the insight as it is now, with its new vector where there is a model; else the vector
    follows. Raises RefusedError with the rule that refuses the text, ChangedError where somebody
    else changed the insight meanwhile.
    """
    text = clean.scrub(content, MAX_CONTENT + 1).strip()
    before = curation.required(mem.conn, name, version)
    refusal = remember.refusal(text, before.tags)
    if refusal:
        with writing(mem.conn):
            journal.count_rejection(mem.conn, refusal, mem.moment)
        raise RefusedError(f"this text is refused ({refusal}); {name} is as it was")
    done = curation.edit(mem.conn, name, text, actor=mem.actor, moment=mem.now, version=version)
    if done is not None:
        upkeep.embed(mem, [before.id])
    return _now(mem, name)


def tag(
    mem: Memory,
    name: str,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    version: int | None = None,
) -> Insight:
    """Add and remove tags; one that is not there is no error. The insight as it is now.

    Raises RefusedError for a tag that may not be stored or for too many, ChangedError as `edit`.
    """
    with writing(mem.conn):
        before = curation.required(mem.conn, name, version)
        gone = {_label(tag) for tag in remove}
        wanted = [tag for tag in before.tags if tag not in gone]
        wanted += [tag for tag in map(_label, add) if tag and tag not in wanted]
        if len(wanted) > max(remember.MAX_TAGS, len(before.tags)):
            raise RefusedError(f"an insight has at most {remember.MAX_TAGS} tags")
        refusal = remember.refusal(before.content, wanted)
        if refusal and not remember.refusal(before.content, before.tags):
            raise RefusedError(f"these tags are refused ({refusal})")
        curation.set_tags(mem.conn, name, wanted, actor=mem.actor, moment=mem.now, version=version)
        return _now(mem, name)


def _label(tag: str) -> str:
    return "".join(remember.clean_tags([tag]))


def merge(mem: Memory, keep: str, drop: str) -> Insight:
    """Make two insights one; the text of `keep` stays. The insight as it is now."""
    curation.merge(
        mem.conn,
        keep,
        drop,
        actor=mem.actor,
        moment=mem.now,
        keep_days=mem.settings.trash_days,
    )
    return _now(mem, keep)


def _now(mem: Memory, name: str) -> Insight:
    found = insights.get(mem.conn, name)
    if found is None:
        raise RefusedError(f"{name} is not there any more")
    return found
