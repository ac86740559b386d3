"""Every script of the model, by the name under which a session asks for it.

Role: the table `inside` looks into. May import: tests.e2e.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.e2e import story
from tests.e2e.loopback_api import Script
from tests.e2e.scenario import PLANS, Scenario


def _waves(name: str, background: bool) -> Script:
    return Scenario(PLANS[name], background=background)


SCRIPTS: dict[str, Callable[[bool], Script]] = {
    **{name: partial(_waves, name) for name in PLANS},
    "whole": story.whole,
    "again": story.again,
    "asking": story.asking,
    "figures": story.figures,
    "only-planning": story.only_planning,
}
"""The script for a session whose agents run in the background, or not."""
