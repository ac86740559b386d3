"""A state as a glyph, a word and a role. Pure; the colour of a role is the theme's business.

Colour never carries the meaning alone: every glyph stands beside its word. Glyphs are one cell wide
in every terminal, none has an emoji form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROLES = ("", "good", "bad", "warn", "active", "muted", "accent", "strong")
"""What a piece of text means to the theme; empty is plain."""

_STATES = {
    "pending": ("·", ".", "pending", "muted"),
    "ready": ("○", "o", "ready", "accent"),
    "running": ("▸", ">", "running", "active"),
    "delivered": ("✓", "+", "delivered", "good"),
    "plan_complete": ("✓", "+", "planned", "good"),
    "done": ("✓", "+", "done", "good"),
    "partial": ("◐", "~", "partial", "warn"),
    "blocked": ("✗", "x", "blocked", "bad"),
    "crashed": ("!", "!", "crashed", "bad"),
    "skipped": ("↷", "-", "skipped", "muted"),
    "unknown": ("?", "?", "unknown", "warn"),
    "failed": ("✗", "x", "failed", "bad"),
    "ok": ("●", "*", "ok", "good"),
    "degraded": ("◐", "~", "degraded (keyword only)", "warn"),
    "off": ("○", "o", "off", "bad"),
    "open": ("○", "o", "open", "accent"),
    "answered": ("✓", "+", "answered", "good"),
    "dismissed": ("↷", "-", "dismissed", "muted"),
    "decay": ("↓", "v", "decay", "muted"),
}
_MARKS = {
    "menu": ("≡", "="),
    "pinned": ("◆", "#"),
    "risky": ("▲", "!"),
    "marked": ("⊕", "@"),
    "like": ("≈", "="),
    "here": ("◂", "<"),
    "up": ("▲", "^"),
    "down": ("▼", "v"),
    "rose": ("↑", "^"),
    "fell": ("↓", "v"),
    "same": ("=", "="),
    "more": ("…", "..."),
    "graph": ("⇢", "~>"),
    "direct": ("→", "->"),
    "bar": ("█", "#"),
    "rest": ("░", "."),
    "sep": ("│", "|"),
    "rail": ("─", "-"),
    "knob": ("●", "O"),
    "high": ("●", "@"),
    "middle": ("◐", "O"),
    "low": ("○", "o"),
    "cut_high": ("◆", "#"),
    "cut_middle": ("◈", "X"),
    "cut_low": ("◇", "x"),
}
_SPARK = "▁▂▃▄▅▆▇█"
_SPARK_ASCII = "_.-~=+*#"


@dataclass(frozen=True)
class State:
    """One state as it is shown."""

    glyph: str
    word: str
    role: str

    @property
    def text(self) -> str:
        """Glyph and word."""
        return f"{self.glyph} {self.word}"


@dataclass(frozen=True)
class Glyphs:
    """One of the two glyph sets."""

    ascii: bool = False

    def state(self, name: str) -> State:
        """A state, outcome or mode; one nobody knows is shown by its own name."""
        glyph, plain, word, role = _STATES.get(name, ("·", ".", name, ""))
        return State(plain if self.ascii else glyph, word, role)

    def mark(self, name: str) -> str:
        """A sign that stands for itself."""
        return _MARKS[name][1 if self.ascii else 0]

    def bar(self, share: float, width: int) -> str:
        """A share in [0, 1] as a bar of `width` cells."""
        full = round(min(1.0, max(0.0, share)) * width)
        return self.mark("bar") * full + self.mark("rest") * (width - full)

    def level(self, part: float) -> str:
        """One cell of a column that is filled from below to `part` of its height."""
        if self.ascii:
            return self.mark("bar") if part >= 0.5 else "." if part > 0 else " "
        eighths = min(8, max(0, round(part * 8)))
        return _SPARK[eighths - 1] if eighths else _SPARK[0] if part > 0 else " "

    def spark(self, shares: Sequence[float], width: int) -> str:
        """Shares in [0, 1] as one cell each, the last `width` of them; higher is fuller."""
        steps = _SPARK_ASCII if self.ascii else _SPARK
        top = len(steps) - 1
        return "".join(steps[round(min(1.0, max(0.0, s)) * top)] for s in shares[-width:])


def choose(environ: dict[str, str], encoding: str) -> Glyphs:
    """The set for this terminal: ASCII by `HELIX_ASCII=1` or where UTF-8 cannot be written."""
    wanted = environ.get("HELIX_ASCII", "") not in ("", "0")
    return Glyphs(ascii=wanted or "utf" not in encoding.lower())
