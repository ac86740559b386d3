"""Benchmarks: plain scripts, `python -m benchmarks.NAME [--json FILE] [--quick]`."""
