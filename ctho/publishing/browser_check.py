"""Open every page of the built site from disk in Chromium and look for what a reader would see.

No request may leave the disk, nothing may be logged as an error, all mathematics must be set,
no page may scroll sideways on a phone, and text must stand out in light and in dark.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctho.publishing.site_check import site_pages

__all__ = ["check_pages", "main"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}

LOCAL_SCHEMES = ("file:", "data:", "blob:", "about:")

MINIMUM_CONTRAST = 4.5
"""Of text to its background: level AA of the Web Content Accessibility Guidelines."""

_ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
]

_UNSET_MATHEMATICS = """async () => {
  const wanted = [...document.querySelectorAll('.math')];
  if (!wanted.length) return [];
  if (!window.MathJax || !MathJax.startup) return ['MathJax is not there'];
  await MathJax.startup.promise;
  const unset = wanted.filter(e => !e.querySelector('mjx-container') && e.textContent.trim());
  const wrong = [...document.querySelectorAll('[data-mjx-error], merror, [data-mml-node=merror]')];
  return [...unset, ...wrong].map(e => e.textContent.trim().slice(0, 80));
}"""

_TOO_WIDE = """() => {
  const page = document.documentElement;
  return Math.max(0, page.scrollWidth - page.clientWidth);
}"""

_FAINT_TEXT = """minimum => {
  const light = c => {
    const v = c.map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2];
  };
  const parse = s => (s.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const background = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > .5) return c.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const e of document.querySelectorAll('article :is(p, li, td, th, h1, h2, h3, code, span)')) {
    const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
    const hidden = !e.checkVisibility({checkOpacity: true});
    if (!text || hidden || e.closest('mjx-container, svg')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(background(e))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < minimum) faint.push(`${text.slice(0, 40)} (${contrast.toFixed(1)})`);
  }
  return [...new Set(faint)];
}"""


def check_pages(site: Path, screenshots: Path | None = None) -> tuple[int, list[str]]:
    """Open every page; the number of pages with mathematics, and the faults, one sentence each.

    Args:
        site: the folder that holds index.html.
        screenshots: a folder for pictures of every page, wide, narrow and dark; none if None.
    """
    faults: list[str] = []
    with_mathematics = 0
    with _browser() as browser:
        for file in site_pages(site):
            name = str(file.relative_to(site))
            context = browser.new_context(viewport=DESKTOP, color_scheme="light")
            page = context.new_page()
            found = _listen(page)
            page.goto(file.resolve().as_uri(), wait_until="load")
            found += [f"not set as mathematics: {t}" for t in page.evaluate(_UNSET_MATHEMATICS)]
            page.add_style_tag(content="* { transition: none !important; }")
            with_mathematics += bool(page.query_selector("mjx-container"))
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                for text in page.evaluate(_FAINT_TEXT, MINIMUM_CONTRAST):
                    found.append(f"too faint in {scheme} mode: {text}")
                _picture(page, screenshots, name, scheme)
            page.emulate_media(color_scheme="light")
            page.set_viewport_size(PHONE)
            if excess := page.evaluate(_TOO_WIDE):
                found.append(f"{excess} px too wide for a phone")
            _picture(page, screenshots, name, "phone")
            context.close()
            faults += [f"{name}: {fault}" for fault in found]
    return with_mathematics, faults


def main(site: Path, screenshots: Path | None = None) -> int:
    """Print the faults; 0 if there are none, else 1."""
    with_mathematics, faults = check_pages(site, screenshots)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        count = len(site_pages(site))
        print(f"{site}: {count} pages opened, {with_mathematics} with mathematics, no fault")
    return 1 if faults else 0


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("the browser check needs Chromium; install it, or name it in CHROMIUM")
    # Chromium refuses its sandbox to root, as whom containers run.
    arguments = _ARGUMENTS + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def _listen(page: Any) -> list[str]:
    found: list[str] = []

    def requested(request: Any) -> None:
        if not request.url.startswith(LOCAL_SCHEMES):
            found.append(f"asks for {request.url}")

    def logged(message: Any) -> None:
        if message.type == "error":
            found.append(f"logs {message.text}")

    page.on("request", requested)
    page.on("requestfailed", lambda request: found.append(f"cannot load {request.url}"))
    page.on("console", logged)
    page.on("pageerror", lambda error: found.append(f"throws {error}"))
    return found


def _picture(page: Any, folder: Path | None, name: str, kind: str) -> None:
    if folder is not None:
        file = folder / f"{name.removesuffix('.html').replace('/', '-')}-{kind}.png"
        page.screenshot(path=str(file), full_page=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(Path, sys.argv[2:])))
