"""The application: modes, the feed, and the handlers that change state. No query runs here.

May import textual, the screens, `data`, and nothing that opens a database.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import SystemCommand
from textual.binding import BindingType
from textual.message_pump import MessagePump
from textual.screen import Screen

from helix_core.errors import HelixError
from helix_core.paths import Project
from helix_tui import actions, bindings, views
from helix_tui.data import files
from helix_tui.data.feed import Feed
from helix_tui.formats import literal
from helix_tui.glyphs import Glyphs
from helix_tui.keyboard import Keyboard
from helix_tui.messages import (
    CommandAsked,
    CommandDone,
    InsightAsked,
    RowsAsked,
    SnapshotReady,
    WantedChanged,
)
from helix_tui.screens.base import LiveDialog, ViewScreen
from helix_tui.state import Snapshot
from helix_tui.stylesheet import SteadyStylesheet
from helix_tui.themes import THEMES
from helix_tui.widgets.run_layout import BROAD, WIDE

if TYPE_CHECKING:
    from helix_tui.data.service import Watch


class HelixApp(Keyboard):
    """The dashboard of one project."""

    TITLE = "helix"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings.for_place("app")
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-short"), (20, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        project: Project,
        glyphs: Glyphs,
        *,
        view: str = views.NAMES[0],
        watch: Watch | None = None,
    ) -> None:
        self.DEFAULT_MODE = view  # type: ignore[misc]  # no empty screen is built before it
        super().__init__()
        self.stylesheet = SteadyStylesheet(variables=self.get_css_variables())
        self.project = project
        self.glyphs = glyphs
        self.snapshot: Snapshot | None = None
        """The newest one; what is on the screen is drawn from it."""
        self.paused = False
        self.feed = Feed(project, self._post, watch=watch)
        self._screens: dict[str, ViewScreen] = {}
        for name in views.NAMES:
            self.add_mode(name, partial(self.view_of, name))
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.animation_level = "none"

    def _post(self, snapshot: Snapshot) -> None:
        self.post_message(SnapshotReady(snapshot))

    def _latest(self) -> tuple[Snapshot | None, bool]:
        return self.snapshot, self.paused

    # -- life ---------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Nothing is read before the first paint, so that it has the processor for itself."""
        self.set_class(self.glyphs.ascii, "-ascii")
        self._leave_on_signals()
        self.call_after_refresh(self._read)

    def _read(self) -> None:
        """Start reading, and looking at the time."""
        self.feed.want(self.view.wanted())
        self.feed.start()
        self.set_interval(1.0, self._tick)
        self.run_worker(
            files.watch(self.project.home, self.feed.wake, self.feed.remark),
            group="files",
            exclusive=True,
            exit_on_error=False,
        )

    def _leave_on_signals(self) -> None:
        """Hung up on or asked to end: give the terminal back first."""
        import asyncio

        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self.exit)

    def on_unmount(self) -> None:
        """Let go of the database."""
        self.feed.stop()

    @property
    def view(self) -> ViewScreen:
        """The view in front, also under a dialog."""
        return self.view_of(self.current_mode)

    def view_of(self, name: str) -> ViewScreen:
        """The one screen of a view, made when it is first looked at."""
        if name not in self._screens:
            screen = views.of(name).screen_class(self.glyphs, self._latest)
            screen.add_class(*self._size_classes(), update=False)  # else it is styled twice
            self._screens[name] = screen
        return self._screens[name]

    def _size_classes(self) -> Iterable[str]:
        """The classes Textual gives a screen for its size, once that has been told its size."""
        both = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for length, breakpoints in zip(self.size, both, strict=True):
            yield max((least, name) for least, name in breakpoints if length >= least)[1]
        if self.size.width >= BROAD:
            yield "-broad"

    def _tick(self) -> None:
        """What depends on the time alone: running clocks and the data's age."""
        self.view.show()

    # -- messages -----------------------------------------------------------------------------

    def on_snapshot_ready(self, message: SnapshotReady) -> None:
        """A new picture."""
        if not self.screen_stack:  # leaving
            return
        self.snapshot = message.snapshot
        self.view.show()
        if isinstance(self.screen, LiveDialog):
            self.screen.show()
        self.refresh_bindings()

    def on_wanted_changed(self, message: WantedChanged) -> None:
        """The view in front wants other rows."""
        self.feed.want(self.view.wanted())

    def on_insight_asked(self, message: InsightAsked) -> None:
        """Go to one insight, wherever it was seen."""
        self._go(partial(self.view_of("insights").open_insight, message.insight_id))

    def on_rows_asked(self, message: RowsAsked) -> None:
        """Go to the insights behind a figure."""
        self._go(partial(self.view_of("insights").open_filter, message.text))

    def _go(self, show: Callable[[], None]) -> None:
        """To the insights; what is shown there is asked for once that view has its panes."""

        def arrived() -> None:
            self.going = False
            show()

        self.going = True
        self.switch_mode("insights")
        self.call_after_refresh(arrived)

    def on_command_asked(self, message: CommandAsked) -> None:
        """Carry out a change in a thread of its own."""
        self._carry_out(message.command, *message.args, to=message.to)

    def _carry_out(self, name: str, *args: object, to: MessagePump | None = None) -> None:
        self.run_worker(
            partial(self._in_thread, name, *args, to=to),
            thread=True,
            group="commands",
            exit_on_error=False,
        )

    def _in_thread(self, name: str, *args: object, to: MessagePump | None = None) -> None:
        try:
            from helix_tui.data import commands  # the first paint does not wait for what writes

            done = CommandDone(commands.COMMANDS[name](self.project, *args))
        except HelixError as error:
            done = CommandDone(str(error), trouble=type(error).__name__)
        except Exception as error:  # noqa: BLE001 - a person sees one line, not a traceback
            trouble = type(error).__name__
            done = CommandDone(f"{trouble}: {error}", trouble=trouble)
        self.feed.refresh()
        if to is None or not to.post_message(done):
            self.post_message(done)

    def on_command_done(self, message: CommandDone) -> None:
        """Say what came of it."""
        if message.text:
            self.notify(
                literal(message.text),
                severity="warning" if message.trouble else "information",
                markup=False,
                timeout=6,
            )

    # -- actions ------------------------------------------------------------------------------

    def action_view(self, name: str) -> None:
        """Another view."""
        if not isinstance(self.screen, ViewScreen):
            return
        self.switch_mode(name)

    def action_pause(self) -> None:
        """Hold the picture still, or go on."""
        self.paused = not self.paused
        self.feed.pause(self.paused)
        self.view.show()

    def action_undo(self) -> None:
        """Take back the newest change."""
        self._carry_out("undo")

    def action_zoom(self) -> None:
        """The focused pane alone, or all of them again."""
        if self.screen.maximized is not None:
            self.screen.minimize()
        elif self.screen.focused is not None:
            self.screen.maximize(self.screen.focused)

    def action_help(self) -> None:
        """The keys."""
        if isinstance(self.screen, ViewScreen):
            from helix_tui.screens.help import Help

            self.push_screen(Help(self.screen.VIEW))

    def action_command_palette(self) -> None:
        """Everything there is, by name."""
        from helix_tui.screens.palette import Palette  # the first paint does not wait for it

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def search_themes(self) -> None:
        """The colours, by name."""
        from helix_tui.screens.palette import Palette

        self.push_screen(Palette(themes=True))

    def action_leave(self) -> None:
        """End, with the terminal as it was."""
        self.exit()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every action of the registry that applies here, and the theme."""
        yield SystemCommand("Theme", "Choose colours", self.action_change_theme)
        places = ("app", screen.VIEW) if isinstance(screen, ViewScreen) else ("app",)
        for action in (a for place in places for a in actions.of(place) if a.palette):
            target = "app" if action.where == "app" else "screen"
            yield SystemCommand(
                action.label,
                action.help,
                partial(self.run_action, f"{target}.{action.action}"),
            )
