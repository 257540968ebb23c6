"""The reader of built pages notices what it is there for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import read_pages  # noqa: E402

HEAD = '<!doctype html><meta name="viewport" content="width=device-width"><body class="content">'
SITE = ROOT / "docs" / "_build" / "html"


@pytest.fixture(scope="module")
def browser():
    found = read_pages.open_browser()
    if found is None:
        pytest.skip("no chromium")
    yield found
    found.quit()


def _read(browser, folder, body, window):
    page = folder / "page.html"
    page.write_text(HEAD + body)
    return read_pages.page_faults(browser, page, read_pages.WIDTHS[window])


@pytest.mark.nightly
@pytest.mark.parametrize("window", read_pages.WIDTHS)
def test_a_page_that_fits_has_no_faults(browser, tmp_path, window):
    body = "<p>text</p><pre style='overflow-x: auto'>" + "x" * 400 + "</pre>"
    assert _read(browser, tmp_path, body, window) == []


@pytest.mark.nightly
@pytest.mark.parametrize("window", read_pages.WIDTHS)
def test_faults_are_noticed(browser, tmp_path, window):
    (wide,) = _read(browser, tmp_path, "<div class=big style='width: 3000px'>x</div>", window)
    assert "wider" in wide and "big" in wide
    (cut,) = _read(browser, tmp_path, "<pre style='overflow: hidden'>" + "x" * 400, window)
    assert "cut" in cut
    (lost,) = _read(browser, tmp_path, "<img src=gone.png>", window)
    assert "gone.png" in lost


@pytest.mark.nightly
def test_code_is_not_scrolled_on_a_desktop(browser, tmp_path):
    code = "<div class=highlight><pre style='overflow-x: auto; width: 300px'>" + "x" * 80
    (found,) = _read(browser, tmp_path, f"<div class=content>{code}", "desktop")
    assert "scrolled" in found
    assert _read(browser, tmp_path, f"<div class=content>{code}", "phone") == []


@pytest.mark.nightly
def test_pages_of_the_last_build_can_be_read():
    if not (SITE / "index.html").is_file():
        pytest.skip("no pages: run `make docs`")
    assert list(read_pages.read_pages(SITE, read_pages.pages_of(SITE))) == []
