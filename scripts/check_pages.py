"""Every kind of page before axe, light and dark, with all that opens opened: ``python -m scripts.check_pages``.

It needs Chromium and axe-core (``npm ci``). With ``--pictures DIR`` it takes pictures, too, wide and narrow.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from proctor.cli.main import main as proctor
from proctor.results.saved_run import SavedRun
from proctor.view.run_pages import RunPages
from proctor.view.server import ViewServer
from scripts.chromium import chromium, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RESPONSES = ROOT / "data" / "mixeval_x" / "responses"
TEXT_TASKS = [f"benchmarks/mixeval_x/test_{kind}2text.py" for kind in ("audio", "image", "video")]
WIDTHS = (1440, 800, 390)
OPEN_ALL = """async () => {
  for (let closed; (closed = [...document.querySelectorAll("details:not([open])")]).length;) {
    for (const one of closed) one.open = true;
    await new Promise((done) => setTimeout(done, 30));
  }
}"""
RUN_AXE = """async () => (await axe.run()).violations.map(({ impact, id, nodes }) =>
  [impact, id, nodes.slice(0, 3).map((one) => one.target.join(" ") + " " + one.failureSummary.split("\\n")[1])])"""
GRAVE = ("serious", "critical")


def replay(reports: Path, *arguments: str) -> Path:
    """Replay shipped recordings or responses, and return the run's folder; cases may fail in it."""
    command = [sys.executable, "-m", "pytest", *arguments, "-p", "no:cacheprovider", "-q", f"--reports-dir={reports}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1, 10):
        raise SystemExit(f"{ended.stdout}{ended.stderr}\nno page to look at: the run ended with {ended.returncode}")
    return (reports / "latest").resolve()


def swapped_responses(folder: Path) -> Path:
    """The example responses with those of the two models exchanged."""
    for file in RESPONSES.glob("*/*/*"):
        name, other = file.parent.name, file.parent.name[:-1] + {"a": "b", "b": "a"}[file.parent.name[-1]]
        copy = folder / file.parent.parent.name / other / file.name.replace(name, other)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return folder


def make_runs(reports: Path) -> dict[str, Path]:
    """A run of each kind: graphs and labels, judged and with programs, media, not measured, with a gate, going on."""
    models = [word for name in ("qwen2.5-coder-1.5b-instruct", "smollm2-135m-instruct") for word in ("--model", name)]
    text2action = "benchmarks/mixeval_x/test_text2action.py"
    swapped = swapped_responses(reports.parent / "swapped")
    runs = {
        "models": replay(reports, "benchmarks/tsg", "benchmarks/sgi", text2action, *models, "--limit=3"),
        "media": replay(reports, "benchmarks/mixeval_x", f"--responses={RESPONSES}", "--limit=2"),
        "not measured": replay(reports, text2action, f"--responses={swapped}", "--limit=2"),
        "baseline": replay(reports, *TEXT_TASKS, "--parser=rule", f"--responses={RESPONSES}"),
    }
    baseline = f"--baseline={runs['baseline'].name}"
    runs["gate"] = replay(reports, *TEXT_TASKS, "--parser=rule", f"--responses={swapped}", baseline)
    runs["going on"] = reports / "going-on"
    shutil.copytree(runs["models"], runs["going on"])
    (runs["going on"] / "report.json").unlink()
    rows = runs["going on"] / "results.jsonl"
    rows.write_bytes(b"".join(rows.read_bytes().splitlines(keepends=True)[:40]))
    with redirect_stdout(StringIO()):
        ended = proctor(["compare", str(runs["baseline"]), str(runs["gate"]), "--html", str(reports / "compare.html")])
    if ended != 0:
        raise SystemExit("no comparison to look at")
    return runs


def addresses(runs: dict[str, Path], reports: Path, server: str) -> Iterator[tuple[str, str]]:
    """Every kind of page: what it is, and where."""
    yield "index", (reports / "index.html").as_uri()
    yield "compare", (reports / "compare.html").as_uri()
    yield "view index", server
    yield "view live", f"{server}{runs['going on'].name}/live"
    yield "view finished", f"{server}{runs['models'].name}/report.html"
    for kind in ("models", "media", "not measured", "gate"):
        page = (runs[kind] / "report.html").as_uri()
        yield f"{kind}: overview", page
        yield f"{kind}: cases", f"{page}#/cases"
        tasks = {task.name: task for task in reversed(SavedRun.load(runs[kind]).manifest.tasks)}
        for name, task in tasks.items():
            if kind in ("models", "media"):
                case = "/".join(quote(part, safe="") for part in (name, task.cases[0].sample_id, task.model))
                yield f"{kind}: case of {name}", f"{page}#/case/{case}"
        for name in list(tasks)[:3]:
            yield f"{kind}: task {name}", f"{page}#/task/{quote(name, safe='')}"
            yield f"{kind}: matrix {name}", f"{page}#/matrix/{quote(name, safe='')}"


@contextmanager
def serving(reports: Path) -> Iterator[str]:
    """The address of ``proctor view``."""
    with RunPages() as pages, ViewServer(reports, 0, pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.address
        finally:
            server.shutdown()


def opened(page: Page, address: str) -> None:
    """Open a page afresh, and wait until it is drawn."""
    page.goto("about:blank")
    page.goto(address)
    page.locator("html[data-ready]").wait_for()


def check(browser: Browser, kinds: list[tuple[str, str]], pictures: Path | None) -> int:
    """Say what axe finds on each page, and return how much of it is grave."""
    grave = 0
    for scheme in ("light", "dark"):
        context: Any = browser.new_context(color_scheme=scheme, viewport={"width": WIDTHS[0], "height": 900})
        page = context.new_page()
        for kind, address in kinds:
            opened(page, address)
            for width in WIDTHS if pictures else ():
                page.set_viewport_size({"width": width, "height": 900})
                name = "-".join(kind.replace("/", "-").replace(":", "").split())
                page.screenshot(path=f"{pictures}/{name}-{width}-{scheme}.png")
            page.set_viewport_size({"width": WIDTHS[0], "height": 900})
            page.evaluate(OPEN_ALL)
            page.evaluate(AXE.read_text(encoding="utf-8"))
            for impact, rule, where in page.evaluate(RUN_AXE):
                grave += impact in GRAVE
                print(f"{kind}, {scheme}: {impact}: {rule}", *where, sep="\n    ")
        context.close()
    return grave


def main() -> int:
    """Make the pages, and look at them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="where pictures of the pages go")
    pictures = parser.parse_args().pictures
    program = find_chromium()
    if program is None or not AXE.is_file():
        raise SystemExit(f"no Chromium (Debian: apt-get install chromium), or no {AXE.relative_to(ROOT)} (npm ci)")
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, chromium(program) as browser:
        reports = Path(scratch, "reports")
        runs = make_runs(reports)
        with serving(reports) as server:
            kinds = list(addresses(runs, reports, server))
            grave = check(browser, kinds, pictures)
    print(f"{len(kinds)} pages, light and dark: {grave or 'nothing'} serious or critical")
    return 1 if grave else 0


if __name__ == "__main__":
    sys.exit(main())
