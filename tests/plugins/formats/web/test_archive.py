"""Saved pages: MHTML and web archives give the page and what belongs to it; damaged ones a named error."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from indexing.errors import DamagedFile, FileError, NoPages, TooLarge, UnsupportedFile
from indexing.settings import IndexingSettings
from plugins.formats.web.archive import NOWHERE, WebResource, read_saved, saved_html, to_warc

MHTML = b"""From: <Saved by a browser>\r
Snapshot-Content-Location: https://mill.example/dir/page.html\r
MIME-Version: 1.0\r
Content-Type: multipart/related; type="text/html"; boundary="----B"\r
\r
------B\r
Content-Type: text/html\r
Content-ID: <frame-1@mhtml.blink>\r
Content-Transfer-Encoding: quoted-printable\r
Content-Location: https://mill.example/dir/page.html\r
\r
<p>caf=C3=A9 <img src=3D"cid:part-2"><img src=3D"../a.png">\r
------B\r
Content-Type: image/png\r
Content-ID: <part-2>\r
Content-Transfer-Encoding: base64\r
Content-Location: a.png\r
\r
aGVsbG8=\r
------B--\r
"""


def read(tmp_path: Path, name: str, content: bytes, **values: int):  # noqa: ANN201  a SavedPage
    path = tmp_path / name
    path.write_bytes(content)
    return read_saved(path, IndexingSettings().with_values(**values))


def record(url: str, answer: bytes, kind: str = "response") -> bytes:
    told = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n"
    return told.encode() + f"Content-Length: {len(answer)}\r\n\r\n".encode() + answer + b"\r\n\r\n"


def answer(body: bytes, kind: str = "text/html", status: str = "200 OK", extra: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{extra}\r\n".encode() + body


def test_mhtml_gives_the_page_and_its_parts_by_location_and_id(tmp_path: Path) -> None:
    saved = read(tmp_path, "a.mhtml", MHTML)
    assert saved.url == saved.address == "https://mill.example/dir/page.html"
    assert saved.page.media_type == "text/html; charset=utf-8"
    assert "café" in saved.page.content.decode()
    assert NOWHERE.encode() + b"cid/part-2" in saved.page.content
    assert saved.resources["https://mill.example/dir/a.png"].content == b"hello"
    assert saved.resources[NOWHERE + "cid/part-2"].content == b"hello"


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"<p>no mhtml", DamagedFile),
        (b"MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nwords", NoPages),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n", NoPages),
        (b"MIME-Version: 1.0\r\n" + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(3000)), FileError),
    ],
)  # fmt: skip
def test_what_is_no_mhtml_is_a_named_error(tmp_path: Path, content: bytes, error: type[FileError]) -> None:
    with pytest.raises(error, match=r"a\.mht"):
        read(tmp_path, "a.mht", content)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_the_first_page_of_a_web_archive_that_was_there_is_read(tmp_path: Path, name: str) -> None:
    packed = gzip.compress(b"body {}")
    records = [
        record("https://mill.example/", b"x: y\r\n", "warcinfo"),
        record("https://mill.example/", answer(b"moved", status="301 Moved")),
        record(
            "https://mill.example/page",
            answer(b"5\r\n<p>on\r\n1\r\ne\r\n0\r\n\r\n", extra="Transfer-Encoding: chunked\r\n"),
        ),
        record("https://mill.example/two", answer(b"<p>two")),
        record("https://mill.example/a.css", answer(packed, "text/css", extra="Content-Encoding: gzip\r\n")),
        record("https://mill.example/cut", answer(b"short", "text/css", extra="Content-Length: 99\r\n")),
        record("https://mill.example/br", answer(b"\x0b", "text/css", extra="Content-Encoding: br\r\n")),
    ]
    content = b"".join(gzip.compress(one) for one in records) if name.endswith("gz") else b"".join(records)
    saved = read(tmp_path, name, content)
    assert (saved.url, saved.page.content) == ("https://mill.example/page", b"<p>one")
    assert sorted(saved.resources) == ["https://mill.example/a.css", "https://mill.example/two"]
    assert saved.resources["https://mill.example/a.css"].content == b"body {}"
    assert [note for note in saved.notes if "2 pages" in note]


def test_what_was_fetched_is_read_again_as_it_was(tmp_path: Path) -> None:
    page = WebResource("https://mill.example/", "text/html; charset=utf-8", "<p>café\r\n".encode())
    style = WebResource("https://cdn.example/b.css", "text/css\r\nX-Evil: 1", b"\r\n\r\n", "*")
    saved = read(tmp_path, "a.warc", to_warc(page, {"https://cdn.example/a.css": style, page.url: page}))
    assert saved.page.content == page.content
    assert saved.resources["https://cdn.example/a.css"].content == b"\r\n\r\n"
    assert saved.resources["https://cdn.example/a.css"].media_type == "text/cssX-Evil: 1"


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.warc", b"WARC/1.0\r\nContent-Length: 5\r\n\r\nhello\r\n\r\nrubbish", DamagedFile),
        ("a.warc", b"WARC/1.0\r\nContent-Length: -5\r\n\r\nhello", DamagedFile),
        ("a.warc", b"WARC/1.0\r\n\r\n", DamagedFile),
        ("a.warc", record("https://mill.example/", answer(b"gone", status="404 Not Found")), NoPages),
        ("a.gz", gzip.compress(b"some text", mtime=0), UnsupportedFile),
        ("a.warc.gz", gzip.compress(b"WARC/1.0\r\n" * 500, mtime=0)[:-20], DamagedFile),
        ("a.warc.gz", b"\x1f\x8brubbish", DamagedFile),
        ("a.warc.gz", gzip.compress(b"WARC/1.0\r\n" + bytes(3 << 20), mtime=0), TooLarge),
        ("a.html", bytes(1 + (1 << 20)), TooLarge),
    ],
)
def test_what_is_no_archive_is_a_named_error(tmp_path: Path, name: str, content: bytes, error: type[FileError]) -> None:
    with pytest.raises(error, match=name):
        read(tmp_path, name, content, web_mb=1)


def test_characters_and_xhtml() -> None:
    assert saved_html("é".encode()).page.media_type == "text/html; charset=utf-8"
    assert saved_html(b"\xe9").page.media_type == "text/html"
    assert saved_html("é".encode("utf-16")).page.media_type == "text/html"
    assert saved_html(b"<html><body/></html>", xml=True).page.media_type == "application/xhtml+xml"
    assert saved_html(b"<html><br></html>", xml=True).page.media_type == "text/html"
    bomb = b'<!DOCTYPE a [<!ENTITY a "b">]><html>&a;</html>'
    assert saved_html(bomb, xml=True).page.media_type == "text/html"
