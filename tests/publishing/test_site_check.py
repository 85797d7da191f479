"""The static check finds each fault that it is for, and passes a sound site."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctho.publishing.site_check import check_site, main

SOUND = """<html><head>
<link rel="stylesheet" href="_static/style.css"/><link rel="canonical" href="https://example.org/"/>
<script src="_static/code.js?v=1"></script><style>p { background: url(data:image/png;base64,AA) }
</style></head><body id="top">
<a href="#top">up</a> <a href="page%20two.html#part">there</a> <a href="https://example.org">out</a>
<a href="mailto:a@example.org">write</a> <img src="_static/a.svg" alt="A curve"/>
</body></html>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "_static").mkdir()
    (tmp_path / "index.html").write_text(SOUND)
    (tmp_path / "page two.html").write_text("<h1 id='part'>Two</h1><a href='index.html'>one</a>")
    (tmp_path / "_static" / "style.css").write_text("/* url(gone.png) */ p { color: red }")
    (tmp_path / "_static" / "template.html").write_text("<script src='{{ later }}'></script>")
    for name in ("code.js", "a.svg"):
        (tmp_path / "_static" / name).write_text("")
    return tmp_path


def with_body(site: Path, body: str) -> list[str]:
    (site / "index.html").write_text(f"{SOUND}{body}")
    return check_site(site)


def test_a_sound_site_has_no_fault(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_site(site) == []
    assert main(site) == 0
    assert "2 pages" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<a href='gone.html'>x</a>", "the link gone.html leads nowhere"),
        ("<a href='../outside.html'>x</a>", "the link ../outside.html leads nowhere"),
        ("<a href='/index.html'>x</a>", "the link /index.html leads nowhere"),
        ("<a href='#gone'>x</a>", "the link #gone names an anchor that is not there"),
        ("<a href='page%20two.html#gone'>x</a>", "page%20two.html#gone names an anchor"),
        ("<img src='gone.svg' alt='x'/>", "gone.svg is loaded but not there"),
        ("<img src='_static/a.svg'/>", "_static/a.svg has no alternative text"),
        ("<img src='https://x.org/a.svg' alt='x'/>", "https://x.org/a.svg is loaded from outside"),
        ("<script src='//x.org/a.js'></script>", "//x.org/a.js is loaded from outside"),
        ("<link rel='preload' href='https://x.org/f.woff'/>", "f.woff is loaded from outside"),
        ("<iframe src='http://x.org'></iframe>", "http://x.org is loaded from outside"),
        ("<style>@import 'https://x.org/a.css';</style>", "a.css is loaded from outside"),
        ("<p style='background:url(\"https://x.org/a.png\")'>", "a.png is loaded from outside"),
        ("<img srcset='gone.png 2x' src='_static/a.svg' alt='x'/>", "gone.png is loaded but not"),
    ],
)
def test_a_fault_of_a_page_is_found(site: Path, body: str, fault: str) -> None:
    (found,) = with_body(site, body)
    assert found.startswith("index.html: ")
    assert fault in found


def test_a_fault_of_a_style_sheet_is_found(site: Path) -> None:
    sheet = site / "_static" / "style.css"
    sheet.write_text(
        "@font-face { src: url('https://x.org/f.woff2') } p { background: url(no.png) }"
    )
    assert check_site(site) == [
        "_static/style.css: https://x.org/f.woff2 is loaded from outside",
        "_static/style.css: no.png is loaded but not there",
    ]


def test_a_site_without_a_first_page_fails(tmp_path: Path) -> None:
    assert main(tmp_path) == 1
