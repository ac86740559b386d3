"""The keys of the learn view. Standard library only."""

from __future__ import annotations

from helix_tui.keys.action import Action

PLACES = ("first", "second", "third", "fourth")
"""As many options as a question can have."""
KEYS = (
    *(
        Action(
            f"choose_{number}",
            (str(number),),
            "Choose" if number == 1 else f"Choose {number}",
            f"Choose the {place} option, or take that back; views on other digits stay reachable",
            where="learn",
            call=f"choose({number})",
            footer=number == 1,
            palette=False,
            about=True,
            overrides=True,
        )
        for number, place in enumerate(PLACES, 1)
    ),
    Action(
        "accept",
        ("enter",),
        "Accept",
        "Answer with what is chosen; u takes it back",
        where="learn",
        footer=True,
        about=True,
        overrides=True,
    ),
    Action(
        "reply",
        ("o",),
        "Own words",
        "Answer in words of your own",
        "learn",
        footer=True,
        about=True,
    ),
    Action(
        "edit_option",
        ("e",),
        "Edit",
        "Edit the insight of the chosen option, then accept it",
        where="learn",
        footer=True,
        about=True,
    ),
    Action(
        "dismiss_question",
        ("x",),
        "Dismiss",
        "Close the question without an answer; u asks it again",
        where="learn",
        footer=True,
        about=True,
    ),
    Action("next_open", ("n",), "Next", "The next question that waits", where="learn", footer=True),
    Action("learn_back", ("escape",), "Back", "Give up what is chosen, else go back", "learn"),
)
