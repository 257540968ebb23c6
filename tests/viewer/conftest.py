"""A browser for the tests of what pages show."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=900,600",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Chromium without a window, which tests share."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        # Runners of GitHub have both on Linux: if they have not, the tests must not pass unnoticed.
        assert not (sys.platform == "linux" and "GITHUB_ACTIONS" in os.environ), "no browser"
        pytest.skip("there is no Chromium: apt-get install chromium chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = program
    for option in _OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = selenium.Chrome(options=options, service=selenium.ChromeService(driver))
    made.set_page_load_timeout(90)
    made.set_script_timeout(90)
    yield made
    made.quit()


@pytest.fixture
def browser(chromium: Any) -> Any:
    """Chromium with an empty page and an empty log, whatever other tests have left there."""
    chromium.get("about:blank")
    chromium.get_log("browser")
    return chromium
