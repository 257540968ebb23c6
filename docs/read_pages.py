"""Reads built pages in a real browser: ``python docs/read_pages.py docs/_build/html``.

Every page is opened at the widths of a phone, a tablet and a desktop. Reported are pages wider than
the window, code that is cut with no way to scroll to it, and pictures that do not show.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["WIDTHS", "open_browser", "page_faults", "pages_of", "read_pages"]

WIDTHS = {"phone": 390, "tablet": 820, "desktop": 1400}
"""Widths of windows [pixels]."""

_FAULTS = """
const found = [];
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width + 1) {
  const wide = [...document.querySelectorAll("body *")].filter(e => {
    const box = e.getBoundingClientRect();
    if (box.right <= width + 1 || box.width === 0) return false;
    for (let p = e.parentElement; p; p = p.parentElement) {
      const style = getComputedStyle(p);
      if (style.overflowX !== "visible" || style.position === "fixed") return false;
    }
    return getComputedStyle(e).position !== "fixed";
  });
  const names = wide.slice(0, 3).map(e => e.tagName.toLowerCase() + "." + e.className);
  found.push("wider than the window: " + names.join(", "));
}
for (const code of document.querySelectorAll(".content pre")) {
  const style = getComputedStyle(code);
  if (code.scrollWidth > code.clientWidth + 1 && !["auto", "scroll"].includes(style.overflowX))
    found.push("code that is cut: " + code.textContent.slice(0, 40));
}
for (const image of document.images)
  if (image.complete && image.naturalWidth === 0)
    found.push("a picture that does not show: " + image.getAttribute("src"));
return found;
"""
_CODE = """
const cut = [...document.querySelectorAll(".content div.highlight pre")]
  .filter(e => e.scrollWidth > e.clientWidth + 1);
return cut.map(e => e.textContent.slice(0, 60));
"""


def open_browser() -> Any:
    """A headless Chromium; None where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        return None
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    return webdriver.Chrome(options, webdriver.ChromeService(driver))


def pages_of(folder: Path, *, internals: bool = False) -> list[Path]:
    """Pages people read, in order; those of internals where they are asked for."""
    return [
        path
        for path in sorted(folder.rglob("*.html"))
        if not {"_static", "_sources", "_modules"} & set(path.parts)
        and (internals or "internals" not in path.parts)
        and path.name not in ("genindex.html", "search.html", "py-modindex.html")
    ]


def page_faults(browser: Any, page: Path, width: int) -> list[str]:
    """What is wrong with a page in a window of this width."""
    # The window of Chromium is never narrower than 500 pixels; its screen may be.
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.get(page.resolve().as_uri())
    faults = [str(fault) for fault in browser.execute_script(_FAULTS)]
    if width >= WIDTHS["desktop"]:
        cut = browser.execute_script(_CODE)
        faults += [f"code that must be scrolled on a desktop: {text!r}" for text in cut]
    return faults


def read_pages(folder: Path, pages: Iterable[Path]) -> Iterator[tuple[str, str, str]]:
    """Page, kind of window and fault, of all pages.

    Raises:
        RuntimeError: there is no browser.
    """
    browser = open_browser()
    if browser is None:
        raise RuntimeError("chromium and chromedriver are needed to read pages")
    try:
        for page in pages:
            for name, width in WIDTHS.items():
                for fault in page_faults(browser, page, width):
                    yield page.relative_to(folder).as_posix(), name, fault
    finally:
        browser.quit()


def main() -> int:
    """Read all pages; 1 if there are faults."""
    folder = Path(sys.argv[1])
    pages = pages_of(folder)
    count = 0
    for page, window, fault in read_pages(folder, pages):
        print(f"{page} ({window}): {fault}", flush=True)
        count += 1
    print(f"{len(pages)} pages, {count} faults")
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main())
