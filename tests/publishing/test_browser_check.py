"""The browser check finds each fault that it is there for, on a site made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctho.publishing.browser_check import check_pages

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<style>body {{ background: #fff; color: #000 }}
@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} }}</style>{head}
</head><body><article><p>Plain text.</p>{body}</article></body></html>"""

FAULTS = {
    "sound": ("", "", ""),
    "faint-light": ("", '<p style="color: #999; background: #fff">Grey on white.</p>', "too faint"),
    "faint-dark": (
        "<style>@media (prefers-color-scheme: dark) { .d { color: #333 } }</style>",
        '<p class="d">Only in the dark.</p>',
        "too faint in dark mode",
    ),
    "wide": ("", '<div style="width: 800px">A wide box.</div>', "px too wide for a phone"),
    "logs": ("", "<script>console.error('a fault')</script>", "logs a fault"),
    "throws": ("", "<script>throw new Error('broken')</script>", "throws"),
    "missing": ("", '<img src="not-there.png" alt="x">', "cannot load"),
    "outside": ("", '<img src="http://127.0.0.1:9/x.png" alt="x">', "asks for http"),
    "mathematics": ("", '<span class="math">\\(x\\)</span>', "not set as mathematics"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    site = tmp_path_factory.mktemp("site")
    for name, (head, body, _) in FAULTS.items():
        (site / f"{name}.html").write_text(PAGE.format(head=head, body=body), encoding="utf-8")
    return check_pages(site)[1]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, found: list[str]) -> None:
    own = [fault for fault in found if fault.startswith(f"{name}.html: ")]
    says = FAULTS[name][2]
    assert any(says in fault for fault in own) if says else own == []


def test_dark_is_looked_at_by_itself(found: list[str]) -> None:
    assert not any(fault.startswith("faint-dark.html: too faint in light") for fault in found)


def test_a_picture_of_each_page_and_kind(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE.format(head="", body=""), encoding="utf-8")
    check_pages(tmp_path / "site", tmp_path)
    assert {file.name for file in tmp_path.glob("*.png")} == {
        f"index-{kind}.png" for kind in ("light", "dark", "phone")
    }
