"""Whatever the set-up installs for helix is pinned to a version that pyproject.toml allows."""

from __future__ import annotations

import re

from packaging.requirements import Requirement

from helix_core.provision import TORCH
from tests.architecture.sources import ROOT


def test_every_requirement_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {r.name.lower(): r for r in map(Requirement, filter(_is_one, lines))}
    assert all(re.fullmatch(r"==[\w.]+", str(pin.specifier)) for pin in pins.values())
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    wanted = [Requirement(found) for found in re.findall(r'"([^"]+)"', block)]
    assert len(wanted) >= 8
    for need in wanted:
        version = str(pins[need.name.lower()].specifier).removeprefix("==")
        assert need.specifier.contains(version), f"{need} is pinned to {version}"
    assert str(pins["torch"].specifier) == TORCH.removeprefix("torch")


def _is_one(line: str) -> bool:
    return bool(line) and not line.startswith("#")
