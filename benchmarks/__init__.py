"""Benchmarks: plain scripts, `python -m benchmarks.NAME [--json FILE] [--quick]`."""

import os

# As the worker has it (`embed/lifecycle.py`); it has to stand before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
