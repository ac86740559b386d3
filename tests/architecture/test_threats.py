"""Each line of the threat model in ARCHITECTURE.md names a test that exists."""

from __future__ import annotations

import re

from tests.architecture.sources import ROOT

NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?` \|$")


def test_every_threat_has_its_test() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    lines = text.partition("\n## Threats\n")[2].partition("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("| ")][1:]
    table = [line for line in table if not line.startswith("| ---")]
    assert len(table) >= 15
    missing = []
    for line in table:
        found = NAMED.search(line)
        path = ROOT / found[1] if found else None
        source = path.read_text(encoding="utf-8") if path is not None and path.is_file() else ""
        if not source or (found and found[2] and f"def {found[2]}(" not in source):
            missing.append(line)
    assert missing == []
