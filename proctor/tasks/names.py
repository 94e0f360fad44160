"""What benchmarks and tasks may be called: patterns, for the whole of a name."""

from __future__ import annotations

BENCHMARK_NAME = r"[a-z0-9_]+"
TASK_NAME = r"[a-z0-9_-]+"
"""A task's name without its benchmark."""

FULL_NAME = rf"{BENCHMARK_NAME}/{TASK_NAME}"
"""``benchmark/task``"""
