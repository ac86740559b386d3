"""The scanner beside detect-secrets: a token that it knows by its form, ours knows too.

Its detectors by entropy and by key word are left out: they take ordinary advice for secrets. So
are forms that are none of a whole secret (an account's id, a key's header without its dashes),
and a Discord token whose first part, a number in base64, has no digit.
"""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix_core.text.scanner import mask, scan

DETECTORS = {
    "azure_storage_key": "AzureStorageKeyDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "mailchimp": "MailchimpDetector",
    "openai": "OpenAIDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
}


@pytest.mark.parametrize("module", DETECTORS)
@settings(max_examples=5, derandomize=True, deadline=None, database=None)
@given(data=st.data())
def test_what_it_finds_by_form_we_find(module: str, data: st.DataObject) -> None:
    detector = getattr(
        importlib.import_module(f"detect_secrets.plugins.{module}"), DETECTORS[module]
    )()
    alphabet = st.characters(codec="ascii")
    forms = [
        st.from_regex(form.pattern, fullmatch=True, alphabet=alphabet) for form in detector.denylist
    ]
    token = data.draw(st.one_of(forms))
    text = f"use {token} for now"
    found = scan(text)
    assert found is not None and found.category == "credential"
    assert token not in mask(text)
