"""The gate to the network: named hosts, public addresses, and no more than the limits."""

from __future__ import annotations

import gzip
import re
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from indexing.errors import NotFetched, UnsupportedFile
from indexing.settings import IndexingSettings
from plugins.formats.web import fetched_page, pages, web_rendition
from plugins.formats.web.gate import NetworkGate
from tests.plugins.formats.web.loopback import loopback

HTML = {"Content-Type": "text/html"}


def gate(**values: object) -> NetworkGate:
    known = {"web_hosts": ("127.0.0.1",), "web_seconds": 20.0} | values
    return NetworkGate(IndexingSettings().with_values(**known), loopback=True)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://other.example/", "web_hosts"),
        ("https://127.0.0.1.other.example/", "web_hosts"),
        ("https://named.example@other.example/", "plain http"),
        ("https://user:pass@named.example/", "plain http"),
        ("ftp://named.example/", "plain http"),
        ("file:///etc/passwd", "plain http"),
        ("https://named.example:22/", "port 22"),
        ("https://named.example:99999/", "cannot be parsed"),
        ("https://[::1/", "cannot be parsed"),
        ("https://named.example/", "not a public address"),
        ("https://www.mill.example/", "not a public address"),
        ("https://steammill.example/", "web_hosts"),
        ("http://169.254.169.254/", "web_hosts"),
        ("//named.example/", "plain http"),
    ],
)
def test_what_may_not_be_asked_is_refused_before_anything_is_connected(url: str, why: str) -> None:
    settings = IndexingSettings(web_hosts=("named.example", ".mill.example"))
    guarded = NetworkGate(settings, resolve=lambda host, port: ["93.184.216.34", "10.0.0.7"])  # noqa: ARG005
    with pytest.raises(NotFetched, match=why):
        guarded.get(url)


def test_the_address_that_was_checked_is_the_one_that_is_asked() -> None:
    with loopback() as told:
        told.answers["/"] = (200, HTML, b"here")
        answers = iter([["127.0.0.1"], ["10.0.0.1"]])
        settings = IndexingSettings(web_hosts=("rebound.example",), web_seconds=5.0)
        guarded = NetworkGate(settings, resolve=lambda host, port: next(answers), loopback=True)  # noqa: ARG005
        assert guarded.get(f"http://rebound.example:{told.port}/").content == b"here"
        with pytest.raises(NotFetched, match="not a public address"):
            guarded.get(f"http://rebound.example:{told.port}/")


def test_redirects_are_followed_among_the_hosts_alone() -> None:
    with loopback() as told, loopback() as other:
        told.answers["/first"] = (302, {"Location": "/second"}, b"")
        told.answers["/second"] = (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(b"found"))
        told.answers["/out"] = (302, {"Location": f"http://localhost:{other.port}/"}, b"")
        told.answers["/file"] = (302, {"Location": "file:///etc/passwd"}, b"")
        told.answers["/round"] = (302, {"Location": "/round"}, b"")
        found = gate().get(f"{told.url}/first")
        assert (found.url, found.content) == (f"{told.url}/second", b"found")
        for path, why in (("out", "web_hosts"), ("file", "plain http"), ("round", "redirects"), ("missing", "404")):
            with pytest.raises(NotFetched, match=why):
                gate().get(f"{told.url}/{path}")
    assert other.asked == []


def drip(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte at a time, until whoever asked is gone."""
    handler.send_response(200)
    handler.end_headers()
    gone = threading.Event()
    while not gone.wait(0.05):
        try:
            handler.wfile.write(b".")
        except OSError:
            gone.set()


def test_limits_of_bytes_seconds_and_requests() -> None:
    with loopback() as told:
        told.answers |= {"/drip": drip, "/large": (200, HTML, b"x" * (1 << 20) + b"x"), "/small": (200, HTML, b"x")}
        told.answers["/bomb"] = (200, HTML | {"Content-Encoding": "gzip"}, gzip.compress(bytes(2 << 20)))
        for path in ("large", "bomb"):
            with pytest.raises(NotFetched, match="web_mb"):
                gate(web_mb=1).get(f"{told.url}/{path}")
        started = time.monotonic()
        with pytest.raises(NotFetched):
            gate(web_seconds=0.5).get(f"{told.url}/drip")
        assert time.monotonic() - started < 3
        few = gate(web_requests=2)
        assert [few.get(f"{told.url}/small").content for _ in range(2)] == [b"x", b"x"]
        with pytest.raises(NotFetched, match="web_requests"):
            few.get(f"{told.url}/small")


def test_a_fetched_page_is_an_archive_named_after_its_address(tmp_path: Path) -> None:
    """Without Chromium the page alone is fetched."""
    settings = IndexingSettings(web_hosts=("127.0.0.1",), chromium="/nowhere/chromium")
    with loopback() as told:
        told.answers["/old"] = (302, {"Location": "/the/mill.html"}, b"")
        told.answers["/the/mill.html"] = (200, HTML, b"<!doctype html><title>Mill</title><p>It grinds.<img src=a.png>")
        told.answers["/paper"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7")
        fetched = pages._fetched(f"{told.url}/old#wheel", settings, NetworkGate(settings, loopback=True))
        assert told.asked == ["connection", "GET /old", "connection", "GET /the/mill.html"]
        with pytest.raises(UnsupportedFile, match="is application/pdf, not a web page"):
            pages._fetched(f"{told.url}/paper", settings, NetworkGate(settings, loopback=True))
    assert fetched.notes == ()
    assert re.fullmatch(r"127-0-0-1-the-mill-html-[0-9a-f]{8}\.warc", fetched.name)
    (tmp_path / fetched.name).write_bytes(fetched.content)
    read = web_rendition(tmp_path / fetched.name, settings)
    assert (read.title, read.metadata.url) == ("Mill", f"{told.url}/the/mill.html")
    assert any("without Chromium" in note and "install" in note for note in read.notes)
    assert [e.text for page in read.pages or () for e in page.elements] == ["It grinds."]


def test_a_page_is_fetched_from_named_public_hosts_alone() -> None:
    with loopback() as told:
        with pytest.raises(NotFetched, match="web_hosts"):
            fetched_page(f"{told.url}/", IndexingSettings())
        with pytest.raises(NotFetched, match="port"):
            fetched_page(f"{told.url}/", IndexingSettings(web_hosts=("127.0.0.1",)))
        with pytest.raises(NotFetched, match="not a public address"):
            fetched_page("http://127.0.0.1/", IndexingSettings(web_hosts=("127.0.0.1",)))
        assert told.asked == []


@pytest.mark.slow
@pytest.mark.gate
def test_a_page_at_an_address_becomes_a_file_that_is_read_without_the_network(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    settings = IndexingSettings(web_hosts=("127.0.0.1",))
    with loopback() as told, loopback() as other:
        page = f"""<!doctype html><title>Fetched</title><link rel=stylesheet href=style.css><p class=a>hidden
            <p class=b>shown<img src=wide.svg><img src={other.url}/other.png><iframe src=/frame></iframe>
            <img src=http://localhost:{told.port}/local.png>"""
        told.answers["/page"] = (200, HTML, page.encode())
        told.answers["/style.css"] = (200, {"Content-Type": "text/css"}, b".a {display: none} .b {font-size: 40px}")
        drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="80" height="80"/></svg>'
        told.answers["/wide.svg"] = (200, {"Content-Type": "image/svg+xml"}, drawing)
        fetched = pages._fetched(f"{told.url}/page", settings, NetworkGate(settings, loopback=True))
    assert sorted(line for line in told.asked if line != "connection") == [
        "GET /page",
        "GET /style.css",
        "GET /wide.svg",
    ]
    assert len(fetched.notes) == 2  # the other port is asked for, but the test allows loopback: it answers 404
    assert all("localhost" in line or "404" in line for line in fetched.notes)
    path = tmp_path / fetched.name
    path.write_bytes(fetched.content)
    read = web_rendition(path, IndexingSettings())
    assert (read.title, read.metadata.url) == ("Fetched", f"{told.url}/page")
    elements = [e for parsed in read.pages or () for e in parsed.elements]
    assert [(e.kind, e.text) for e in elements] == [("picture", ""), ("text", "shown")]
    assert sum(parsed.hidden for parsed in read.pages or ()) == 1
