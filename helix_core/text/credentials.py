"""Secrets in text: the formats of today's keys and passwords, found and masked.

Standard library only: hooks ask this too. One generic rule for `key = value` and four for what has
a form of its own, which no wording makes harmless. Every repetition is bounded or runs over one
character class. The forms are those their issuers publish.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import Any

_I = re.IGNORECASE
_MARK = "[secret removed: "
_MASKED = re.compile(r"\[secret removed: ([a-z-]+)\]")
_REMOVED = re.compile(r"\[secret removed\b(?:: ([a-z-]+))?", _I)

# -- generic: a key, a sign, a value --------------------------------------------------------------
_KEY = (
    r"pass(?:word|wd|phrase)|\bpwd|secret(?:[_-]?key)?|api[_-]?key|access[_-]?key|auth[_-]?key|"
    r"(?<!max_)\btoken|[_-]token|bearer"
)
_NAMED = re.compile(_KEY, _I)
_GENERIC = re.compile(
    rf"(?P<key>{_KEY})(?P<q>[\"'`]?)\s{{0,4}}"
    r"(?P<op>:=|=(?!=)|:(?!:)|\s(?:is|was)\s|(?<=[Bb]earer)\s)\s{0,4}[\"'`]?"
    r"(?P<value>(?:Bearer\s)?[^\s\"'`,;<>()\[\]{}]{6,400})(?P<end>[(\[]?)",
    _I,
)
_PRESCRIPTIVE = re.compile(
    r"\s*(?:when|if|before|after|while|whenever)\b.{3,1500}?"
    r"\b(?:because|be aware that|since)\b",
    _I | re.DOTALL,
)
# Values that stand for a secret, or name an algorithm or a type, but are none.
_PLACEHOLDER = re.compile(
    r"(?:fake|dummy|example|sample|changeme|placeholder|redacted|removed|masked|your[_-]|my[_-]|x{3,}|"
    r"\*{3}|\.\.\.|…|<|\$|%|\{|environ|process\.env|getenv|secrets\.|config\.|settings\.|argon2|"
    r"bcrypt|scrypt|pbkdf2|sha\d|hmac|oauth|base64|required|optional|invalid|expired|missing|"
    r"undefined|hidden|password|passwd|secret|token|string|empty|rotat|not[_-]|test)",
    _I,
)
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|/[\w./-]+|https?://\S+|[a-z]+(?:_[a-z]+)+")

# -- tokens by their issuer's form ----------------------------------------------------------------
_TOKENS = (
    r"gh[pousr]_[A-Za-z0-9_]{30,255}|github_pat_[A-Za-z0-9_]{40,255}",
    r"(?:gl(?:pat|dt|rt|ft|soat|oas|ptt|agent|cbt|imt|ffct|wt)-|GR1348941)[A-Za-z0-9_.-]{20,300}",
    r"sk-[A-Za-z0-9_-]{0,200}T3BlbkFJ[A-Za-z0-9]{20}",
    r"sk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,300}",  # Anthropic, OpenAI, OpenRouter
    r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9+/=]{24,100}",  # Stripe
    r"xox[abeoprs]-[A-Za-z0-9-]{10,300}|xapp-\d-[A-Za-z0-9-]{10,300}",  # Slack
    r"AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{28}",  # Google
    r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,400}|rubygems_[a-f0-9]{48}|cio[A-Za-z0-9]{32}",
    r"hf_[A-Za-z0-9]{30,60}|api_org_[A-Za-z0-9]{34}|r8_[A-Za-z0-9]{37}",  # Hugging Face, Replicate
    r"gsk_[A-Za-z0-9]{48,60}|xai-[A-Za-z0-9]{70,100}|pplx-[A-Za-z0-9]{40,64}",
    r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}",  # SendGrid
    r"SK[0-9a-f]{32}",  # Twilio
    r"\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",  # Telegram
    # Discord; its first part is a number in base64, which has digits again.
    r"[MNO](?=[A-Za-z_-]{0,24}\d)[A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
    r"mfa\.[A-Za-z0-9_-]{84}",
    r"dapi[0-9a-f]{32}(?:-\d)?",  # Databricks
    r"do[opr]_v1_[a-f0-9]{64}|dckr_[a-z]{3}_[A-Za-z0-9_-]{27}",  # DigitalOcean, Docker
    r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}",  # Shopify
    r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}|(?<![+/])EAAA[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])",  # Square
    r"(?<![_-])key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])",  # Mailgun
    r"[0-9a-z]{32}-us\d{1,2}(?![A-Za-z0-9])",  # Mailchimp
    r"NR(?:AK|II|JS|BR)-[A-Za-z0-9_-]{18,40}",  # New Relic
    r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,200}",  # Grafana
    r"hv[sbr]\.[A-Za-z0-9_-]{24,200}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}",  # HashiCorp
    r"ATATT3[A-Za-z0-9_=-]{100,300}|ATBB[A-Za-z0-9]{28}(?![A-Za-z0-9])",  # Atlassian
    r"lin_(?:api|oauth)_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{40,60}|figd_[A-Za-z0-9_-]{40}",
    r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}|dp\.[a-z]{2,5}\.[A-Za-z0-9]{40,44}",  # Postman, Doppler
    r"sb[ps]_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,60}|nfp_[A-Za-z0-9]{36,40}",
    r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}|pul-[a-f0-9]{40}|HRKU-[A-Za-z0-9_-]{30,70}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{60,300}|dt0c01\.[A-Z2-7]{24}\.[A-Z2-7]{64}",  # Sentry, Dynatrace
    r"LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",  # Alibaba, Airtable
    r"(?<![+/])AKC[A-Za-z0-9]{60,80}|ops_eyJ[A-Za-z0-9_-]{100,2000}",  # Artifactory, 1Password
    r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",  # Azure client secret
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,120}",
    r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{10,25}/[A-Za-z0-9_-]{40,100}",
    r"eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}",  # JWT
)
_PROVIDER = {
    "aws-key": re.compile(
        r"(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
        r"|aws_?secret_?access_?key[\"']?\s{0,4}[:=]\s{0,4}[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    ),
    "vendor-token": re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_TOKENS)})"),
    "private-key": re.compile(
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[A-Za-z0-9+/=\s\\:,]|-(?=[A-Z])){0,8000}-----END [A-Z0-9 ]{0,48}-----"
        # A key that was cut off has no end: what looks like its lines goes all the same.
        r"|(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,}){0,200})",
    ),
    "connection-string": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s:/@\"'<>]{0,80}):(?P<value>[^\s:/@\"'<>]{3,200})@[\w.\[\]-]"
        r"|\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?P<value2>[A-Za-z0-9+/=]{20,200})"
        r"|[?&]sig=(?P<value3>[A-Za-z0-9%+/]{40,100}(?:=|%3D))"
        r"|\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?basic\s{1,4}"
        r"(?P<value4>[A-Za-z0-9+/]{8,400}={0,2})"
        r"|\bcurl\b[^\n]{0,160}?\s(?:-u|--user)[ =][\"']?[^\s:\"']{1,80}:"
        r"(?P<value5>[^\s\"']{4,200})",
        _I,
    ),
}
_STAND_IN = re.compile(
    r"(?:pass(?:word|wd)?|pwd|secret|token|user|changeme|example|fake|dummy|x+|\*+|\.+|…)\d{0,1}"
    r"|[$%{<].*|your[_-].*|.*\[?secret removed.*",
    _I,
)
RULES = ("generic-secret", *_PROVIDER)


def find(text: str) -> str | None:
    """The rule of the first secret in `text`, or None where there is none."""
    for rule, pattern in _PROVIDER.items():
        if any(_is_real(match) for match in pattern.finditer(text)):
            return rule
    relaxed: bool | None = None
    for match in _GENERIC.finditer(text):
        if relaxed is None:
            relaxed = is_prescriptive(text)
        if _is_secret(match, relaxed):
            return "generic-secret"
    return None


def mask(text: str) -> str:
    """`text` with every secret replaced by "[secret removed: RULE]"; the rest as it was.

    For text that is kept anyway (summaries, logs). What comes out has no finding left. Mask
    first, then cut: half a key has no form that could be known.
    """
    masked = _masked(text)
    if masked.isascii():
        return masked
    plain = unicodedata.normalize("NFKC", masked)  # a key in full-width letters is still a key
    return _masked(plain) if plain != masked and find(plain) else masked


def _masked(text: str) -> str:
    relaxed = is_prescriptive(text)
    for rule, pattern in _PROVIDER.items():
        text = pattern.sub(partial(_replace_provider, rule), text)
    return _GENERIC.sub(partial(_replace_generic, relaxed), text)


def label(text: str) -> str:
    """A name or an id without secrets: as it was, or with one word in the place of each."""
    return _MASKED.sub(lambda found: f"secret-removed-{found[1]}", mask(text))


def mask_tree(value: Any, depth: int = 32) -> Any:
    """A JSON value with every text in it masked, keys too; what lies deeper is left out.

    The key counts: `{"password": "..."}` is an assignment.
    """
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, (list, dict)) and depth <= 0:
        return None
    if isinstance(value, list):
        return [mask_tree(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {mask(str(k)): _mask_member(str(k), v, depth) for k, v in value.items()}
    return value


def _mask_member(key: str, value: Any, depth: int) -> Any:
    if isinstance(value, str) and _NAMED.search(key):
        head = f'"{key}": "'
        whole = mask(f'{head}{value}"')
        if whole.startswith(head):
            return whole[len(head) : -1]
    return mask_tree(value, depth - 1)


def removed(text: str) -> str | None:
    """The rule by which something was masked out of `text`; None where nothing was."""
    found = _REMOVED.search(text)
    if found is None:
        return None
    return found[1] if found[1] in RULES else RULES[0]


def is_prescriptive(text: str) -> bool:
    """Whether `text` has the form of advice: "When X, do Y because Z" or "... be aware that Z"."""
    return _PRESCRIPTIVE.match(text) is not None


def _is_real(match: re.Match[str]) -> bool:
    """False only for a connection string whose password is a stand-in."""
    groups = match.groupdict()
    value = groups.get("value") or groups.get("value5")
    # "app:app@localhost" is what development containers are called, not a secret.
    if not value or value.startswith(_MARK[:7]):
        return not value
    return value != groups["user"] and not _STAND_IN.fullmatch(value)


def _is_secret(match: re.Match[str], relaxed: bool) -> bool:
    """Whether the value of a `key = value` is a literal secret.

    Prescriptive text talks about secrets, so there only a value of mixed characters counts.
    """
    value = match["value"].removeprefix("Bearer ").rstrip(".:!?")
    if match["end"] or len(value) < 6 or _PLACEHOLDER.search(value):
        return False
    if _ENV_NAME.fullmatch(value) or _CODE.fullmatch(value):
        return False
    digits = any(c.isdigit() for c in value)
    letters = any(c.isalpha() for c in value)
    if relaxed or match["op"].strip() not in ("=", ":", ":="):
        return digits and letters and len(value) >= 8
    if not digits:
        # A word after a colon is prose ("password: letters only"), after "=" an assignment.
        return match["op"] != ":" or match["q"] != ""
    return letters or match["key"].lower().startswith(("pass", "pwd"))


def _replace_provider(rule: str, match: re.Match[str]) -> str:
    if not _is_real(match):
        return match.group()
    values = [text for name, text in match.groupdict().items() if text and name != "user"]
    mark = f"{_MARK}{rule}]"
    return match.group().replace(values[0], mark) if values else mark


def _replace_generic(relaxed: bool, match: re.Match[str]) -> str:
    if not _is_secret(match, relaxed):
        return match.group()
    start, end = match.start("value") - match.start(), match.end("value") - match.start()
    return f"{match.group()[:start]}{_MARK}{RULES[0]}]{match.group()[end:]}"
