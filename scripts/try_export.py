"""Try the files of ``proctor export`` with the programs that they are for: Inspect, and Every Eval Ever's validator.

    python -m scripts.try_export

The first start installs both into virtual environments under --home (about 600 MB; the validator needs Python 3.12,
which --python names). Exit code 0 if Inspect reads each log with the run's own means and serves it to its viewer, and
the validator accepts every file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"inspect": "inspect-ai==0.3.285", "eee": "every-eval-ever==0.3.0"}
CHOSEN = ("benchmarks/tsg", "benchmarks/sgi", "--model", "smollm2-135m-instruct", "--limit", "12")
READ = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log
found = {}
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info)
    assert log.status == "success" and len(log.samples) == log.results.completed_samples
    for score in log.results.scores:
        found[f"{log.eval.task}/{score.name}/{score.scorer}"] = score.metrics["mean"].value
print(json.dumps(found))
"""


def environment(home: Path, name: str, python: str) -> Path:
    """The folder of programs of a virtual environment that has one of `PACKAGES`."""
    programs = home / name / "bin"
    if not (programs / "python").exists():
        subprocess.run([python, "-m", "venv", home / name], check=True)
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", PACKAGES[name]], check=True)
    return programs


def made(folder: Path) -> Path:
    """The folder of a run to export."""
    command = [sys.executable, "-m", "pytest", *CHOSEN, f"--reports-dir={folder}", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (run,) = (file.parent for file in folder.glob("*/selection.json"))
    return run


def main() -> None:
    """Make a run, export it, and have both programs read it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--home", type=Path, default=Path.home() / ".cache" / "proctor-try-export")
    options.add_argument("--python", default="python3.12", help="Python 3.12 or later")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = made(Path(scratch))
        for name in PACKAGES:
            command = [sys.executable, "-m", "proctor", "export", str(run), "--format", name]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        report = json.loads((run / "report.json").read_text(encoding="utf-8"))
        own = {
            f"{task['benchmark']}/{task['task']}/{metric}/{family}": found["value"]
            for task in report["tasks"]
            for metric, families in task["metrics"].items()
            for family, found in families.items()
            if found["value"] is not None
        }
        python = environment(chosen.home, "inspect", chosen.python) / "python"
        read = subprocess.run([python, "-c", READ, run / "inspect"], check=True, stdout=subprocess.PIPE, text=True)
        if json.loads(read.stdout) != own:
            raise SystemExit(f"Inspect reads other scores: {read.stdout}")
        print(f"Inspect reads {len(own)} scores as the report has them")
        program = environment(chosen.home, "eee", chosen.python) / "every_eval_ever"
        subprocess.run([program, "validate", *sorted((run / "eee").rglob("*.json*"))], cwd=run / "eee", check=True)


if __name__ == "__main__":
    main()
