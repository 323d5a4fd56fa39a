"""The gate to the network: named hosts, public addresses, and no more than the limits."""

from __future__ import annotations

import gzip
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from indexing.conversion.web import pages, web_rendition
from indexing.conversion.web.gate import NetworkGate, is_public
from indexing.errors import NotFetched
from indexing.settings import IndexingSettings
from tests.indexing.conversion.web.loopback import loopback

HTML = {"Content-Type": "text/html"}


def gate(**values: object) -> NetworkGate:
    known = {"web_hosts": ("127.0.0.1",), "web_seconds": 20.0} | values
    return NetworkGate(IndexingSettings().changed(**known), loopback=True)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1",
     "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1", "ff02::1", "fe80::1%eth0", "", "name"],
)  # fmt: skip
def test_addresses_of_no_public_network_are_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_public_addresses_may_be_asked(address: str) -> None:
    assert is_public(address)


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
        ("https://named.example:99999/", "cannot be read"),
        ("https://[::1/", "cannot be read"),
        ("https://named.example/", "no public address"),
        ("http://169.254.169.254/", "web_hosts"),
        ("//named.example/", "plain http"),
    ],
)
def test_what_may_not_be_asked_is_refused_before_anything_is_connected(url: str, why: str) -> None:
    settings = IndexingSettings(web_hosts=("named.example",))
    guarded = NetworkGate(settings, resolve=lambda host, port: ["93.184.216.34", "10.0.0.7"])  # noqa: ARG005
    with pytest.raises(NotFetched, match=why):
        guarded.get(url)


def test_a_dot_names_all_hosts_under_it() -> None:
    settings = IndexingSettings(web_hosts=(".mill.example",))
    guarded = NetworkGate(settings, resolve=lambda host, port: ["10.0.0.7"])  # noqa: ARG005
    with pytest.raises(NotFetched, match="no public address"):
        guarded.get("https://www.mill.example/")
    with pytest.raises(NotFetched, match="web_hosts"):
        guarded.get("https://steammill.example/")


def test_the_address_that_was_checked_is_the_one_that_is_asked() -> None:
    with loopback() as told:
        told.answers["/"] = (200, HTML, b"here")
        answers = iter([["127.0.0.1"], ["10.0.0.1"]])
        settings = IndexingSettings(web_hosts=("rebound.example",), web_seconds=5.0)
        guarded = NetworkGate(settings, resolve=lambda host, port: next(answers), loopback=True)  # noqa: ARG005
        assert guarded.get(f"http://rebound.example:{told.port}/").content == b"here"
        with pytest.raises(NotFetched, match="no public address"):
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
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b".")
        handler.wfile.flush()
        time.sleep(0.1)


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


@pytest.mark.slow
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
    assert len(fetched.refused) == 2  # the other port is asked for, but the test allows loopback: it answers 404
    assert all("localhost" in line or "404" in line for line in fetched.refused)
    path = tmp_path / fetched.name
    path.write_bytes(fetched.content)
    read = web_rendition(path, IndexingSettings())
    assert (read.title, read.metadata.url) == ("Fetched", f"{told.url}/page")
    elements = [e for parsed in read.pages or () for e in parsed.elements]
    assert [(e.kind, e.text) for e in elements] == [("picture", ""), ("text", "shown")]
    assert sum(parsed.hidden for parsed in read.pages or ()) == 1
