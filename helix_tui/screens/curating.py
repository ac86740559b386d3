"""What a person does to insights, whatever shows them: each asks or can be taken back by u."""

from __future__ import annotations

from helix_tui import formats
from helix_tui.messages import CommandAsked, CommandDone
from helix_tui.screens.base import ViewScreen
from helix_tui.screens.confirm import Confirm
from helix_tui.screens.editor import EditTags, EditText
from helix_tui.screens.what_if import WhatIfDialog
from helix_tui.state import InsightDetail, InsightLine, InsightsView, PrunePlan

NOTHING_TO_PRUNE = "Nothing to prune: no insight fell under the limits."
NAMED = 6
REASONS = {"low": "low effectiveness", "ghost": "never needed"}


class CuratingScreen(ViewScreen):
    """A view with an insight under its cursor."""

    marked: InsightLine | None = None
    """What another insight is to be merged into."""

    @property
    def key(self) -> int | None:
        """The insight under the cursor."""
        raise NotImplementedError

    def selected(self) -> InsightLine | None:
        """The insight under the cursor, as the newest snapshot has it."""
        view = self._newest()
        rows = view.page.rows if view else ()
        return next((row for row in rows if row.id == self.key), None)

    def _newest(self) -> InsightsView | None:
        snapshot, _ = self.latest()
        return snapshot.of(InsightsView) if snapshot else None

    def _detail(self, insight_id: int | None) -> InsightDetail | None:
        """An insight whole, as the newest snapshot has it; None where it has not."""
        view = self._newest()
        detail = view.detail if view else None
        return detail if detail is not None and detail.line.id == insight_id else None

    def action_edit(self) -> None:
        """Type over the text of the selected insight."""
        detail = self._detail(self.key)
        if detail is not None:
            self.app.push_screen(EditText(detail, self._detail))

    def action_tags(self) -> None:
        """Type over its tags."""
        detail = self._detail(self.key)
        if detail is not None:
            self.app.push_screen(EditTags(detail, self._detail))

    def action_copy(self) -> None:
        """Its text into the clipboard, through the terminal."""
        detail = self._detail(self.key)
        if detail is not None:
            self.app.copy_to_clipboard(detail.content)
            size = formats.plural(len(detail.content), "character")
            self.notify(f"{size} sent to the terminal's clipboard (OSC 52)", markup=False)

    def action_pin(self) -> None:
        """Pin or unpin the selected insight."""
        row = self.selected()
        if row is not None:
            self.post_message(CommandAsked("pin", row.name, not row.pinned))

    def action_trash(self) -> None:
        """Ask, then move the selected insight to the trash."""
        row = self.selected()
        if row is not None:
            promise = "u brings it back. Until then the same text is not learned again."
            question = "Move this insight to the trash?"
            self._ask(question, row.content, promise, "Trash", CommandAsked("trash", (row.name,)))

    def action_merge(self) -> None:
        """Mark the selected insight; with one marked, ask and merge the selected one into it."""
        row, kept = self.selected(), self.marked
        if row is None or kept is None or row.id == kept.id:
            self.mark(row if kept is None else None)
            return
        subject = f"{kept.content}\n+ {row.content}"
        promise = "The first text stays, with the record of both. u parts them again."
        command = CommandAsked("merge", kept.name, row.name)
        self._ask("Merge these two insights?", subject, promise, "Merge", command)

    def mark(self, row: InsightLine | None) -> None:
        """Mark the insight that another one is to be merged into; None marks none."""
        self.marked = row
        self.redraw()
        self.refresh_bindings()

    def _ask(
        self, question: str, subject: str, promise: str, verb: str, command: CommandAsked
    ) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                self.mark(None)
                self.post_message(command)

        self.app.push_screen(Confirm(question, subject, promise, verb), answered)

    def action_prune(self) -> None:
        """Ask for what the rules would prune, then whether to."""
        self.post_message(CommandAsked("prune-plan", to=self))

    def on_command_done(self, message: CommandDone) -> None:
        """What would be pruned; everything else is the app's to say."""
        plan = message.result
        if not isinstance(plan, PrunePlan):
            return
        message.stop()
        if not plan.lines:
            self.notify(NOTHING_TO_PRUNE, markup=False)
            return
        count = formats.plural(len(plan.lines), "insight")
        named = [f"{name}: {REASONS.get(reason, reason)}" for name, reason in plan.lines[:NAMED]]
        rest = len(plan.lines) - NAMED
        subject = "\n".join([*named, *([f"and {rest} more"] if rest > 0 else [])])
        promise = "u brings them all back, T one by one. Pinned ones are never pruned."
        self._ask(f"Prune {count}?", subject, promise, "Prune", CommandAsked("prune"))

    def action_what_if(self) -> None:
        """Type a task, see what its agent would get."""
        self.app.push_screen(WhatIfDialog(self.glyphs))
