"""Write data/sgi/dry_experiment.jsonl from the programs in ``experiments/``.

``python -m benchmarks.sgi.build_dry_experiment``, with a Python that has NumPy. Each folder there holds what the
question says (question.txt), the whole program (main_en.py) and the program that writes its input (data_en.py). Left to
the model are the functions named here; the expected outputs are what the whole program prints.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.sgi.program import emptied

EXPERIMENTS_FOLDER = Path(__file__).with_name("experiments")
DEFAULT_OUT = Path("data/sgi/dry_experiment.jsonl")
TESTS = range(5)
WHICH_TEST = "TEST = 0  # which of the five unit tests"
SECONDS_TO_RUN = 60
# one process for both, since starting Python and importing NumPy takes most of the time
RUN_BOTH = "import runpy; [runpy.run_path(file, run_name='__main__') for file in ('data_en.py', 'main_en.py')]"


@dataclass(frozen=True)
class Experiment:
    """One row to build: the folder's name, what is left to the model, and how the row is filed."""

    folder: str
    functions: tuple[str, ...]
    function_type: str
    discipline: str


EXPERIMENTS = (
    Experiment("kepler_orbit", ("eccentric_anomaly",), "Numerical Calculation", "astronomy"),
    Experiment("first_order_decay", ("fit_decay", "half_life"), "Statistical Analysis", "chemistry"),
    Experiment("epicentre", ("distance",), "Numerical Calculation", "earth"),
    Experiment("solar_battery", ("simulate",), "Simulation", "energy"),
    Experiment("huffman_code", ("entropy", "huffman_total"), "Metric Calculation", "information"),
    Experiment("hardy_weinberg", ("allele_frequency", "chi_square"), "Statistical Analysis", "life"),
    Experiment("bragg_peaks", ("allowed", "two_theta"), "Numerical Calculation", "material"),
    Experiment("newton_interpolation", ("divided_differences", "evaluate"), "Numerical Calculation", "mathematics"),
    Experiment("spiking_neuron", ("simulate",), "Simulation", "neuroscience"),
    Experiment("damped_pendulum", ("rk4_step", "energy"), "Simulation", "physics"),
)


def row(number: int, experiment: Experiment) -> dict[str, Any]:
    """The row of one experiment, its expected outputs produced by running the whole program.

    Raises:
        subprocess.CalledProcessError: If one of its programs fails.
    """
    folder = EXPERIMENTS_FOLDER / experiment.folder
    program = (folder / "main_en.py").read_text("utf-8")
    incomplete = emptied(program, experiment.functions)
    data = (folder / "data_en.py").read_text("utf-8")
    inputs = [data.replace(WHICH_TEST, f"TEST = {test}") for test in TESTS]
    background = (folder / "question.txt").read_text("utf-8").strip()
    names = " and ".join(f"`{name}`" for name in experiment.functions)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = list(pool.map(lambda text: output_of(text, program), inputs))
    return {
        "idx": f"dry_{number:04}",
        "question": f"{background}\n\nThe program lacks {names}:\n```python\n{incomplete.strip()}\n```",
        "incomplete_functions": list(experiment.functions),
        "incomplete_main_code": incomplete,
        "main_code": program,
        **{f"unit_test_{test}_data": inputs[test] for test in TESTS},
        **{f"unit_test_{test}_output": outputs[test] for test in TESTS},
        "function_type": experiment.function_type,
        "discipline": experiment.discipline,
    }


def output_of(data: str, program: str) -> str:
    """What the program prints for the input that *data* writes: errors, then output, as the benchmark compares them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        (folder / "data_en.py").write_text(data, "utf-8")
        (folder / "main_en.py").write_text(program, "utf-8")
        run = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", RUN_BOTH],
            cwd=folder,
            check=True,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS_TO_RUN,
        )
    return f"{run.stderr}\n{run.stdout}".strip()


def build() -> str:
    """The content of the data file."""
    rows = (row(number, experiment) for number, experiment in enumerate(EXPERIMENTS, 1))
    return "".join(json.dumps(content, ensure_ascii=False) + "\n" for content in rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help=f"the file to write (default: {DEFAULT_OUT})")
    parser.parse_args(arguments).out.write_text(build(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
