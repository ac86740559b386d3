"""Read the fields of a prompt to a helix agent. Standard library and this package.

`parse_fields` knows only where fields begin and end; `read_prompt` gives them their types. A
field begins at the start of a line (spaces, a list dash, `#` or `**` may precede its name) and
runs to the next one. All work is linear in the prompt's length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helix_core.text.blocks import Fence, fence_at, fences, normal_lines
from helix_core.text.clean import fold, scrub, shorten
from helix_core.text.credentials import mask
from helix_core.text.values import bare, first_paragraph, name_list, path_list, task_id

FIELDS = (
    "TASK_ID",
    "TASK",
    "OBJECTIVE",
    "VERIFY",
    "RELEVANT_FILES",
    "WARNING",
    "PARENT_DELIVERIES",
    "INSIGHTS",
    "INJECTED",
    "EXPLORATION",
    "CONSTRAINTS",
    "RISK_AREAS",
    "CONTEXT",
    "SCOPE",
    "FOCUS",
)
QUERY_LIMIT = 2_000
_PROMPT_LIMIT = 1_000_000
# The two notices end a field like a field of their own, but carry nothing.
_NOTICES = ("NO_PRIOR_MEMORY", "NO_MATCHING_INSIGHTS")
# In these a line such as "- SCOPE: only the API" is an item of the list, not the next field.
_LISTS = frozenset(
    {"CONSTRAINTS", "RISK_AREAS", "PARENT_DELIVERIES", "INSIGHTS", "EXPLORATION", "CONTEXT"}
)
_HEADER = re.compile(
    r"^[ \t]*(?P<dash>[-*+][ \t]+)?(?P<hash>\#{1,6}[ \t]*)?(?P<open>(?:\*\*|__|`){0,2})"
    rf"(?P<name>{'|'.join((*FIELDS, *_NOTICES))})(?![A-Z_a-z0-9])"
    r"(?:[ \t]*\([^()\n]{0,80}\))?(?:\*\*|__|`){0,2}"
    r"(?:[ \t]*(?P<colon>:)(?:\*\*|__|`){0,2}|[ \t]*$)",
    re.MULTILINE,
)
_NOTHING = re.compile(r"[\W_]*(?:none|n/?a|nothing|no insights?)?[\W_]*", re.IGNORECASE)


@dataclass(frozen=True)
class Prompt:
    """A prompt's fields with their types; what is absent is empty, an absent id is None."""

    task_id: str | None = None
    task: str = ""
    objective: str = ""
    verify: str = ""
    relevant_files: tuple[str, ...] = ()
    insights: str = ""
    injected: tuple[str, ...] = ()
    constraints: str = ""
    risk_areas: str = ""
    scope: str = ""
    focus: str = ""
    has_insights: bool = False
    around: str = ""
    """What the prompt says before its first field."""

    @property
    def query(self) -> str:
        """The text to recall by (decision 2), at most 2,000 characters on one line.

        The TASK where there is one, else the OBJECTIVE; explorers ask with scope, focus and
        objective. A bare code or file name is never asked alone (decision 29): it is joined with
        what the prompt says around it, and "" is returned where it says nothing.
        """
        first = self.task or self.objective
        if not self.task and (self.scope or self.focus):
            first = _join(self.scope, self.focus, self.objective)
        wider = _join(self.task, self.objective)
        widest = _join(wider, self.scope, self.focus, self.around)
        for text in (first, wider, widest):
            if not bare(text):
                return shorten(fold(text), QUERY_LIMIT)
        return ""


def parse_fields(prompt: str) -> dict[str, str]:
    """Split a prompt into its known fields, by name; values are stripped, empty ones stay.

    A name inside other text is no field, nor is one quoted in a code fence inside a field. Where
    a field comes twice, the first that is not empty counts and the later one is plain text.
    """
    return _split(normal_lines(prompt))[0]


def read_prompt(prompt: object) -> Prompt:
    """Read a helix prompt; anything that is not text gives an empty `Prompt`. Never raises.

    Fields are kept, so secrets are masked here, before anything is cut.
    """
    if not isinstance(prompt, str):
        return Prompt()
    fields, around = _split(mask(scrub(normal_lines(prompt), _PROMPT_LIMIT)))
    insights = fields.get("INSIGHTS", "")
    return Prompt(
        task_id=task_id(fields.get("TASK_ID", "")),
        task=fold(first_paragraph(fields.get("TASK", ""))),
        objective=fields.get("OBJECTIVE", ""),
        verify=first_paragraph(fields.get("VERIFY", "")),
        relevant_files=path_list(fields.get("RELEVANT_FILES", "")),
        insights=insights,
        injected=name_list(fields.get("INJECTED", "")),
        constraints=fields.get("CONSTRAINTS", ""),
        risk_areas=fields.get("RISK_AREAS", ""),
        scope=fields.get("SCOPE", ""),
        focus=fields.get("FOCUS", ""),
        has_insights=not (_NOTHING.fullmatch(insights[:40]) or insights.startswith(_NOTICES)),
        around=around,
    )


def _split(text: str) -> tuple[dict[str, str], str]:
    """The fields of `text`, and what stands before the first of them."""
    spans = fences(text)
    heads: list[re.Match[str]] = []
    filled: set[str] = set()
    for match in _HEADER.finditer(text):
        if not _counts(match, text, heads[-1] if heads else None):
            continue
        if heads and _quoted(spans, match.start(), heads[0].start()):
            continue
        if heads and text[heads[-1].end() : match.start()].strip():
            filled.add(heads[-1]["name"])
        if match["name"] not in filled:
            heads.append(match)
    fields: dict[str, str] = {}
    for index, head in enumerate(heads):
        end = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        value = _value(text[head.end() : end])
        if head["name"] in FIELDS and not fields.get(head["name"]):
            # TASK_ID is one line: a break right after the colon means that there is no id.
            is_id = head["name"] == "TASK_ID"
            fields[head["name"]] = text[head.end() : end].split("\n")[0].strip() if is_id else value
    return fields, text[: heads[0].start()].strip() if heads else text.strip()


def _counts(match: re.Match[str], text: str, previous: re.Match[str] | None) -> bool:
    """Whether a line that looks like a header is one, given the field it would end."""
    if not match["colon"] and not match["hash"] and not match["open"]:
        return False
    if previous is None or not match["dash"] or previous["dash"]:
        return True
    return previous["name"] not in _LISTS


def _quoted(spans: list[Fence], offset: int, first: int) -> bool:
    """Whether a fence that opened inside a field holds `offset`."""
    fence = fence_at(spans, offset)
    return fence is not None and fence.start > first


def _value(raw: str) -> str:
    text = raw.strip()
    # "**TASK: x**": the bold type began before the name and ends with the line.
    return text[:-2].rstrip() if text.endswith("**") and text.count("**") % 2 else text


def _join(*parts: str) -> str:
    return " ".join(dict.fromkeys(fold(part) for part in parts if part.strip()))
