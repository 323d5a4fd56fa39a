"""The `vouch` commands on a real S3 server, as people run them; no credential stands in what they print or write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection
from tests.support.commands import Commands
from tests.support.object_store import SECRETS, S3Server

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "documents"
FERRIES = SAMPLES / "sallow-bay-annual-report.pdf"
BUSES = SAMPLES / "night-bus-trial-slides.pdf"
QUESTION = "How many departures were cancelled, and why?"


@pytest.fixture
def vouch(store: S3Server, tmp_path: Path) -> Iterator[Commands]:
    """The commands on a home of the server; at the end their output and files are searched for credentials."""
    others = {"AZURE_STORAGE_ACCOUNT_KEY": "MARKERazure", "GOOGLE_SERVICE_ACCOUNT_KEY": "MARKERgoogle"}
    (tmp_path / "person").mkdir()
    made = Commands(others | {"VOUCH_HOME": store.home(), "HOME": str(tmp_path / "person")})
    yield made
    made.assert_untold([*SECRETS.values(), *others.values()], tmp_path)


@pytest.mark.slow
def test_commands_do_on_a_store_what_they_do_in_a_folder(vouch: Commands, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "report.pdf").write_bytes(FERRIES.read_bytes())
    index = ("index", str(files), "-c", "bay", "--visual", "none", "--workers", "1")
    assert "report.pdf  indexed" in vouch(*index)
    assert "report.pdf  skipped" in vouch(*index)
    taken = ("--overlay", str(tmp_path / "drawn"), "--export", str(tmp_path / "answer.html"))
    assert "641" in vouch("ask", QUESTION, "-c", "bay", *taken)
    assert len(list((tmp_path / "drawn").glob("*.png"))) >= 1
    assert (tmp_path / "answer.html").stat().st_size > 10_000
    (files / "report.pdf").write_bytes(BUSES.read_bytes())
    watch = ("watch", str(files), "-c", "bay", "--once", "--settle", "0")
    assert "changed" in vouch(*watch)
    assert json.loads(vouch("stats", "-c", "bay", "--json"))["documents"] == 1
    assert "report.pdf" in vouch("list", "-c", "bay")
    assert "before" in vouch("compact", "-c", "bay")
    assert "All is well" in vouch("doctor", "-c", "bay")
    vouch("search", "night buses", "-c", "bay")
    vouch("remove", "report.pdf", "-c", "bay")
    assert json.loads(vouch("stats", "-c", "bay", "--json"))["source_bytes"] == 0
    vouch("bibliography", "list")


@pytest.mark.slow
def test_what_goes_wrong_is_one_line_with_the_next_step(vouch: Commands) -> None:
    assert "No collections yet" in vouch("list")
    assert "no collection named 'bay'" in vouch("ask", QUESTION, "-c", "bay", code=2)
    away = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    for words in (("list",), ("index", str(BUSES), "-c", "bay")):
        told = vouch(*words, code=2, **away)
        assert "does not answer (no connection)" in told
        assert "run the same command again" in told
        assert "Traceback" not in told
    assert "problem" in vouch("doctor", code=1, **away)
    assert "there is no such bucket" in vouch("list", code=2, VOUCH_HOME="s3://no-such-bucket-here/home")
    told = vouch("list", code=2, VOUCH_HOME=f"s3://{SECRETS['AWS_ACCESS_KEY_ID']}:x@bucket/home")
    assert "give credentials in the environment variables" in told


def test_a_refused_store_says_so(vouch: Commands) -> None:
    import http.server
    import threading

    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(403)
            self.end_headers()
            self.wfile.write(f"<Error><Code>AccessDenied</Code>{self.headers['authorization']}</Error>".encode())

        do_HEAD = do_PUT = do_GET  # noqa: N815  names of the class above

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        told = vouch("list", code=2, AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()
    assert "the object store refused access: check its credentials" in told


@pytest.mark.slow
def test_a_page_is_drawn_out_of_the_store(store: S3Server) -> None:
    from indexing import IndexingSettings, build_index
    from rag import load_profile
    from ui.web.open_collections import OpenCollections

    home = store.home()
    settings = IndexingSettings(workers=1, visual="none")
    build_index(Collection.create("bay", home, settings), [BUSES], settings=settings)
    shown = OpenCollections(load_profile("default"), home)
    with shown.opened("bay") as (collection, _):
        (document,) = collection.documents()
        try:
            assert shown.page_image("bay", document.id, 1, 400)[:4] == b"RIFF"
        finally:
            collection.close()
            shown.close()
