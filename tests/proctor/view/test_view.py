"""``proctor view``: runs in a browser from a local server, also one that goes on."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from capitals import Project
from half_way import HalfWay, half_way
from playwright.sync_api import Browser, Page
from waiting import LIMIT, wait_until

from proctor.cli.main import main
from proctor.live.request_counts import published_counts
from proctor.view import run_pages, running
from proctor.view.run_pages import RunPages
from proctor.view.running import RunningRun
from proctor.view.server import ViewServer

__all__ = ["half_way"]


@contextmanager
def serving(reports: Path) -> Iterator[ViewServer]:
    with RunPages() as pages, ViewServer(reports, 0, pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def quiet_page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that asks this server alone, and says nothing on its console."""
    context = browser.new_context()
    try:
        page = context.new_page()
        said: list[str] = []
        asked: set[str] = set()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.add(request.url))
        page.set_default_timeout(LIMIT * 1000)
        yield page
        assert said == []
        assert all(url.startswith((address, "data:")) for url in asked)
    finally:
        context.close()


def test_a_run_is_seen_while_it_goes_on(browser: Browser, project: Project, half_way: HalfWay) -> None:
    command = [sys.executable, "-m", "pytest", "-qq", "--model", "gpt-4o-mini", "--record-mode", "once"]
    reports = project.path / "reports"
    with subprocess.Popen(command, cwd=project.path, stdout=subprocess.DEVNULL) as process:
        selection = wait_until(lambda: list(reports.glob("*/selection.json")))
        run = selection[0].parent
        with serving(reports) as server, quiet_page(browser, server.address) as page:
            page.goto(server.address)
            page.get_by_role("heading", name="Without a report").wait_for()
            page.locator("#unfinished + p + ul a").click()
            page.get_by_text("2 of 5 cases done").wait_for()
            page.get_by_text("3 requests in flight").wait_for()
            told = page.locator("#told").inner_text()
            # Two answers of 100 tokens in and 5 out: 2 x (100 x $0.15 + 5 x $0.60) a million.
            assert "$0.000036 spent" in told
            assert "1 sent again" in told
            cells = [cell.strip() for cell in page.locator("tr[data-task]").inner_text().split("\t")]
            # One right of two: Wilson's interval.
            assert cells[:3] == ["geo/capitals", "gpt-4o-mini", "2 of 5"]
            assert cells[4:7] == ["accuracy", "0.5000", "[0.095, 0.905]"]
            assert page.locator("progress").evaluate("bar => [bar.value, bar.max]") == [2, 5]
            newest = page.locator("#newest li").all_inner_texts()
            assert len(newest) == 2
            assert any(
                "France" in one and "incorrect" in one and "[Rome]<img src=x onerror=alert(1)>" in one for one in newest
            )
            assert any("Japan" in one and "correct" in one for one in newest)
            half_way.go.set()
            page.get_by_text("5 of 5 cases done").wait_for()
            page.get_by_role("link", name="The run has ended").click()
            page.locator("html[data-ready]").wait_for()
            assert page.locator("h1").inner_text() == "Proctor report"
            page.goto(f"{server.address}{run.name}/report.html#/case/geo%2Fcapitals/Peru/gpt-4o-mini")
            page.get_by_text("What is the capital of Peru?").wait_for()
        assert process.wait(LIMIT) == 0
    assert published_counts(run, ended=()) is None  # it leaves nothing of that behind
    assert {file.name for file in run.iterdir() if file.name.startswith(".")} == set()


def test_a_run_that_was_cut_short_and_lines_that_are_no_rows_are_told(project: Project) -> None:
    assert project.run(model="oracle").ret == 0
    (run,) = project.folders
    (run / "report.json").unlink()
    rows = run / "results.jsonl"
    whole = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(b"".join(whole[:2]) + b"no row\n" + whole[2][:20])
    os.utime(rows, (1, 1))
    os.utime(run / "selection.json", (1, 1))
    running = RunningRun(run)
    state = running.state()
    assert (state["done"], state["total"], state["unread"], state["ended"]) == (2, 5, 1, False)
    assert state["silent_s"] > 60
    with rows.open("ab") as file:
        file.write(whole[2][20:] + whole[0])
    state = running.state()
    assert (state["done"], state["silent_s"], state["tasks"][0]["scores"]["strict"]["value"]) == (3, None, 1)


def test_texts_have_no_budget(browser: Browser, project: Project) -> None:
    countries = [f"Land{number}" for number in range(30)]
    project.write_rows([{"country": country, "capital": "Paris"} for country in countries])
    folder = project.path / "responses/m"
    folder.mkdir(parents=True)
    lines = [
        {"sample_id": country, "response": f"{secrets.token_hex(200_000)} [Paris] of {country}"}
        for country in countries
    ]
    (folder / "capitals.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert project.run("--responses", "responses", model="m").ret == 0
    (run,) = project.folders
    with serving(project.path / "reports") as server, quiet_page(browser, server.address) as page:
        page.goto(f"{server.address}{run.name}/report.html")
        page.locator("html[data-ready]").wait_for()
        small = page.evaluate("document.documentElement.outerHTML.length")
        assert small < 2_000_000  # all texts together have 12 MB
        page.goto(f"{server.address}{run.name}/report.html#/case/geo%2Fcapitals/Land29/m")
        page.get_by_role("button", name="Show all").first.click()
        page.get_by_text("[Paris] of Land29").first.wait_for()
    assert not any("[Paris] of Land29" in file.read_text() for file in run.glob("report.md"))


def test_a_large_page_is_made_while_the_browser_is_told_so(
    browser: Browser, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.run(model="oracle").ret == 0
    (run,) = project.folders
    go = threading.Event()
    made = RunPages._page
    monkeypatch.setattr(run_pages, "AT_ONCE", 0)
    monkeypatch.setattr(RunPages, "_page", lambda pages, folder: (go.wait(LIMIT), made(pages, folder))[1])
    with serving(project.path / "reports") as server, quiet_page(browser, server.address) as page:
        page.goto(f"{server.address}{run.name}/report.html#/case/geo%2Fcapitals/Peru/oracle")
        page.get_by_text("being made").wait_for()
        assert asked(server, f"/{run.name}/parts/0").status == 404
        go.set()
        page.get_by_role("heading", name="Peru").wait_for()
        assert "correct" in page.locator("article").inner_text()


def test_a_long_run_is_read_part_by_part(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert project.run(model="oracle").ret == 0
    (run,) = project.folders
    size = (run / "results.jsonl").stat().st_size
    monkeypatch.setattr(running, "READ_AT_ONCE", size // 2)
    following = RunningRun(run)
    first, second = following.state(), following.state()
    # Half of five rows of about one length: three of them, and what is not read is said; scores wait until all are.
    assert (first["done"], first["tasks"][0]["scores"]) == (3, {})
    assert size // 2 - 1 <= first["behind"] <= size // 2 + 1
    assert (second["done"], second["behind"]) == (5, 0)
    assert second["tasks"][0]["scores"]["strict"]["value"] == 1
    # A case that is measured again counts once, with what came of it last.
    row = json.loads((run / "results.jsonl").read_text().splitlines()[0])
    row["scores"]["strict"]["accuracy"] = 0
    with (run / "results.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    third = following.state()
    assert (third["done"], third["tasks"][0]["statuses"]) == (5, {"scored": 5})
    assert third["tasks"][0]["scores"]["strict"]["value"] == 0.8


def asked(server: ViewServer, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=LIMIT)
    connection.putrequest(method, path, skip_host=True)
    named = {"Host": f"127.0.0.1:{server.server_port}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    for name, value in named.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    response.content = response.read()  # type: ignore[attr-defined]
    connection.close()
    return response


def test_nobody_else_is_answered_and_nothing_else_is_read(project: Project) -> None:
    assert project.run(model="oracle").ret == 0
    (run,) = project.folders
    (project.path / "secret.txt").write_text("secret")
    reports = project.path / "reports"
    (reports / "out").symlink_to(project.path)
    with serving(reports) as server:
        assert server.server_address[0] == "127.0.0.1"
        port = server.server_port
        page = asked(server, "/")
        assert page.status == 200
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'; connect-src 'self'; script-src 'sha256-" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["Cache-Control"] == "no-store"
        assert asked(server, "/", Host=f"localhost:{port}").status == 200
        assert asked(server, "/", Origin=f"http://127.0.0.1:{port}").status == 200
        for headers in (
            {"Host": "evil.example"},
            {"Host": "127.0.0.1"},
            {"Host": ""},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://127.0.0.1:1"},
            {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
        ):
            assert asked(server, "/", **headers).status == 403, headers
        assert asked(server, f"/{run.name}/report.html", "HEAD").status == 200
        assert asked(server, "/", "POST").status == 501
        for path in (
            "/../secret.txt",
            "/..%2fsecret.txt",
            "/%2e%2e/secret.txt",
            f"/{run.name}/../../secret.txt",
            f"/{run.name}/..%2f..%2fsecret.txt",
            f"/{run.name}/results.jsonl",
            f"/{run.name}/parts/-1",
            f"/{run.name}/parts/999",
            f"/{run.name}/parts/%d9%a1",
            "/out/secret.txt",
            "/out/report.html",
            "/%00/report.html",
            "/index.html",
            f"/{run.name}",
            "*",
        ):
            response = asked(server, path)
            assert response.status == 404, path
            assert b"secret" not in response.content  # type: ignore[attr-defined]


def test_a_damaged_run_is_said_and_the_others_are_shown(project: Project) -> None:
    assert project.run(model="oracle").ret == 0
    assert project.run(model="chance").ret == 0
    damaged, sound = project.folders
    (damaged / "results.jsonl").write_text("no row\n")
    with serving(project.path / "reports") as server:
        response = asked(server, f"/{damaged.name}/report.html")
        assert (response.status, response.headers["Content-Type"]) == (500, "text/plain; charset=utf-8")
        assert b"results.jsonl" in response.content  # type: ignore[attr-defined]
        assert asked(server, f"/{sound.name}/report.html").status == 200


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_command_serves_until_it_is_ended(
    project: Project, tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    assert project.run(model="oracle").ret == 0
    (run,) = project.folders
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "proctor", "view", f"reports/{run.name}", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command,
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(scratch)},
    ) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/(\S+)", process.stdout.readline())
        assert found is not None
        assert found[2] == f"{run.name}/report.html"
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=LIMIT)
        connection.request("GET", f"/{found[2]}")
        assert connection.getresponse().status == 200
        process.send_signal(sent)
        _, errors = process.communicate(timeout=LIMIT)
        assert (process.returncode, errors) == (code, "")
    assert list(scratch.iterdir()) == []


def test_bad_usage_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["view", "--no-browser"]) == 4
    assert "reports is no folder" in capsys.readouterr().err
    (tmp_path / "reports").mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["view", "--no-browser", "--port", str(taken.getsockname()[1])]) == 4
    assert "cannot be had" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="4"):
        main(["view", "--port", "http"])
