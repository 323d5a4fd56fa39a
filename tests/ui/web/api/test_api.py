"""The six endpoints as a program calls them, by `gradio_client`: the examples of docs/api.md, run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from tests.support import documents
from tests.ui.forked import Served
from tests.ui.real_collection import LINES
from tests.ui.served_page import serving

ROOT = Path(__file__).resolve().parents[4]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    (home / "papers").mkdir()
    documents.pdf(home / "papers" / "barn.pdf", ["The barn was built in 1901 by Otto Falk."])
    profile = home / "mine.yaml"
    profile.write_text(
        f"indexing: {{workers: 1}}\nrag: {{min_confidence: 0}}\nui: {{max_files: 3, folders: ['{home / 'papers'}']}}\n"
    )
    with serving(tmp_path_factory.mktemp("served"), home / "home", profile=str(profile)) as page:
        yield page


@pytest.fixture(scope="module")
def client(served: Served) -> Client:
    return Client(served.address, verbose=False, analytics_enabled=False)


@pytest.fixture(scope="module")
def indexed(client: Client, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("mine")
    documents.pdf(folder / "mill.pdf", LINES)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    files = [handle_file(str(folder / name)) for name in ("mill.pdf", "broken.pdf")]
    told: list[dict[str, Any]] = client.predict(files=files, collection="mills", api_name="/index")
    return told


def test_files_are_read_and_those_that_cannot_be_say_why(indexed: list[dict[str, Any]]) -> None:
    assert {f["name"]: f["state"] for f in indexed} == {"mill.pdf": "done", "broken.pdf": "failed"}
    assert next(f["note"] for f in indexed if f["state"] == "failed").startswith("damaged")


def test_nothing_of_an_upload_is_left_behind(indexed: list[dict[str, Any]], served: Served) -> None:
    assert indexed
    assert list(served.uploads.rglob("*.pdf")) == []


def test_collections_tell_what_is_in_them(client: Client, indexed: list[dict[str, Any]]) -> None:
    assert indexed
    (found,) = client.predict(name="mills", api_name="/collections")
    assert [(d["name"], d["n_pages"]) for d in found["documents"]] == [("mill.pdf", 1)]
    assert found["embedder"] == "minilm"
    assert "mills" in [c["name"] for c in client.predict(api_name="/collections")]


def test_what_was_indexed_is_found_and_answered(client: Client, indexed: list[dict[str, Any]]) -> None:
    assert indexed
    question = "When was the mill built by Anna Holm?"
    answer = client.predict(question=question, collection="mills", mode="text", api_name="/ask")
    assert "1887" in answer["sentences"][0]["text"]
    assert answer["sentences"][0]["verdict"] == "quoted"
    found = client.predict(question=question, collection="mills", mode="text", top_k=1, api_name="/search")
    assert [e["document"] for e in found["evidence"]] == ["mill.pdf"]


def test_a_folder_that_the_settings_allow_is_read(client: Client, served: Served, tmp_path: Path) -> None:
    allowed = served.log.parent  # not allowed, though it exists
    with pytest.raises(AppError, match="not a folder that may be read"):
        client.predict(folder=str(allowed), collection="barns", api_name="/index")
    with pytest.raises(AppError, match="papers") as refused:
        client.predict(folder=str(tmp_path), collection="barns", api_name="/index")
    folder = str(refused.value).rpartition("settings: ")[2].rstrip(")")
    (told,) = client.predict(folder=folder, collection="barns", api_name="/index")
    assert (told["name"], told["state"]) == ("barn.pdf", "done")
    assert (Path(folder) / "barn.pdf").exists(), "a file of the server's own is never removed"


def test_a_forged_upload_is_not_read(client: Client, served: Served) -> None:
    for forged in ({"path": str(served.log)}, {"path": "/etc/passwd", "orig_name": "x.pdf"}):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            client.predict(files=[forged], collection="forged", api_name="/index")
        assert refused.value.response.status_code == 403
        assert "just uploaded" in refused.value.response.text
    assert served.log.exists()
    assert "forged" not in [c["name"] for c in client.predict(api_name="/collections")]


def test_limits_are_named(client: Client, tmp_path: Path) -> None:
    files = [handle_file(str(documents.pdf(tmp_path / f"{n}.pdf", [f"Page {n}."]))) for n in range(4)]
    told = client.predict(files=files, collection="many", api_name="/index")
    assert sum("max_files" in f["note"] for f in told) == 1


@pytest.mark.parametrize("name", ["../mills", "nowhere"])
def test_a_collection_that_is_not_there_is_told_in_words(client: Client, name: str) -> None:
    with pytest.raises(AppError, match="collection"):
        client.predict(name=name, api_name="/collections")


def test_a_name_that_cannot_be_a_collection_is_told_at_each_file(client: Client, tmp_path: Path) -> None:
    paper = handle_file(str(documents.pdf(tmp_path / "a.pdf", ["A page."])))
    (told,) = client.predict(files=[paper], collection="../mills", api_name="/index")
    assert (told["state"], "cannot name a collection" in told["note"]) == ("failed", True)
    assert client.predict(files=[], collection="mills", api_name="/index") == []


def test_every_endpoint_says_what_it_takes(client: Client) -> None:
    told = client.view_api(return_format="dict")
    assert isinstance(told, dict)
    assert set(told["named_endpoints"]) == {"/ask", "/search", "/check", "/audit", "/index", "/collections"}
    taken = [p["parameter_name"] for p in told["named_endpoints"]["/index"]["parameters"]]
    assert taken == ["files", "collection", "folder", "password"]


def test_the_examples_of_the_documentation_run(
    served: Served, indexed: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    assert indexed
    documents.pdf(tmp_path / "mill.pdf", LINES)
    documents.pdf(tmp_path / "paper.pdf", ["References", "[1] A. Holm. Mills of the north. Mills, 2009."])
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```python\n")[1:]]
    typed = [block for block in blocks if "vouch.client" in block]
    assert (len(blocks), len(typed)) == (8, 1)
    own = typed[0].replace('"samples"', '"mills"').replace("report.pdf", "mill.pdf")
    ordered = [block for block in blocks if block not in typed] + [own]
    exec("\n".join(ordered).replace("http://127.0.0.1:7860", served.address), {})
    said = capsys.readouterr().out
    for words in (
        "mill.pdf done",
        "broken.pdf failed damaged",
        "mills 1 ['mill.pdf']",
        "quoted",
        "1887",
        "barrels",
        "unknown",
        "answered\n",
    ):
        assert words in said
