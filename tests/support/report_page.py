"""report.html in a browser, as a reader sees it: with every request and every word on the console noted."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest

from scripts.chromium import chromium, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Locator, Page

WIDE = {"width": 1280, "height": 900}
MODELS = ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct")
"""The models of the run that most tests look at."""
NARROW = {"width": 400, "height": 800}
PATIENCE = 30_000.0
"""Milliseconds that what is expected of a page may take on a machine with little to spare, as actions may."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; without it, the tests that need it are skipped, or fail where they must not be."""
    program = find_chromium()
    if program is None:
        missing = "no Chromium on PATH (Debian: apt-get install chromium)"
        if os.environ.get("PROCTOR_REQUIRE_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    with chromium(program) as running:
        yield running


class ReportPage:
    """A page of a browser with a report in it.

    Args:
        page: The page.
        file: The report.
    """

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.file = file
        self.requests: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog: Dialog) -> None:
        self.said.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, address: str = "") -> ReportPage:
        """Open the report afresh at an address in it, such as ``#/cases``, and wait until it is drawn."""
        self.page.goto("about:blank")
        self.page.goto(self.file.as_uri() + address)
        self.page.locator("html[data-ready]").wait_for()
        return self

    def list(self, **filters: str) -> list[str]:
        """Open the list of cases with these filters, and return what each line says."""
        self.open("#/cases?" + urlencode(filters))
        self.page.locator("#found").wait_for()
        return self.page.locator("tr.case").all_inner_texts()

    def case(self, task: str, sample: str, model: str) -> ReportPage:
        """Open a case."""
        return self.open("#/case/" + "/".join(quote(part, safe="") for part in (task, sample, model)))

    def answer(self, model: str) -> Locator:
        """What the shown case says of a model."""
        return self.page.locator(f'article[data-model="{model}"]')

    def found(self) -> int:
        """How many cases the list says there are."""
        return int(self.page.locator("#found").inner_text().split()[0].replace(",", ""))

    def focused(self) -> str:
        """What the element with the focus says."""
        text: str = self.page.evaluate("document.activeElement.textContent")
        return text

    def style(self, selector: str, name: str) -> str:
        """A computed style of the first such element."""
        script = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
        value: str = self.page.evaluate(script, [selector, name])
        return value

    def too_wide(self) -> bool:
        """Whether the page has to be scrolled sideways."""
        wide: bool = self.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        return wide


@contextmanager
def report_page(browser: Browser, file: Path, **context: Any) -> Iterator[ReportPage]:
    """A report in a page of its own; afterwards it must have asked for nothing but itself, and not complained."""
    opened = browser.new_context(**{"viewport": WIDE, **context})
    try:
        shown = ReportPage(opened.new_page(), file)
        yield shown
        assert shown.said == []
        assert {url.partition("#")[0] for url in shown.requests} <= {file.as_uri(), "about:blank"}
    finally:
        opened.close()


def records(run: Path, kind: str) -> list[Any]:
    """The records of one kind in report.html."""
    blocks = re.findall(rf'data-block="{kind}">([^<]*)<', (run / "report.html").read_text())
    return [record for block in blocks for record in json.loads(zlib.decompress(base64.b64decode(block)))]
