"""View 5: the questions of the LEARN phase, their evidence, and the person's answer."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.geometry import Region

from helix_tui import bindings, formats, views
from helix_tui.messages import Chosen, CommandAsked, CommandDone, Selected
from helix_tui.screens.base import ViewScreen
from helix_tui.screens.replying import EditAnswer, Reply
from helix_tui.state import LearnView, LearnWanted, QuestionDetail, Snapshot, Wanted
from helix_tui.widgets import question_text
from helix_tui.widgets.live_table import LiveTable
from helix_tui.widgets.pieces import Pieces, clicks
from helix_tui.widgets.reading import ReadingPane

EMPTY = "No question waits. A session asks in its LEARN phase; helix asks about conflicts."
ANSWERING = frozenset({"choose", "accept", "reply", "edit_option", "dismiss_question"})


class LearnScreen(ViewScreen):
    """The queue, the evidence for the selected question, the question with its options."""

    VIEW = "learn"
    CSS_PATH = "learn.tcss"
    AUTO_FOCUS = "#questions"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("learn")
    about = bindings.keys("learn", about=True)

    _wanted = LearnWanted()
    _view = LearnView()
    _chosen: frozenset[int] = frozenset()

    def compose_view(self) -> ComposeResult:
        """The queue beside or above what belongs to the selected question."""
        with Container(id="learn-halves"):
            yield LiveTable(
                question_text.COLUMNS,
                id="questions",
                glyphs=self.glyphs,
                empty=EMPTY,
                selects=True,
            )
            with Vertical(id="matter"):
                with ReadingPane(id="evidence"):
                    yield Pieces("evidence-text")
                with Vertical(id="asked"):
                    yield Pieces("asked-question")
                    yield Pieces("asked-options")

    def on_mount(self) -> None:
        """Name the panes."""
        self.query_one("#questions").border_title = "Questions"
        self.query_one("#evidence").border_title = "Evidence"

    def wanted(self) -> Wanted:
        """The queue, and the selected question whole."""
        return Wanted(self.VIEW, self._wanted)

    def draw(self, snapshot: Snapshot, now: datetime) -> None:
        """Fill the panes."""
        view = snapshot.of(LearnView)
        if view is None:
            return
        self._notice(view)
        self._view = view
        table = self.query_one("#questions", LiveTable)
        table.show(question_text.rows(view.lines, self.glyphs, now))
        table.border_title = f"{formats.plural(view.open, 'question')} waiting"
        detail = view.detail
        if detail is not None and table.key is not None and detail.line.id != table.key:
            return  # it answers an older wish
        waits = self._open is not None
        self._chosen = self._chosen if waits else frozenset()
        about = question_text.evidence(view, self.glyphs)
        self.query_one("#evidence-text", Pieces).show(*about)
        asked = self.query_one("#asked")
        asked.display = detail is not None
        hints = question_text.hints(detail, self._chosen)
        asked.border_title = Content.assemble("Question", ": " if hints else "", clicks(*hints))
        self.query_one("#asked-question", Pieces).show(question_text.question(detail))
        options = question_text.options(detail, self._chosen)
        chooses = [f"screen.choose({n})" for n in question_text.numbers(detail)] if waits else []
        self.query_one("#asked-options", Pieces).show(*options, actions=chooses)

    def lacks(self, snapshot: Snapshot) -> bool:
        """Whether the question under the cursor is on its way."""
        view, here = snapshot.of(LearnView), self.query_one("#questions", LiveTable).key
        if view is None:
            return True
        return here is not None and (view.detail is None or view.detail.line.id != here)

    def _notice(self, view: LearnView) -> None:
        """Say so, calmly, where the selected question was closed somewhere else."""
        before, now = self._view.detail, view.detail
        if before is None or now is None or before.line.id != now.line.id:
            return
        if before.line.state == "open" != now.line.state and now.line.answered_by != "tui":
            place = question_text.PLACES.get(now.line.answered_by, now.line.answered_by)
            words = f"question {now.line.id} was {now.line.state} {place} meanwhile"
            self.notify(formats.literal(words), markup=False, timeout=6)

    @property
    def _open(self) -> QuestionDetail | None:
        """The selected question, while it waits."""
        detail = self._view.detail
        here = self.query_one("#questions", LiveTable).key
        waits = detail is not None and detail.line.state == "open" and detail.line.id == here
        return detail if waits else None

    def on_selected(self, message: Selected) -> None:
        """Another question."""
        if message.key is not None and message.key != self._wanted.key:
            self._wanted = LearnWanted(message.key)
            self._choose(frozenset())
            self.query_one("#evidence").scroll_home(animate=False)
            self.ask()

    def on_chosen(self, message: Chosen) -> None:
        """Enter on the row, or a double click; by now the cursor may be on another one."""
        detail = self._view.detail
        if detail is not None and detail.line.id == message.key:
            self._accept(detail)

    # -- what can be done ---------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A digit is an option as long as the question has one of that number."""
        if action not in ANSWERING and action != "next_open":
            return True
        if not self.is_mounted or not self.query("#questions"):
            return False
        if action == "next_open":
            return self._view.open > 0
        detail = self._open
        if detail is None:
            return False
        if action == "choose":
            return 1 <= int(str(parameters[0])) <= len(detail.options)
        if action == "accept":
            return bool(self._chosen)
        if action == "edit_option":
            return bool(self._editable(detail))
        return True

    def action_choose(self, number: int) -> None:
        """Choose an option, or take that back; one at a time unless several may hold."""
        detail = self._open
        if detail is not None:
            others = self._chosen if detail.multi_select else frozenset()
            self._choose(others | {number} if number not in self._chosen else others - {number})

    def _choose(self, chosen: frozenset[int]) -> None:
        if chosen != self._chosen:
            self._chosen = chosen
            self.redraw()
            self.refresh_bindings()
            self.call_after_refresh(self._bring_chosen)

    def _bring_chosen(self) -> None:
        """Where the options need more room than there is: the chosen one into sight."""
        lines = question_text.numbers(self._open)
        if self._chosen and max(self._chosen) in lines:
            options = self.query_one("#asked-options")
            top = options.virtual_region.y
            each = options.size.height / len(lines)
            first, count = lines.index(max(self._chosen)), lines.count(max(self._chosen))
            region = Region(0, top + int(first * each), 1, max(1, round(count * each)))
            self.query_one("#asked").scroll_to_region(region, animate=False, force=True)

    def action_accept(self) -> None:
        """Answer with what is chosen."""
        if self._open is not None:
            self._accept(self._open)

    def _accept(self, detail: QuestionDetail) -> None:
        if self._chosen:
            command = CommandAsked("answer", detail.line.id, sorted(self._chosen), to=self)
            self.post_message(command)

    def action_reply(self) -> None:
        """Answer in own words."""
        detail = self._open
        if detail is not None:
            chosen = sorted(self._chosen)
            self.app.push_screen(Reply(detail.line.id, detail.question, chosen))

    def _editable(self, detail: QuestionDetail) -> list[int]:
        """The chosen options that store something; with none chosen the only one that does."""
        storing = [n for n, option in enumerate(detail.options, 1) if option.insight]
        chosen = [n for n in storing if n in self._chosen]
        found = chosen if self._chosen else storing
        return found if len(found) == 1 else []

    def action_edit_option(self) -> None:
        """Edit what an option would store, then accept it."""
        detail = self._open
        numbers = self._editable(detail) if detail is not None else []
        if detail is not None and numbers:
            chosen = sorted(self._chosen | set(numbers))
            text = detail.options[numbers[0] - 1].insight
            self.app.push_screen(EditAnswer(detail.line.id, detail.question, chosen, text))

    def action_dismiss_question(self) -> None:
        """Close it without an answer."""
        detail = self._open
        if detail is not None:
            self.post_message(CommandAsked("dismiss", detail.line.id, to=self))

    def on_command_done(self, message: CommandDone) -> None:
        """Somebody else was first: that is no failure."""
        if message.trouble == "ChangedError":
            message.stop()
            self.notify(formats.literal(message.text), markup=False, timeout=6)

    def action_next_open(self) -> None:
        """The next question that waits, from the selected one on, round to the first."""
        table = self.query_one("#questions", LiveTable)
        waiting = [line.id for line in self._view.lines if line.state == "open"]
        place = waiting.index(table.key) + 1 if table.key in waiting else 0
        if waiting:
            table.select(waiting[place % len(waiting)])
            self.on_selected(Selected("questions", table.key))

    def action_learn_back(self) -> None:
        """Give up what is chosen; with nothing chosen go back to the first view."""
        if self._chosen:
            self._choose(frozenset())
        else:
            self.app.switch_mode(views.NAMES[0])
