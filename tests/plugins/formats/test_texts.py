"""Text, Markdown, separated values and notebooks: what is read, where it is said to stand, and what is refused."""

import base64
import json
from pathlib import Path

import pymupdf
import pytest

from indexing.conversion import Rendition, cell_place, convert
from indexing.errors import DamagedFile, FileError, NoPages, TooLarge, UnsupportedFile
from indexing.metadata import Metadata
from indexing.settings import IndexingSettings
from tests.plugins.formats.laid_out import elements, letters, shown


def read(folder: Path, name: str, content: str | bytes) -> Rendition:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return convert(path, IndexingSettings())


def described(rendition: Rendition) -> list[tuple[str, str, str]]:
    return [(e.kind, e.place, e.text) for e in elements(rendition)]


def test_text_has_paragraphs_headings_items_and_columns(tmp_path: Path) -> None:
    text = (
        "Handbook\n========\n\n"
        "The wheel drives the stones by a long shaft of oak, which\nwas cut in the year 1741.\n\n"
        "Ada Smith\n12 Mill Lane\n\n"
        "- first\n- second that\n  goes on\n2. third\n\n"
        "name      value\nwheel     12\n"
    )
    made = read(tmp_path, "a.txt", text)
    assert described(made) == [
        ("heading", "line 1", "Handbook"),
        ("text", "lines 4-5", "The wheel drives the stones by a long shaft of oak, which was cut in the year 1741."),
        ("text", "lines 7-8", "Ada Smith 12 Mill Lane"),
        ("list", "line 10", "first"),
        ("list", "lines 11-12", "second that goes on"),
        ("list", "line 13", "2. third"),
        ("text", "lines 15-16", "name      value\nwheel     12"),
    ]
    assert made.title == "Handbook"
    assert elements(made)[1].section == ("Handbook",)
    assert elements(made)[2].words.lines.tolist() == [0, 0, 1, 1, 1]


RUSSIAN = "Водяное колесо медленно вращается и приводит в движение жернова. " * 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe Ё", "utf-8-sig"), ("Größe Ё", "utf-16"), ("\ufeffGröße Ё", "utf-16-be"), ("Größe Ё", "utf-32"),
        ("Größe Ё", "utf-8"), ("Größe und Maß", "latin-1"), (RUSSIAN, "cp1251"),
    ],
)  # fmt: skip
def test_encodings(tmp_path: Path, text: str, encoding: str) -> None:
    assert described(read(tmp_path, "a.txt", text.encode(encoding)))[0][2] == text.strip(" \ufeff")


def test_markdown_has_its_structure_lines_and_record(tmp_path: Path) -> None:
    text = (
        "---\ntitle: On mills\nauthor: [Ada, Bob]\ndate: 2024-05-17\ntags: water, oak\n---\n"
        "# Mills *of* `oak`\n\nA **bold** [link](http://x.org)\nand more.\n\n"
        "- one\n  1. inner\n  2. second\n\n```python\ndef f():\n    return 1\n```\n\n"
        "| Name | Value |\n|---|---|\n| wheel | 12 |\n\n<p>An <b>HTML</b> block<script>x()</script></p>\n\n> quoted\n"
    )
    made = read(tmp_path, "a.md", text)
    assert described(made) == [
        ("heading", "line 7", "Mills of oak"),
        ("text", "lines 9-10", "A bold link and more."),
        ("list", "line 12", "one"),
        ("list", "line 13", "1. inner"),
        ("list", "line 14", "2. second"),
        ("text", "lines 17-18", "def f():\n    return 1"),
        ("table", "lines 21-23", "Name | Value\nwheel | 12"),
        ("text", "line 25", "An HTML block"),
        ("text", "line 27", "quoted"),
    ]
    assert made.title == "On mills"
    assert made.metadata == Metadata(date="2024-05-17", author="Ada, Bob", tags=("water", "oak"))


def test_what_stands_above_the_line_is_spelled_so(tmp_path: Path) -> None:
    text = "It turned 2<sup>31</sup> times.<sup>7</sup> Since<br>the 4<sup>th</sup>.\n\n<p>In 10<sup>-4</sup> s.</p>\n"
    texts = [text for _, _, text in described(read(tmp_path, "a.md", text))]
    assert texts == ["It turned 2³¹ times.⁷ Since the 4th.", "In 10⁻⁴ s."]


def test_what_is_struck_out_says_so(tmp_path: Path) -> None:
    made = read(tmp_path, "a.md", "It costs ~~nine *crowns*~~ ten, <del>not</del> <S>one</S> now.\n")
    text = "It costs [struck out: nine] [struck out: crowns] ten, [struck out: not] [struck out: one] now."
    assert [element.text for element in elements(made)] == [text]


@pytest.mark.parametrize(
    "front",
    [
        "---\n!!python/object/apply:os.system [id]\n---\n",
        "---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ntitle: [*c,*c]\n---\n", "---\ntitle: : :\n---\n",
        "---\n" + "[" * 5000 + "\n---\n", "---\nno end\n",
    ],
)  # fmt: skip
def test_hostile_records_are_no_records(tmp_path: Path, front: str) -> None:
    made = read(tmp_path, "a.md", front + "\nBody text.\n")
    assert made.metadata == Metadata()
    assert described(made)[-1][2] == "Body text."


def test_deep_markdown_ends(tmp_path: Path) -> None:
    made = read(tmp_path, "a.md", "> " * 3000 + "deep\n\n" + "- " * 500 + "x\n\n" + "[" * 3000 + "\n\nlast words\n")
    assert described(made)[-1][2] == "last words"


def test_csv_is_a_table_with_row_numbers(tmp_path: Path) -> None:
    rows = "".join(f'row {n};{n},5;"=HYPERLINK(""http://x"") <b>"\n' for n in range(2, 90))
    made = read(tmp_path, "a.csv", "Name;Value;Note\n" + rows)
    parts = elements(made)
    assert len(parts) == 2
    assert parts[0].place.startswith("rows 2-")
    assert parts[1].place.endswith("-89")
    assert parts[0].text.splitlines()[:2] == ["Name | Value | Note", 'row 2 | 2,5 | =HYPERLINK("http://x") <b>']
    for part in parts:
        for cell in part.cells:
            if not cell.header and cell.col == 0:
                assert cell_place(part, cell) == part.text[cell.start : cell.end]
    assert shown(made, parts[1]) == letters(parts[1].text)


def notebook(*cells: object) -> str:
    return json.dumps({"cells": cells, "metadata": {"title": "Runs"}, "nbformat": 4, "nbformat_minor": 5})


def test_a_notebook_has_cells_and_outputs(tmp_path: Path) -> None:
    pixels = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 60, 30), False)
    pixels.clear_with(90)
    image = base64.encodebytes(pixels.tobytes("png")).decode()
    outputs = [
        {"output_type": "stream", "text": ["1\n", "\x1b[31mred\x1b[0m\n"]},
        {"output_type": "display_data", "data": {"image/png": image, "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["x"]},
    ]
    made = read(
        tmp_path,
        "a.ipynb",
        notebook(
            {"cell_type": "markdown", "source": ["# Title\n", "\n", "words"]},
            {"cell_type": "code", "source": "x = 1\nprint(x)", "outputs": outputs},
        ),
    )
    assert described(made) == [
        ("heading", "cell 1, line 1", "Title"),
        ("text", "cell 1, line 3", "words"),
        ("text", "cell 2, lines 1-2", "x = 1\nprint(x)"),
        ("text", "cell 2, output, lines 1-2", "1\nred"),
        ("picture", "cell 2, output", ""),
        ("text", "cell 2, output, line 1", "ValueError: bad"),
    ]
    assert made.title == "Runs"


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.txt", b"text\0text", UnsupportedFile, "zero bytes"),
        ("a.csv", b"\xff\xd8\xff\xe0\0\x10JFIF", UnsupportedFile, "zero bytes"),
        ("a.txt", b" \n\t\n\x0c", NoPages, "nothing in it"),
        ("a.csv", b",,,\n,,\n", NoPages, "no row"),
        ("a.ipynb", b"{", DamagedFile, "JSON"),
        ("a.ipynb", b"[" * 100_000, DamagedFile, "JSON"),
        ("a.ipynb", b'{"a": 1}', DamagedFile, "no list of cells"),
        ("a.csv", b"a," * 1_000_100, TooLarge, "cells"),
        ("a.ipynb", json.dumps({"cells": [{}] * 20_001}).encode(), TooLarge, "20001 cells"),
    ],
)
def test_refusals_are_named(tmp_path: Path, name: str, content: bytes, error: type[FileError], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        read(tmp_path, name, content)
    assert str(raised.value).startswith(f"{name}: ")


def test_a_text_too_long_for_the_pages_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("word " * 4000)
    with pytest.raises(TooLarge, match=r"a\.txt: more than 1 pages"):
        convert(path, IndexingSettings(max_pages=1))
