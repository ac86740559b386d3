"""A checkout of helix whose packages are tiny and local, so that its set-up needs no network.

Role: set-up for the tests of the set-up. Standard library only; everything is real but the weight
of the packages: pip, environments, wheels, locks.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import zipfile
from pathlib import Path

from tests.hooks.fire import ROOT

FILES = 150
"""Files of each package: enough for an installation to be cut short in its middle."""
BACKEND = """
import sys, pathlib
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from wheels import write

def build_wheel(folder, config_settings=None, metadata_directory=None):
    root = pathlib.Path(__file__).parent
    files = {str(f.relative_to(root)): f.read_bytes() for f in root.glob("helix_core/**/*.py")}
    needs = [line for line in (root / "needs.txt").read_text().splitlines() if line]
    return write(pathlib.Path(folder), "helix-memory", VERSION, files, needs).name
"""


def write(
    folder: Path, name: str, version: str, files: dict[str, bytes], needs: list[str] | None = None
) -> Path:
    """Write one wheel; returns its file."""
    plain = name.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    extras = "".join(f"Provides-Extra: {extra}\n" for extra in ("tui", "embed"))
    required = "".join(f"Requires-Dist: {need}\n" for need in needs or ())
    whole = {
        **files,
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extras}{required}"
        ).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = []
    for path, data in whole.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    whole[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    target = folder / f"{plain}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, data in whole.items():
            archive.writestr(path, data)
    return target


def package(folder: Path, name: str, version: str, more: dict[str, bytes] | None = None) -> Path:
    """Write the wheel of a package of many small modules."""
    files = {f"{name}/m{n}.py": b"X = 1\n" * 20 for n in range(FILES)}
    return write(folder, name, version, {f"{name}/__init__.py": b"", **files, **(more or {})})


def checkout(folder: Path, model: bytes | None = None) -> Path:
    """A checkout that requires tiny packages; the wheels lie in `wheels/` beside it."""
    from helix_core import __version__
    from helix_core.provision import MODEL, TORCH

    root, wheels = folder / "plugin", folder / "wheels"
    wheels.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "helix_core", root / "helix_core", ignore=ignored)
    shutil.copytree(ROOT / "hooks", root / "hooks", ignore=ignored)
    package(wheels, "torch", re.sub(r".*==", "", TORCH))
    package(wheels, "tinya", "1.0")
    more = {MODEL: model} if model is not None else None
    package(wheels, "tinyb", "2.0", more)
    (root / "needs.txt").write_text(
        f'tinya==1.0; extra == "tui"\ntinyb==2.0; extra == "embed"\n{TORCH}; extra == "embed"\n'
    )
    (root / "wheels.py").write_text(Path(__file__).read_text().partition("def package(")[0].replace(
        "from tests.hooks.fire import ROOT\n", ""))  # fmt: skip
    (root / "backend.py").write_text(BACKEND.replace("VERSION", repr(__version__)))
    (root / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        f'[project]\nname = "helix-memory"\nversion = "{__version__}"\n'
    )
    return root
