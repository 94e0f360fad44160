"""report.html as a page: nothing leaves it; it is legible in light, in the dark, on a narrow screen and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route
from report_page import NARROW, ReportPage, report_page
from waiting import wait_until


def test_nothing_could_leave_the_page(shown: ReportPage) -> None:
    shown.open()
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    shown.page.route("**/*", refuse)
    reach = """async () => {
      const image = new Image();
      const seen = new Promise((resolve) => {
        image.onload = () => resolve("sent");
        image.onerror = () => resolve("kept");
      });
      image.src = "https://example.invalid/x.png";
      const fetched = fetch("https://example.invalid/").then(() => "sent", () => "kept");
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      return [await seen, await fetched, window.ran === undefined ? "kept" : "ran"];
    }"""
    assert shown.page.evaluate(reach) == ["kept", "kept", "kept"]
    assert asked == []
    assert all("Content Security Policy" in said for said in shown.said)
    shown.said.clear()
    shown.requests.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_the_reader_likes(browser: Browser, run_folder: Path, scheme: str) -> None:
    def is_dark(shown: ReportPage) -> bool:
        ink, page = (shown.style("body", name) for name in ("color", "backgroundColor"))
        first = [int(color.removeprefix("rgb(").split(",")[0]) for color in (ink, page)]
        assert abs(first[0] - first[1]) > 150  # legible
        return first[0] > first[1]

    with report_page(browser, run_folder / "report.html", color_scheme=scheme) as shown:
        shown.open()
        assert is_dark(shown) == (scheme == "dark")
        shown.page.locator("#theme").click()
        assert is_dark(shown) == (scheme == "light")
        # The browser keeps what is remembered a moment later, in a process of its own.
        wait_until(lambda: is_dark(shown.open("#/cases")) == (scheme == "light"))


@pytest.mark.parametrize("address", ["", "#/task/tsg%2Fma-sgg", "#/task/tsg%2Fsgds", "#/cases"])
def test_it_fits_a_narrow_screen(browser: Browser, run_folder: Path, address: str) -> None:
    with report_page(browser, run_folder / "report.html", viewport=NARROW) as shown:
        assert not shown.open(address).too_wide()


def test_it_is_printed_dark_on_light(browser: Browser, run_folder: Path) -> None:
    with report_page(browser, run_folder / "report.html", color_scheme="dark") as shown:
        shown.open()
        for _ in range(2):  # as the reader's system is, and as is chosen
            shown.page.emulate_media(media="print")
            assert shown.style("body", "backgroundColor") == "rgb(253, 253, 252)"
            shown.page.emulate_media(media="screen")
            assert shown.style("body", "backgroundColor") == "rgb(23, 25, 27)"
            shown.page.evaluate("document.documentElement.dataset.theme = 'dark'")
