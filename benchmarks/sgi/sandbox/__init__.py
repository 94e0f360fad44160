"""Runs programs that nobody has read: within limits, and in a sandbox where the machine has one."""

from benchmarks.sgi.sandbox.limits import Limits
from benchmarks.sgi.sandbox.running import Finished, SandboxFailed, in_text_mode, run_program

__all__ = ["Finished", "Limits", "SandboxFailed", "in_text_mode", "run_program"]
