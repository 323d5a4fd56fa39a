"""Places of files: a folder and prefixes of object stores do the same; addresses; what a store refuses."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from indexing import errors
from indexing.storage import (
    FolderRoot,
    ObjectRoot,
    StorageRoot,
    StoredFile,
    is_remote,
    machine_folder,
    probe_store,
    redact,
    refusal,
    root_of,
    table_settings,
)
from indexing.storage.objects import PIECE
from indexing.storage.wire import client_settings
from tests.support.google_store import GoogleServer
from tests.support.object_store import BUCKET, SECRETS, S3Server


@pytest.fixture(params=["folder", "s3", "google"])
def root(request: pytest.FixtureRequest, store: S3Server, google: GoogleServer, tmp_path: Path) -> StorageRoot:
    return root_of({"s3": store.home(), "google": google.home()}.get(request.param, tmp_path / "home"))


def test_what_is_written_comes_back(root: StorageRoot, tmp_path: Path) -> None:
    place = root.below("made-up")
    assert (place.name, place.folders(), list(place.files()), place.size()) == ("made-up", (), [], 0)
    place.write("a.json", b"one")
    place.write("a.json", b"three")
    assert (place.read("a.json"), place.exists("a.json"), place.exists("b.json")) == (b"three", True, False)
    with pytest.raises(FileNotFoundError):
        place.read("b.json")
    source = tmp_path / "source.pdf"
    source.write_bytes(b"content")
    inner = place.below("sources")
    inner.write("x", b"")
    inner.bring("copy.pdf", source)
    assert source.exists()
    inner.bring("moved.pdf", source, move=True)
    assert not source.exists()
    assert [(file.key, file.size) for file in inner.files()] == [("copy.pdf", 7), ("moved.pdf", 7), ("x", 0)]
    assert [file.key for file in inner.files("mo")] == ["moved.pdf"]
    assert (root.folders(), place.folders(), place.size()) == (("made-up",), ("sources",), 19)
    assert inner.parent.name == "made-up"
    found = inner.find("copy.pdf")
    assert found is not None
    copy = inner.local_copy(found)
    assert (copy.read_bytes(), copy.suffix) == (b"content", ".pdf")
    inner.delete("copy.pdf")
    inner.delete("copy.pdf")
    assert inner.find("copy.pdf") is None
    place.clear()
    assert (root.folders(), place.exists("a.json")) == ((), False)


def test_a_copy_is_that_of_the_content_of_now(address: str) -> None:
    place = root_of(address)
    copies = []
    for content in (b"first", b"other"):
        place.write("x.pdf", content)
        (file,) = place.files()
        copies.append(place.local_copy(file))
    assert [copy.read_bytes() for copy in copies] == [b"first", b"other"]


def test_a_large_object_comes_in_pieces(address: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * ((2 * PIECE + 1000) // 256)
    (tmp_path / "large").write_bytes(content)
    place = root_of(address)
    place.bring("large", tmp_path / "large")
    (file,) = place.files()
    assert place.local_copy(file).read_bytes() == content


def test_a_condition_that_does_not_hold_changes_nothing(address: str) -> None:
    place = ObjectRoot.at(address)
    first = place.write_if("x", b"1", None)
    assert first is not None
    assert place.write_if("x", b"2", None) is None
    second = place.write_if("x", b"3", first)
    assert second is not None
    assert place.write_if("x", b"4", first) is None
    assert place.write_if("none", b"5", first) is None
    assert place.read("x") == b"3"
    assert probe_store(address).endswith("honours conditional writes")


@pytest.mark.parametrize(
    "home",
    ["s3://", "http://bucket/x", "s3://key:secret@bucket/x", "s3://bucket/x?token=secret", "s3://bucket/../../x",
     "gs://../../x", "s3://<secret>/x", "s3://bucket name", "az://-bucket"],
)  # fmt: skip
def test_an_address_that_is_none_is_told_without_repeating_it(home: str) -> None:
    with pytest.raises(errors.BadSetting, match="VOUCH_HOME") as told:
        is_remote(home)
    assert "secret" not in str(told.value)


def test_a_home_in_a_folder_keeps_everything_there(tmp_path: Path) -> None:
    assert machine_folder(tmp_path) == tmp_path
    assert machine_folder("s3://bucket/home") == Path.home() / ".local" / "share" / "vouch"
    assert isinstance(root_of(str(tmp_path)), FolderRoot)


def test_without_obstore_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(errors.ExtraMissing, match=r"pip install 'vouch\[stores\]'"):
        root_of("s3://bucket/home")


@pytest.mark.usefixtures("store")
def test_a_bucket_that_is_not_there_is_named() -> None:
    place = root_of("s3://no-such-bucket/home")
    for ask in (place.folders, lambda: place.read("x"), lambda: place.write("x", b""), place.size):
        with pytest.raises(errors.StoreUnreachable, match="there is no such bucket: create it"):
            ask()


def test_a_store_that_is_away_is_a_named_error_with_the_next_step(store: S3Server) -> None:
    place = root_of(store.home())
    place.write("x", b"1")
    store.gate.close_gate()
    for ask in (place.folders, lambda: place.read("x"), lambda: place.exists("x"), lambda: place.delete("x")):
        with pytest.raises(errors.StoreUnreachable, match=r"does not answer .* run the same command again"):
            ask()
    store.gate.shut = False
    assert place.read("x") == b"1"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Server returned non-2xx status code: 403 Forbidden: <Code>AccessDenied</Code>", errors.StoreDenied),
        ("status: 401, SignatureDoesNotMatch", errors.StoreDenied),
        ("CredentialsNotLoaded at http://169.254.169.254/latest", errors.StoreDenied),
        ("after 3 retries - HTTP error: error sending request", errors.StoreUnreachable),
        ("Server returned non-2xx status code: 503 Slow Down", errors.StoreUnreachable),
        ("operation timed out", errors.StoreUnreachable),
        ("page 7 has a bad header", None),
        ("Not found: /root/cache/views/4a153630403c466598c41fbdb1401d77/documents.lance/_versions", None),
        ("table was not found: /home/connections/dns", None),
        ("Server returned non-2xx status code: 404 Not Found: NoSuchKey", None),
    ],
)
def test_failures_are_told_apart(said: str, kind: type | None) -> None:
    found = refusal("s3://b/h", f"{said} https://x/y?sig=MARKER")
    assert (type(found) if found else None) is kind
    assert "MARKER" not in str(found)


def test_a_server_of_one_protocol_is_not_asked_for_another_s(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [key for key in os.environ if key.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GOOGLE_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", "https://azure.example.test")
    assert "aws_endpoint" not in table_settings("s3://bucket/home")
    for address, plain in (("s3://bucket/home", False), ("az://bucket/home", False), ("gs://bucket/home", True)):
        assert client_settings(address)["client_options"]["allow_http"] is plain
        assert ("allow_http" in table_settings(address)) is plain
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:2")
    assert table_settings("s3://bucket/home")["aws_endpoint"] == "http://127.0.0.1:2"


@pytest.mark.parametrize(
    ("scheme", "variable"),
    [("s3", "AWS_ACCESS_KEY_ID"), ("gs", "GOOGLE_SERVICE_ACCOUNT"), ("az", "AZURE_STORAGE_ACCOUNT_KEY")],
)
def test_the_credentials_that_lack_are_those_of_the_store(scheme: str, variable: str) -> None:
    assert variable in str(refusal(f"{scheme}://b/h", "Error performing GET http://169.254.169.254/latest"))


def test_what_is_passed_on_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    said = f"bad header at https://x/y?X-Amz-Signature=abc and {' '.join(SECRETS.values())}"
    assert redact(said) == "bad header at https://x/y?*** and *** *** ***"
    assert BUCKET in redact(BUCKET)
    assert StoredFile("x", 1).tag == ""
