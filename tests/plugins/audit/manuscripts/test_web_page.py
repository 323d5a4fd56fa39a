"""A web page gives what it shows: nothing hidden, no script, its links and footnotes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from plugins.audit.manuscripts import Manuscript, read_manuscript


def page(folder: Path, body: str, name: str = "page.html") -> Manuscript:
    path = folder / name
    path.write_text(f"<!doctype html><html><body>{body}</body></html>", encoding="utf-8")
    return read_manuscript(path)


def test_paragraphs_lists_and_tables_are_read_in_order(tmp_path: Path) -> None:
    found = page(
        tmp_path,
        "<h1>On <em>lights</em></h1><p>The lamp\nwas <b>lit</b> in 1887.</p>"
        "<ul><li>Ships:<ul><li>the Alma</li></ul></li></ul>"
        "<table><tr><th>Ship</th><th>Seats</th></tr><tr><td>Alma</td><td>120</td></tr></table>"
        "<div>Loose text. <p>A paragraph.</p>Its tail.</div>",
    )
    assert [s.text for s in found.statements] == [
        "On lights", "The lamp was lit in 1887.", "Ships:", "the Alma", "Ship: Alma; Seats: 120",
        "Loose text.", "A paragraph.", "Its tail.",
    ]  # fmt: skip
    assert [found.text[s.start : s.end] for s in found.statements][1] == "The lamp was lit in 1887."
    assert found.statements[3].under == ("On lights", "Ships")


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>document.write('It has 9 seats.')</script>", "<style>p::after{content:'It has 9 seats.'}</style>",
        "<p style='DISPLAY : none'>It has 9 seats.</p>", "<p hidden>It has 9 seats.</p>",
        "<span aria-hidden='true'>It has 9 seats.</span>", "<p style='font-size:0px'>It has 9 seats.</p>",
        "<p style='position:absolute;left:-9999px'>It has 9 seats.</p>", "<del>It has 9 seats.</del>",
        "<!-- It has 9 seats. -->", "<template><p>It has 9 seats.</p></template>",
    ],
)  # fmt: skip
def test_what_is_hidden_or_struck_out_is_not_read(tmp_path: Path, hidden: str) -> None:
    found = page(tmp_path, f"<p>Before.</p>{hidden}<p>After it.</p>")
    assert [s.text for s in found.statements] == ["Before.", "After it."]


@pytest.mark.parametrize("mark", ["<sup><a href='#n1'>1</a></sup>", "<a href='#n1'><sup>1</sup></a>"])
def test_links_and_footnotes_are_kept(tmp_path: Path, mark: str) -> None:
    found = page(
        tmp_path,
        f"<p>The lamp was lit.{mark} See <a href='https://holm.example'>the register</a>.</p>"
        "<p id='n1'>Register of 1890. <a href='#r'>\u21a9</a></p>",
    )
    first, second, note = found.statements
    assert (first.text, first.footnotes) == ("The lamp was lit.", ("Register of 1890.",))
    assert (second.text, second.links) == ("See the register.", ("https://holm.example",))
    assert note.text == "Register of 1890."


def test_what_is_set_above_the_line_is_spelled_so(tmp_path: Path) -> None:
    rows = "<table><tr><th>Year<th>Share<tr><td>1890<sup>1</sup><td>74<sup>cd</sup> of all</table>"
    found = page(
        tmp_path, f"<p>It turned 2<sup>31</sup> times.<sup>7</sup> It stands since the 4<sup>th</sup>.</p>{rows}"
    )
    assert [s.text for s in found.statements] == [
        "It turned 2³¹ times.", "It stands since the 4th.", "Year: 1890¹; Share: 74ᶜᵈ of all",
    ]  # fmt: skip


def test_a_page_of_many_paragraphs_is_read_from_its_first(tmp_path: Path) -> None:
    found = page(tmp_path, "".join(f"<p>Ship {n} has seats.</p>" for n in range(60_000)))
    assert found.statements[0].text == "Ship 0 has seats."
    assert len(found.statements) == 2001


@pytest.mark.parametrize(
    "body",
    ["<div>" * 100_000 + "x", "<p><a href='#f'>1</a> a. " * 20_000, "<a href='https://x.example'>a " * 60_000,
     "<table><tr><td>a 5" * 20_000, f"<p style='{'left:-' * 300_000}'>x is 5.</p>",
     "<p id='f'>" + "word " * 100_000 + "</p>" + "<p>x.<a href='#f'>1</a></p>" * 20_000],
    ids=["deep", "notes", "links", "tables", "style", "one-note"],
)  # fmt: skip
def test_a_page_that_is_made_to_do_harm_takes_little_time(tmp_path: Path, body: str) -> None:
    begun = time.process_time()
    page(tmp_path, body)
    assert time.process_time() - begun < 20


def test_it_is_known_without_its_suffix_and_by_its_charset(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_bytes("<html><head><meta charset='iso-8859-1'></head><body><p>Übung 5 ist da.</p>".encode("iso-8859-1"))
    found = read_manuscript(path)
    assert (found.form, found.statements[0].text) == ("html", "Übung 5 ist da.")
