"""Benchmarks: plain scripts, `python -m benchmarks.NAME [--json FILE] [--quick]`."""

import os

# As the worker has it (helix_core.embed.lifecycle); numpy reads it when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
