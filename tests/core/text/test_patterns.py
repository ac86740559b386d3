"""The wording of a recurring failure."""

from __future__ import annotations

from helix_core.text.patterns import pattern_content, shared_words
from helix_core.text.scanner import scan


def test_what_half_of_the_tasks_share_says_when_it_applies() -> None:
    tasks = ["Fix the invoice export", "Add invoices to the nightly export", "Rework the menu", ""]
    assert shared_words(tasks) == ["invoice", "export"]
    text = pattern_content("The orders table is missing.", tasks)
    assert text == (
        'When a task touches invoice, export, be aware that "The orders table is missing"'
        " keeps coming back and can block progress."
    )


def test_without_anything_in_common_it_is_general() -> None:
    assert shared_words(["Fix the menu", "Write docs"]) == []
    assert shared_words(["Fix the only task there is"]) == []
    text = pattern_content('It said "no"\nand stopped', [])
    assert text.startswith("When planning or building here, be aware that \"It said 'no' and")
    assert "\n" not in text


def test_a_pattern_passes_the_scanner_and_stays_short() -> None:
    text = pattern_content("the password field of the login form stays empty " * 40, [])
    assert scan(text) is None
    assert len(text) < 800


def test_many_shared_words_are_cut_to_four() -> None:
    task = "invoice export nightly ledger currency rounding"
    assert len(shared_words([task, task])) == 4
