"""Made-up secrets of every kind, put together here so that no scanner takes this file for a leak.

Role: what the tests of the scanner and of every door into the memory try to get through. Standard
library only.
"""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

_DICE = random.Random(7)
_ANY = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + "234567"
_HEX = "0123456789abcdef"


def _some(count: int, alphabet: str = _ANY) -> str:
    return "".join(_DICE.choice(alphabet) for _ in range(count))


@dataclass(frozen=True)
class Fake:
    """A secret as it stands in a text, and the part of it that must never be kept."""

    text: str
    core: str


def _token(prefix: str, body: str, suffix: str = "") -> Fake:
    return Fake(prefix + body + suffix, body)


_BASIC = base64.b64encode(b"svc:Tr0ub4dor-3xyz").decode()
_LINE = _some(64)

FAKES: dict[str, Fake] = {
    "aws-id": _token("AK" + "IA", _some(16, _UPPER)),
    "aws-secret": _token("aws_secret_access" + "_key = ", _some(40)),
    "github": _token("gh" + "p_", _some(36)),
    "github-fine": _token("github" + "_pat_", _some(22) + "_" + _some(59)),
    "gitlab": _token("gl" + "pat-", _some(20)),
    "slack": _token("xo" + "xb-", f"{_some(12, string.digits)}-{_some(24)}"),
    "slack-hook": _token("https://hooks.slack" + ".com/services/", f"T{_some(8)}/B{_some(24)}"),
    "stripe": _token("sk" + "_live_", _some(24)),
    "openai": _token("sk" + "-proj-", "7" + _some(47)),
    "openai-old": _token("sk" + "-", "4" + _some(19) + "T3Blbk" + "FJ" + _some(20)),
    "anthropic": _token("sk" + "-ant-api03-", _some(93) + "AA"),
    "google": _token("AI" + "za", _some(35)),
    "google-oauth": _token("GOC" + "SPX-", _some(28)),
    "npm": _token("np" + "m_", _some(36)),
    "pypi": _token("py" + "pi-AgEIcHlwaS5vcmc", _some(60)),
    "hugging-face": _token("h" + "f_", _some(34)),
    "jwt": _token("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.", _some(43)),
    "pem": _token(
        f"-----BEGIN RSA {'PRIVATE'} KEY-----\n", f"{_LINE}\n{_some(64)}",
        f"\n-----END RSA {'PRIVATE'} KEY-----"),
    "postgres": _token("postgres://svc:", "x" + _some(12), "@db.internal/app"),
    "azure": _token("Account" + "Key=", base64.b64encode(_DICE.randbytes(63)).decode()),
    "twilio": _token("S" + "K", _some(32, _HEX)),
    "sendgrid": _token("S" + "G.", f"{_some(22)}.{_some(43)}"),
    "telegram": _token("8412345679" + ":AA", _some(33)),
    "discord": _token("M", f"1{_some(22)}.{_some(6)}.{_some(27)}"),
    "databricks": _token("da" + "pi", _some(32, _HEX)),
    "digitalocean": _token("do" + "p_v1_", _some(64, _HEX)),
    "shopify": _token("shp" + "at_", _some(32, _HEX)),
    "square": _token("sq" + "0atp-", _some(22)),
    "mailgun": _token("ke" + "y-", _some(32, _HEX)),
    "mailchimp": _token("", _some(32, _HEX), "-us12"),
    "new-relic": _token("NR" + "AK-", _some(27, _UPPER)),
    "vault": _token("hv" + "s.", _some(24)),
    "docker": _token("dckr" + "_pat_", _some(27)),
    "basic": _token("Authorization" + ": Basic ", _BASIC),
    "bearer": _token("Authorization" + ": Bearer ", "q7" + _some(24)),
    "curl": _token("curl -u svc:", "Tr0ub4dor9xyz"),
    "password": _token("pass" + "word=", "Tr0ub4dor3xyz"),
}  # fmt: skip
