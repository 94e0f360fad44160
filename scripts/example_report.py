"""Make the example report and its picture from the shipped recordings: ``python -m scripts.example_report``.

The report names the commit that it is of: give the command where nothing is uncommitted, at a commit that stays.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.chromium import chromium, find_chromium

ROOT = Path(__file__).resolve().parent.parent
MODELS = ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct")
EXAMPLE = ROOT / "reports" / "example"
PICTURE = ROOT / "docs" / "report.png"
VIEW = {"width": 1280, "height": 1010}


def run() -> Path:
    """Replay TSG-Bench for the models whose recordings ship, and return the run's folder."""
    command = [sys.executable, "-m", "pytest", "benchmarks/tsg", "-p", "no:cacheprovider"]
    command += [word for model in MODELS for word in ("--model", model)]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    found = re.search(r"^report: (.*)report\.md$", ended.stdout, re.MULTILINE)
    if ended.returncode or found is None:
        raise SystemExit(f"{ended.stdout}\nthe run ended with exit code {ended.returncode}: no example was made")
    folder = ROOT / found[1]
    if not re.search(r"^- Git commit: [0-9a-f]{40}$", (folder / "report.md").read_text(encoding="utf-8"), re.MULTILINE):
        raise SystemExit("the report would name no commit that others can look at: commit all changes first")
    return folder


def main() -> None:
    """Replace the example and the picture."""
    program = find_chromium()
    if program is None:
        raise SystemExit("no Chromium to take the picture with: install it (Debian: apt-get install chromium)")
    folder = run()
    EXAMPLE.mkdir(parents=True, exist_ok=True)
    for name in ("report.md", "report.html"):
        shutil.copyfile(folder / name, EXAMPLE / name)
        print(f"{(EXAMPLE / name).relative_to(ROOT)}: {(EXAMPLE / name).stat().st_size / 1000:.0f} kB")
    with chromium(program) as browser:
        page = browser.new_page(viewport=VIEW, color_scheme="light", device_scale_factor=1)  # type: ignore[arg-type]
        page.goto((EXAMPLE / "report.html").as_uri())
        page.locator("html[data-ready]").wait_for()
        page.screenshot(path=PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
