"""The words by which two pieces of advice contradict each other. Data only, no imports.

A cosine hardly sees any of these: "enable WAL" and "disable WAL" score 0.975.
"""

# ruff: noqa: SIM905
# Word lists are kept as prose and split once: easier to read, sort and extend.
from __future__ import annotations

NEGATORS = frozenset(
    """
    not never no none nor neither nothing without avoid avoids avoided avoiding avoidance cannot
    unless except rarely seldom hardly refrain skip skips skipped skipping omit omits omitted
    omitting bypass bypasses bypassed bypassing disable disables disabled disabling deactivate
    deactivates deactivated deactivating forbid forbids forbidden ban bans banned banning disallow
    disallows disallowed prohibit prohibits prohibited lack lacks lacked lacking missing non off
    ignore ignores ignored ignoring disregard disregards disregarded disregarding
    ditch insteadof ratherthan failsto
    """.split()
)
"""Each of these turns what follows into its opposite; two in a row cancel out."""

PHRASES = (
    ("instead of", "insteadof"),
    ("in place of", "insteadof"),
    ("rather than", "ratherthan"),
    ("as opposed to", "insteadof"),
    ("turn off", "disable"),
    ("turns off", "disable"),
    ("turned off", "disable"),
    ("turning off", "disable"),
    ("switch off", "disable"),
    ("switching off", "disable"),
    ("turn on", "enable"),
    ("switch on", "enable"),
    ("opt out of", "disable"),
    ("leave out", "omit"),
    ("leaving out", "omit"),
    ("get rid of", "remove"),
    ("fails to", "failsto"),
    ("fail to", "failsto"),
    ("no longer", "not"),
    ("not only", "both"),
    ("no matter", "whatever"),
    ("not forget to", "remember"),
    ("not forget", "remember"),
    ("off by one", "offbyone"),
    ("one off", "oneoff"),
    ("back off", "backoff"),
    ("no op", "noop"),
    ("at least", "atleast"),
    ("no less than", "atleast"),
    ("at most", "atmost"),
    ("no more than", "atmost"),
    ("up to", "upto"),
    ("set up", "setup"),
    ("look up", "lookup"),
    ("clean up", "cleanup"),
    ("start up", "startup"),
    ("back up", "backup"),
    ("speed up", "accelerate"),
    ("slow down", "decelerate"),
    ("shut down", "stop"),
    ("break down", "split"),
    ("write ahead", "writeahead"),
    ("read only", "readonly"),
    ("read the", "consult"),
    ("make sure", "ensure"),
    ("in order to", "to"),
)
"""Word groups read as one word; spelled as they stand after contractions are opened."""

# stem or word -> what it negates; "un..." with a common ending is recognised by form.
NEGATED_WORDS = {
    "invalid": "valid",
    "incorrect": "correct",
    "inconsistent": "consistent",
    "incomplete": "complete",
    "insecure": "secure",
    "inactive": "active",
    "incompatible": "compatible",
    "insufficient": "sufficient",
    "impossible": "possible",
    "irrelevant": "relevant",
    "immutable": "mutable",
    "inaccessible": "accessible",
    "unset": "set",
    "unsafe": "safe",
    "unable": "able",
    "unstable": "stable",
    "unknown": "known",
    "unclear": "clear",
    "unaware": "aware",
    "unnecessary": "necessary",
    "unlikely": "likely",
    "unsigned": "signed",
    "untrusted": "trust",
    "distrust": "trust",
    "mistrust": "trust",
    "dishonour": "honour",
    "disconnected": "connect",
}

ANTONYMS = tuple(
    (frozenset(left.split()), frozenset(right.split()))
    for left, right in (
        ("increase increases increasing increased raise raises raising raised grow enlarge bump",
         "decrease decreases decreasing decreased lower lowers lowering lowered reduce reduces "
         "reducing reduced shrink"),
        ("add adds adding added insert inserts append", "remove removes removing removed delete "
         "deletes deleting deleted drop drops dropping dropped strip"),
        ("create creates creating created", "delete deletes deleting deleted destroy destroys "
         "drop drops dropping dropped"),
        ("start starts starting started launch begin", "stop stops stopping stopped end kill halt"),
        ("open opens opening opened", "close closes closing closed"),
        ("lock locks locking locked", "unlock unlocks unlocking unlocked"),
        ("allow allows allowing allowed permit permits accept accepts accepting accepted",
         "deny denies denying denied reject rejects rejecting rejected refuse refuses block blocks "
         "blocking blocked prevent prevents"),
        ("include includes including included", "exclude excludes excluding excluded"),
        ("install installs installing installed", "uninstall uninstalls uninstalling uninstalled"),
        ("upgrade upgrades upgrading upgraded", "downgrade downgrades downgrading downgraded"),
        ("encrypt encrypts encrypting encrypted", "decrypt decrypts decrypting decrypted"),
        ("mount mounts mounting mounted", "unmount unmounts unmounting unmounted"),
        ("connect connects connecting", "disconnect disconnects disconnecting"),
        ("attach attaches attaching", "detach detaches detaching"),
        ("subscribe", "unsubscribe"),
        ("register", "unregister deregister"),
        ("push pushes pushing pushed", "pull pulls pulling pulled"),
        ("commit commits committing committed", "rollback revert reverts reverting discard"),
        ("keep keeps keeping kept retain retains preserve preserves", "drop drops dropping discard "
         "discards discarding delete deletes deleting remove removes removing strip strips "
         "stripping"),
        ("show shows showing expose exposes", "hide hides hiding"),
        ("pass passes passed passing succeed succeeds", "fail fails failed failing"),
        ("success successful successfully", "failure error"),
        ("until till", "after since"),
        ("true", "false"),
        ("atleast minimum min", "atmost maximum max upto"),
        ("min minimum minimal", "max maximum maximal"),
        ("more", "less fewer"),
        ("higher highest upper", "lower"),
        ("above over", "below under"),
        ("first", "last"),
        ("early earlier eagerly eager", "late later lazily lazy"),
        ("sync synchronous synchronously", "async asynchronous asynchronously"),
        ("parallel concurrently concurrent", "serial serially sequential sequentially"),
        ("public", "private"),
        ("strict strictly", "lenient loose permissive"),
        ("local locally", "remote remotely global globally"),
        ("relative", "absolute"),
        ("required mandatory", "optional"),
        ("ascending", "descending"),
        ("fast faster fastest", "slow slower slowest"),
        ("large larger largest big bigger biggest", "small smaller smallest tiny"),
        ("long longer longest", "short shorter shortest"),
        ("wide", "narrow"),
        ("newer newest", "older oldest"),
        ("strong strongest", "weak weakest"),
        ("inside", "outside"),
        ("left", "right"),
        ("same", "different separate"),
        ("single", "multiple many several"),
        ("cached cache", "uncached"),
        ("shallow", "deep full"),
        ("hard", "soft"),
        ("soft", "hard"),
        ("expand", "collapse"),
        ("compress", "decompress uncompress"),
        ("serialize serialise", "deserialize deserialise"),
        ("positive", "negative"),
        ("even", "odd"),
        ("accelerate", "decelerate"),
        ("manual manually", "automatic automatically"),
        ("dynamic dynamically", "static statically"),
        ("safe safely", "dangerous risky"),
        ("trust trusts trusting", "distrust"),
        ("merge merges merging", "split splits splitting"),
        ("inline", "extract"),
        ("mutable", "immutable"),
        ("acquire acquires acquiring take takes taking", "release releases releasing relinquish"),
        ("grant grants granting", "revoke revokes revoking withdraw"),
        ("pause pauses pausing suspend", "resume resumes resuming continue"),
        ("lengthen extend extends extending", "shorten shortens shortening truncate"),
        ("fresh", "stale outdated"),
        ("empty", "full"),
        ("writable", "readonly"),
        ("optimistic optimistically", "pessimistic pessimistically"),
        ("tolerate tolerates tolerating", "reject rejects rejecting"),
    )
)  # fmt: skip
"""Pairs of word lists: one text with a word of one side only, the other of the other only."""

ALTERNATIVES = tuple(
    frozenset(group.split())
    for group in (
        "linux macos darwin windows freebsd android ios",
        "ubuntu debian fedora alpine centos rhel arch",
        "npm pnpm yarn bun",
        "pip uv poetry pipenv conda pdm",
        "staging production prod development dev",
        "mysql postgres postgresql sqlite mariadb mongodb redis dynamodb oracle",
        "chrome firefox safari edge",
        "unit integration e2e",
        "frontend backend",
        "client server",
        "reader writer",
        "read write",
        "reads writes",
        "request response",
        "ipv4 ipv6",
        "http https",
        "json yaml toml xml csv",
        "bash zsh fish powershell",
        "docker podman",
        "rebase merge",
        "squash rebase",
        "get post put delete patch head",
        "pytest unittest nose jest vitest mocha",
        "eslint ruff flake8 pylint prettier black",
        "mypy pyright",
        "python javascript typescript java rust go ruby php kotlin swift",
        "react vue angular svelte",
        "django flask fastapi",
        "webpack vite rollup esbuild",
        "aws azure gcp",
        "kafka rabbitmq",
        "github gitlab bitbucket",
        "threads processes",
        "thread process",
        "stdout stderr stdin",
        "utc local",
        "seconds milliseconds minutes hours",
        "parent child",
        "source destination target",
        "input output",
        "upstream downstream",
        "major minor patch",
        "row column",
        "rows columns",
        "tabs spaces",
        "mock real",
        "session function module",
        "numpy pandas polars",
        "ascii utf8 utf16 latin1",
        "integers floats decimals strings",
        "integer float decimal string",
        "int float str bool",
        "hourly daily nightly weekly monthly yearly",
        "hour day week month year",
        "glibc musl",
        "eval train",
        "monday tuesday wednesday thursday friday saturday sunday",
    )
)
"""Names of which advice about one is no advice about another."""

OPPOSITE_PARTICLES = tuple(
    frozenset(pair.split())
    for pair in ("on off", "in out", "up down", "before after", "before once", "with without",
                 "into from", "to from", "above below", "over under")
)  # fmt: skip
"""Little words that turn a text round where they are all that differs."""

SYNONYMS = tuple(
    frozenset(group.split())
    for group in (
        "check look inspect verify examine read consult see review",
        "use employ apply",
        "fix repair mend",
        "run execute start launch invoke call",
        "stop end halt quit",
        "change modify edit update alter",
        "fetch get load retrieve",
        "build create generate make produce",
        "show display print",
        "send post emit",
        "save store write persist",
        "need require",
        "choose pick select",
        "error exception",
        "quick fast rapid",
        "folder directory",
        "function method",
        "wrong incorrect",
        "because since",
        "hang stall",
        "break fail crash",
        "happen occur",
    )
)
"""Words that advice exchanges freely; what only sometimes means the same is not among them."""
