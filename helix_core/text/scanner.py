"""The gate in front of the memory: refuses injected instructions, secrets and hidden characters.

Standard library only. 14 rules in 4 categories; those about secrets are in `credentials`. Every
repetition in a pattern is bounded or runs over one character class, so that hostile text of 100 KB
costs milliseconds. A finding names the rule and never carries the text that matched.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from helix_core.text import credentials
from helix_core.text.credentials import is_prescriptive, mask, mask_tree, removed

__all__ = [
    "RULES",
    "Category",
    "Finding",
    "hidden",
    "is_prescriptive",
    "mask",
    "mask_tree",
    "removed",
    "scan",
]

Category = Literal["prompt-injection", "credential", "invisible-unicode", "exfiltration"]


@dataclass(frozen=True)
class Finding:
    """Why a text is refused: the `rule` that fired and its `category`; no part of the text."""

    rule: str
    category: Category


_I = re.IGNORECASE

# -- prompt injection (5) -----------------------------------------------------------------------
_INJECTION = {
    "override-instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|everything\s+|of\s+|the\s+)"
        r"{0,3}(?:(?:your|my|these|those|previous|prior|above|earlier|preceding|system|safety|former)"
        r"\s+){1,3}(?:instructions?|prompts?|directives?|guidelines?|orders|rules?|restrictions?|"
        r"messages?|training|safeguards?)\b"
        # "ignore all rules in generated files" is linter advice; "ignore all rules and ..." is not.
        r"|\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)(?:of\s+)?(?:the\s+)?"
        r"(?:instructions?|rules|guidelines|directives)(?=\s+(?:and|then|you|now)\b|\s*[.,;!]|\s*$)"
        r"|\b(?:ignore|disregard|forget)\s+(?:everything|the|all|what)\s+"
        r"(?:that\s+)?(?:above|before this|you (?:were|have been) told|i said)\b",
        _I,
    ),
    "role-takeover": re.compile(
        r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\s+|the\s+|called\s+|named\s+)?(?:\w+\s+){0,2}"
        r"(?:dan|ai|assistant|agent|model|bot|jailbroken|unrestricted|uncensored|root|admin|"
        r"administrator|hacker|bound|restricted)\b"
        r"|\bfrom\s+now\s+on,?\s+(?:you|always\s+obey|respond|answer|act)\b"
        r"|\b(?:pretend|imagine|act\s+as\s+if)\s+(?:that\s+)?you\s+(?:are|have|were)\b"
        r"|\byour\s+(?:new|real|true|actual)\s+(?:task|instructions?|role|goal|objective|purpose)\s+"
        r"(?:is|are)\b"
        r"|\bnew\s+(?:system\s+)?instructions?\s*:",
        _I,
    ),
    "fake-turn": re.compile(
        r"<\s*/?\s*(?:system(?:[-_ ]?(?:reminder|prompt|message))?|assistant|function_calls|"
        r"function_results|antml:\w{1,30})\s*>"
        r"|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)\|>"
        r"|\[/?INST\]|<</?SYS>>"
        r"|(?:^|\n)\s{0,8}(?:#{1,4}\s*)?(?:system|assistant|human)\s*(?:prompt|message)?\s*:\s*\n?\s*"
        r"(?:you\s|ignore|from now|new|do not|always)",
        _I,
    ),
    "prompt-disclosure": re.compile(
        r"\b(?:reveal|print|output|repeat|show|leak|disclose|dump|display|recite|tell\s+me)\s+"
        r"(?:me\s+|us\s+|out\s+)?(?:all\s+(?:of\s+)?)?(?:your|the)\s+(?:\w+\s+){0,2}"
        r"(?:system\s+prompt|initial\s+prompt|hidden\s+(?:prompt|instructions?)|developer\s+message|"
        r"(?:secret|original|system)\s+instructions?)"
        r"(?!\s+(?:length|size|tokens?|count|cache|template|hash|version)\b)",
        _I,
    ),
    "hide-from-user": re.compile(
        r"\b(?:do\s+not|don['’]?t|never|must\s+not)\s+(?:tell|inform|mention|reveal|notify|alert|"
        r"warn|show|report|disclose)\s+(?:(?:this|it|that|anything|any\s+of\s+this)\s+(?:\w+\s+)?to\s+)?"
        r"(?:the\s+)?(?:user|human|operator|developer)s?(?:\s+(?:about|of|that))?\s*"
        r"(?:(?:this|these|you|it|anything|what\s+you)\b|[.!]|$)"
        r"|\b(?:hide|conceal|keep)\s+(?:this|these|it|your\s+actions?)\s+(?:hidden\s+|secret\s+)?"
        r"from\s+(?:the\s+)?(?:user|human|operator|developer)"
        r"|\b(?:do\s+anything\s+now|jailbreak\s+mode|developer\s+mode\s+(?:enabled|on)|"
        r"without\s+any\s+(?:ethical|safety)\s+(?:restrictions?|filters?|guidelines?))\b",
        _I,
    ),
}

# -- invisible unicode (1) ----------------------------------------------------------------------
# Joiners are letters' business in emoji, Persian and Indic text; between ASCII they only hide.
_INVISIBLE = re.compile(
    "[\u2060-\u2064\u206a-\u206f\ufeff\u180e\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u3164]"
    "|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b"
    "|(?<![^\x00-\x7f])[\u200c\u200d]+(?![^\x00-\x7f])|[\u200c\u200d]{2}"
    "|[\U000e0000-\U000e007f]|[\U000e0100-\U000e01ef]{2}"
)
# Flags of England, Scotland and Wales are spelled with tag characters.
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")

# -- exfiltration (3) ---------------------------------------------------------------------------
_SENSITIVE = (
    r"(?:(?<![\w.])\.env\b(?!\.example)|id_(?:rsa|ed25519|ecdsa)\b|\.ssh/|\.aws/|\.netrc\b|\.npmrc\b|"
    r"\.kube/config|/etc/(?:passwd|shadow)|\bprintenv\b|\$\((?:env|cat|set)\b|`(?:env|cat|set)\b|"
    r"\.git-credentials|\bkeychain\b|\$\{?(?:AWS|SSH|ANTHROPIC|OPENAI|GITHUB)_[A-Z_]{1,40})"
)
_CLIENT = r"\b(?:curl|wget|ncat|netcat|nc|httpie|invoke-webrequest|iwr|scp|rsync)\b"
_EXFILTRATION = {
    "upload-secret": re.compile(
        rf"{_CLIENT}[^\n]{{0,120}}?(?:\s-d|\s--data\S{{0,12}}|\s-F|\s--form|\s-T|\s--upload-file|"
        rf"\s--post-(?:file|data)|\s-body)[ =]?[\"']?[^\n\"']{{0,80}}?{_SENSITIVE}"
        rf"|\b(?:cat|env|printenv|set|tar|base64|history)\b[^\n|]{{0,80}}\|[^\n]{{0,80}}?"
        r"\b(?:curl|wget|nc|ncat|netcat)\b\s(?!-I)"
        rf"|\b(?:scp|rsync)\b[^\n]{{0,40}}?(?:\.ssh/|\.aws/|\.env\b|id_rsa)[^\n]{{0,60}}?\w@[\w.-]+:"
        rf"|{_CLIENT}[^\n]{{0,120}}?https?://[^\s]{{0,200}}[?&/][^\s]{{0,60}}"
        r"(?:\$\((?:env|cat|printenv)|`(?:env|cat)|\$\{?[A-Z_]{0,40}(?:SECRET|PASSWORD|API_KEY))",
        _I,
    ),
    "send-secrets": re.compile(
        r"\b(?:send|post|upload|e-?mail|forward|transmit|exfiltrate|leak|smuggle|relay|paste)\b"
        r"[^.\n]{0,40}?(?:credentials?|secrets|passwords?|api[ -_]?keys?|(?:private|ssh)\s+keys?|"
        r"environment\s+variables|env\s+vars|\.env\b|conversation|chat\s+history|source\s+code|"
        r"system\s+prompt|\.ssh|\.aws|/etc/(?:passwd|shadow)|all\s+tokens)[^\n]{0,40}?"
        r"\b(?:to|at|via|on|into)\s[^\n]{0,20}?(?:https?://|ftp://|\S{1,60}@[\w-]{1,60}\.\w|webhook|"
        r"pastebin|attacker|(?:external|remote|third[- ]party|my|our\s+collection)\s+"
        r"(?:server|host|endpoint|address)|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})",
        _I,
    ),
    "covert-channel": re.compile(
        r"!\[[^\]\n]{0,80}\]\(\s*https?://[^)\s]{0,200}[?&/][^)\n]{0,80}?(?:\{|\$|%7B|<|\bdata=|secret|"
        r"token=|context=)"
        r"|\b(?:nslookup|dig|host|ping)\s[^\n]{0,40}?(?:\$\(|`|\$\{?[A-Z_]{0,40}(?:SECRET|TOKEN|KEY|PASS))"
        r"|/dev/tcp/[\w.-]{1,80}/\d",
        _I,
    ),
}

RULES: dict[str, Category] = {
    **dict.fromkeys(_INJECTION, "prompt-injection"),
    **dict.fromkeys(credentials.RULES, "credential"),
    "hidden-characters": "invisible-unicode",
    **dict.fromkeys(_EXFILTRATION, "exfiltration"),
}
"""Every rule and its category, in the order of the specification: 5 + 1 + 4 + 1 + 3."""


def scan(text: str) -> Finding | None:
    """The first reason to refuse `text`, or None for text that may be stored.

    Credentials are looked for first, so that a refusal that could leak is named as such. Hidden
    characters are judged on the text as it is, the rest on its compatibility form.
    """
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    rule = credentials.find(plain) or _hidden_rule(text) or _worded(plain)
    return Finding(rule, RULES[rule]) if rule else None


def _worded(text: str) -> str | None:
    for rule, pattern in (*_INJECTION.items(), *_EXFILTRATION.items()):
        if pattern.search(text):
            return rule
    return None


def hidden(text: str) -> bool:
    """Whether `text` holds characters that nobody sees and that change how it is read."""
    return bool(_INVISIBLE.search(_FLAG.sub("", text.removeprefix("\ufeff"))))


def _hidden_rule(text: str) -> str | None:
    return "hidden-characters" if hidden(text) else None
