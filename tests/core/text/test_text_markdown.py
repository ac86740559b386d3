"""Lessons in Markdown: what is one, what is not, and where it stood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix_core.text.markdown import read_notes

PAGE = """---
title: front matter
- not an item of the text at all
---
# Working here

This paragraph describes the project and gives no advice at all.

Always run the migrations before the tests,
because the fixtures need them.

## Testing

- When pytest hangs in CI, pass **-x** because a [fixture](docs/fixtures.md) leaks
- [x] Never commit snapshots from a laptop
  since fonts differ there
- short one
* When deploying the service:
  1. run the smoke tests against staging first
  2. watch the error rate for ten minutes
- @docs/imported.md is only an import line here

```bash
- this is code and not an item of advice
```

<!-- - When this is commented out
do not read it as a lesson -->

| When a table | says so | leave it alone |
|---|---|---|

+ `helix doctor` names what is wrong with a remedy
"""


def test_what_a_page_teaches() -> None:
    found = [(note.line, note.heading, note.content) for note in read_notes(PAGE)]
    assert found == [
        (9, "Working here", "Always run the migrations before the tests, because the fixtures need"
         " them."),
        (14, "Testing", "When pytest hangs in CI, pass -x because a fixture leaks"),
        (15, "Testing", "Never commit snapshots from a laptop since fonts differ there"),
        (19, "Testing", "When deploying the service: run the smoke tests against staging first"),
        (20, "Testing", "When deploying the service: watch the error rate for ten minutes"),
        (33, "Testing", "`helix doctor` names what is wrong with a remedy"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "\n\n", "---", "```", "- ", "<!--", "- When a\x00b c d e f g"]
)
def test_odd_pages(text: str) -> None:
    assert all(note.content.isprintable() for note in read_notes(text))


@given(st.text(alphabet="-*#`~<>!|: \n\tabW1.)[]()", max_size=400))
def test_any_page_is_read(text: str) -> None:
    for note in read_notes(text):
        assert 1 <= note.line <= text.count("\n") + 1
        assert "\n" not in note.content and note.content.strip() == note.content
