"""The effectiveness view's rows: figures over the whole memory."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from helix_core.store import view_figures
from helix_tui import formats
from helix_tui.data.part import Desk, Part
from helix_tui.state import Effectiveness, Nothing

WIDTH = 30


def read(desk: Desk, wanted: Nothing, before: Effectiveness | None = None) -> Effectiveness:
    """All figures."""
    return before or view_figures.effectiveness(desk.conn)


def facts(desk: Desk) -> dict[str, Any]:
    """The figures as plain values."""
    return {"effectiveness": asdict(read(desk, Nothing()))}


def text(found: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    what = found["effectiveness"]
    loop = what["loop"]
    lines = [
        f"loop coverage {formats.percent(loop['coverage'])}"
        f" ({loop['used']} of {loop['insights']} insights)",
        f"causal ratio {formats.percent(loop['causal_ratio'])}"
        f" ({loop['causal_uses']} of {loop['uses']} uses)",
        f"tasks helped {loop['helped']:.1f}, hurt {loop['hurt']:.1f}",
    ]
    if what["lift"]:
        lines.append(f"lift {what['lift']['told']}")
    for name in ("effectiveness", "generality", "velocity"):
        unknown = what[name]["unknown"]
        lines += ["", name + (f" ({unknown} not known yet)" if unknown else "")]
        most = max((one["count"] for one in what[name]["bins"]), default=0) or 1
        for one in what[name]["bins"]:
            bar = "#" * -(-one["count"] * WIDTH // most)
            lines.append(f"  {one['label']:>4} {one['count']:>6} {bar}".rstrip())
    lines += ["", "calibration: score shown, tasks, delivered"]
    lines += [
        f"  {one['label']} {one['tasks']:>6.0f} {formats.percent(one['rate']):>5}"
        f" ({formats.interval(one['low'], one['high'], 1)})"
        for one in what["calibration"]
    ]
    lines += ["", "outcomes"]
    for one in what["outcomes"]:
        states = ", ".join(f"{count} {formats.literal(name)}" for name, count in one["states"])
        agent = formats.literal(formats.bare_type(one["agent_type"]))
        lines.append(f"  {formats.literal(one['period'])} {agent:<8} {states}")
    return lines


PART: Part[Nothing, Effectiveness] = Part(Nothing, read, facts, text)
