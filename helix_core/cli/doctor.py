"""The command that looks at everything helix needs and names what to do about it."""

from __future__ import annotations

from dataclasses import asdict

from helix_core.cli import output
from helix_core.cli.registry import Options, arg, as_json, command


@command(
    "doctor",
    "look at everything helix needs, and say what to do about what is wrong",
    arg("--quick", action="store_true", help="without firing the hooks and asking the model hub"),
    answer="an object: state, findings",
)
def doctor(options: Options) -> int:
    """Print one line for each thing looked at; exit code 1 where one fails."""
    from helix_core.doctor import report

    found = report.examine(
        getattr(options, "project", None), getattr(options, "db", None), quick=options.quick
    )
    state = report.worst(found)
    if as_json(options):
        output.emit_json({"state": state, "findings": [asdict(one) for one in found]})
    else:
        output.table(("state", "what", "how it is"), [(f.state, f.name, f.says) for f in found])
        for one in found:
            if one.remedy and one.state != "ok":
                output.line(f"{one.name}: {one.remedy}")
        if state == "ok":
            output.line("all is well")
    return 1 if state == "fail" else 0
