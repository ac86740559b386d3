"""The wording of a failure that keeps coming back. Standard library and this package only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from helix_core.text.lessons import quotable
from helix_core.text.terms import query_terms
from helix_core.text.tokens import stem

SUBJECTS = 4
_REASON_LIMIT = 600
# What tasks are told to do, as opposed to what they are about.
_DOING_TEXT = """
add adjust build change check clean code complete create delete enable extend feature finish fix
handle helix implement improve make migrate move new project refactor remove rename repair replace
rework rewrite run set setup support task test update upgrade use verify work write
"""
_DOING = frozenset(_DOING_TEXT.split())


def pattern_content(reason: str, tasks: Sequence[str]) -> str:
    """A recurring failure as a lesson, in one line.

    `reason` is the most typical of the reasons, `tasks` the TASK lines of the failed agents (empty
    where unknown); the words that half of the tasks share say when the lesson applies.
    """
    cause = quotable(reason, _REASON_LIMIT)
    subjects = shared_words(tasks)
    when = f"a task touches {', '.join(subjects)}" if subjects else "planning or building here"
    return f'When {when}, be aware that "{cause}" keeps coming back and can block progress.'


def shared_words(tasks: Sequence[str]) -> list[str]:
    """Up to four content words that at least half of the tasks (and two of them) have in common.

    In the order of the first task that has them, and in its spelling (lower case).
    """
    spelled: dict[str, str] = {}
    counted: Counter[str] = Counter()
    named = [task for task in tasks if task.strip()]
    for task in named:
        stems = set()
        for word in query_terms(task).words:
            root = stem(word)
            if word not in _DOING and root not in _DOING and not word.isdigit():
                spelled.setdefault(root, word)
                stems.add(root)
        counted.update(stems)
    enough = max(2.0, len(named) / 2)
    return [word for root, word in spelled.items() if counted[root] >= enough][:SUBJECTS]
