"""Words that carry no topic, and technical names that are too common to be rare. No imports."""

# ruff: noqa: SIM905
# Word lists are kept as prose and split once: easier to read, sort and extend.
from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a about above across after again all almost along already also although always am among an and
    another any anyone anything are around as at away back be became because become been before
    behind being below between both but by came can cannot come could did do does doing done down
    due during each either else enough etc even ever every everything few for from further get
    gets getting give given go goes going got had has have having he hence her here hers herself
    him himself his how however i if in instead into is it its itself just keep kept last least
    less let lets like made make makes making many may maybe me might more most much must my
    myself near need needs neither never next no none nor not nothing now of off often on once one
    only onto or other others otherwise our ours out over own per perhaps please put quite rather
    really said same see seem seems several shall she should since so some something sometimes
    soon still such take than that the their theirs them then there therefore these they thing
    things this those though through thus to together too toward towards under unless until up
    upon us use used uses using usually very via want wants was way we well were what whatever
    when whenever where whether which while who whole whom whose why will with within without
    would yes yet you your yours
    ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he's i'd i'll i'm
    i've isn't it'd it'll it's let's mustn't needn't she's shouldn't that's there's they'd they'll
    they're they've wasn't we'd we'll we're we've weren't what's won't wouldn't you'd you'll you're
    you've
    """.split()
)
"""Function words of English, and the verbs every piece of advice is built with."""

COMMON_NAMES = frozenset(
    """
    e.g i.e a.k.a vs ci/cd and/or i/o tcp/ip read/write input/output client/server on/off yes/no
    true/false node.js vue.js next.js readme.md package.json utf-8 utf8 utf-16 base64 sha1 sha256
    md5 x86 x64 x86_64 arm64 amd64 ipv4 ipv6 http2 http/2 http/1.1 oauth2 s3 ec2 k8s i18n l10n p95
    p99 e2e h2 mp3 mp4 python2 python3 es6 es2015 vim9 k3s web3 a11y
    github gitlab javascript typescript postgresql mysql sqlite mongodb graphql openapi webassembly
    websocket websockets fastapi macos ios iphone ipad linkedin youtube pypi numpy opencv openssl
    tensorflow pytorch javadoc jsonl nosql redis rabbitmq dynamodb
    https readme ascii jsonp ajax crud html html5 xhtml todo fixme http
    """.split()
)
"""Forms that look like identifiers but name things that half of all tasks mention."""
