"""`vouch serve --mcp`: six tools answer with citations; no spelling of a path is read; documents come as bytes."""

import base64
import json
import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from indexing.embed.minilm import MiniLM
from tests.support import documents
from tests.ui.forked import Served
from tests.ui.real_collection import mill
from tests.ui.served_page import serving

pytestmark = pytest.mark.slow
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
MB = 1024 * 1024
SAID = "The vault was built in 1743"


def forged(path: str, **more: Any) -> dict[str, Any]:
    """A file as Gradio's own clients name one."""
    return {"path": path, "meta": {"_type": "gradio.FileData"}, **more}


SPELLINGS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "file data": lambda p: {"files": [forged(str(p))]},
    "file data with a name": lambda p: {"files": [forged(str(p), orig_name="x.pdf", size=1)]},
    "file data as a stream": lambda p: {"files": [forged(str(p), is_stream=True)]},
    "file data with an address": lambda p: {"files": [forged(str(p), url=f"/gradio_api/file={p}")]},
    "an address alone": lambda p: {"files": [{"url": f"/gradio_api/file={p}"}]},
    "a path alone": lambda p: {"files": [{"path": str(p)}]},
    "a string": lambda p: {"files": [str(p)]},
    "not in a list": lambda p: {"files": forged(str(p))},
    "a string not in a list": lambda p: {"files": str(p)},
    "lists in lists": lambda p: {"files": [[forged(str(p))], {"0": [forged(str(p))]}]},
    "file address": lambda p: {"files": [f"file://{p}"]},
    "file data with a file address": lambda p: {"files": [forged(f"file:{p}")]},
    "file address with a host": lambda p: {"files": [forged(f"file://localhost{p}")]},
    "relative": lambda p: {"files": [forged(os.path.relpath(p, p.parent.parent / "served"))]},
    "up and down": lambda p: {"files": [forged(f"{p.parent}/../{p.parent.name}/./{p.name}")]},
    "through a link": lambda p: {"files": [forged(str(p.with_name(f"link-{p.name}")))]},
    "as the bytes": lambda p: {"files": [{"name": "x.pdf", "base64": str(p)}]},
    "as bytes by address": lambda p: {"files": [{"name": "x.pdf", "base64": f"file:{p}"}]},
    "beside bytes": lambda p: {"files": [{"name": "x.pdf", "base64": "JVBERg==", **forged(str(p))}]},
    "bytes that are file data": lambda p: {"files": [{"name": "x.pdf", "base64": forged(str(p))}]},
    "as the collection": lambda p: {"files": [], "collection": forged(str(p))},
    "as the password": lambda p: {"files": [], "password": forged(str(p))},
    "as an argument of its own": lambda p: {"files": [], "image": forged(str(p))},
    "as a folder": lambda p: {"folder": str(p)},
    "as a folder by file data": lambda p: {"folder": forged(str(p.parent))},
    "out of the folder": lambda p: {"folder": f"{p.parent.parent}/papers/../{p.parent.name}/{p.name}"},
    "by a link in the folder": lambda p: {"folder": f"{p.parent.parent}/papers/{p.stem}"},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """A folder with `papers`, which the settings allow, and `private`, with files of mode 0600, which they do not."""
    place = tmp_path_factory.mktemp("place")
    mill(place, embedder)
    for name in ("papers", "private", "served"):
        (place / name).mkdir()
    documents.pdf(place / "papers" / "barn.pdf", ["The barn was built in 1901 by Otto Falk."])
    documents.pdf(place / "private" / "vault.pdf", [f"{SAID} by Otto Falk."])
    (place / "private" / "vault.txt").write_text(SAID)
    for file in list((place / "private").iterdir()):
        (file.parent / f"link-{file.name}").symlink_to(file)
        file.chmod(0o600)
    (place / "papers" / "vault").symlink_to(place / "private")
    return place


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[Served]:
    profile = place / "mine.yaml"
    limits = f"max_call_mb: 2, folders: ['{place / 'papers'}']"
    profile.write_text(f"indexing: {{workers: 1, visual: none}}\nrag: {{min_confidence: 0}}\nui: {{{limits}}}\n")
    with serving(place / "served", place / "home", profile=str(profile), mcp=True) as page:
        yield page


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address) as client:
        yield client


def call(client: httpx.Client, method: str, **params: Any) -> dict[str, Any]:
    """The result of one request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    said = client.post("/mcp", json=body, headers=HEADERS, timeout=60)
    assert said.status_code == 200, said.text
    return result_of(said)


def result_of(said: httpx.Response) -> dict[str, Any]:
    """The result that a response holds, as JSON or as the one event of a stream."""
    text = said.text
    if said.headers["content-type"].startswith("text/event-stream"):
        text = next(line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    result: dict[str, Any] = json.loads(text)["result"]
    return result


def refusal(client: httpx.Client, tool: str, arguments: dict[str, Any]) -> str:
    """The words with which a call was refused, by the tool or at the door."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    said = client.post("/mcp", json=body, headers=HEADERS, timeout=60)
    if said.status_code == 200:
        result = result_of(said)
        assert result.get("isError"), result
    return said.text


@pytest.mark.gate
def test_a_language_model_can_ask_and_search(client: httpx.Client) -> None:
    opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    assert "tools" in call(client, "initialize", **opened)["capabilities"]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    before = client.post("/gradio_api/mcp/", json=body, headers=HEADERS)
    assert result_of(before)["tools"] == call(client, "tools/list")["tools"], "where Gradio served them"
    assert client.get("/.well-known/oauth-protected-resource/mcp").status_code == 404, "no token is needed"
    tools = {tool["name"]: tool for tool in call(client, "tools/list")["tools"]}
    assert set(tools) == {"ask", "search", "check", "audit", "index", "collections"}
    assert "verdict" in tools["ask"]["description"]
    asked = {"question": "When was the mill built by Anna Holm?", "collection": "made-up", "mode": "text"}
    said = call(client, "tools/call", name="ask", arguments=asked)
    assert not said.get("isError")
    assert "1887" in said["structuredContent"]["sentences"][0]["text"]
    assert json.loads(said["content"][0]["text"]) == said["structuredContent"]
    listed = call(client, "tools/call", name="collections", arguments={})
    assert "made-up" in [c["name"] for c in listed["structuredContent"]["collections"]]
    found = call(client, "tools/call", name="search", arguments=asked)
    nothing = call(client, "tools/call", name="index", arguments={"files": []})
    text = {"text": "The mill was built in 1887 by Anna Holm.", "collection": "made-up"}
    checked = call(client, "tools/call", name="check", arguments=text)
    entry = "@book{a, author={A. Holm}, title={The mills of the north and their wheels}, year={2009}}"
    file = {"name": "cited.bib", "base64": base64.b64encode(entry.encode()).decode()}
    audited = call(client, "tools/call", name="audit", arguments={"file": file})
    assert checked["structuredContent"]["counts"] == {"confirmed": 1}
    assert audited["structuredContent"]["counts"] == {"unknown": 1}
    answers = {"ask": said, "collections": listed, "search": found, "index": nothing}
    answers |= {"check": checked, "audit": audited}
    for name, answer in answers.items():
        jsonschema.validate(answer["structuredContent"], tools[name]["outputSchema"])
    assert found["structuredContent"]["evidence"]
    refused = call(client, "tools/call", name="ask", arguments=asked | {"collection": "nowhere"})
    assert refused.get("isError")
    assert "nowhere" in json.dumps(refused)


@pytest.mark.gate
@pytest.mark.parametrize("kind", ["pdf", "txt"])
def test_no_spelling_reads_a_file_of_the_server_or_tells_of_it(
    client: httpx.Client, served: Served, place: Path, kind: str
) -> None:
    for spelling, spelt in SPELLINGS.items():
        _is_refused(client, served, place, kind, spelling, spelt)


def _is_refused(
    client: httpx.Client, served: Served, place: Path, kind: str, spelling: str, spelt: Callable[[Path], dict[str, Any]]
) -> None:
    there, missing = place / "private" / f"vault.{kind}", place / "private" / f"fault.{kind}"
    stolen = {"collection": f"{spelling}-{kind}".replace(" ", "-")}
    told = refusal(client, "index", stolen | spelt(there))
    of_none = refusal(client, "index", stolen | spelt(missing))
    assert told.replace("vault", "fault") == of_none, f"{spelling}: tells which of the two is there"
    assert SAID not in told, spelling
    listed = call(client, "tools/call", name="collections", arguments={})["structuredContent"]["collections"]
    assert stolen["collection"] not in [c["name"] for c in listed], spelling
    assert [f for f in served.uploads.rglob("*") if f.is_file()] == [], spelling


@pytest.mark.gate
def test_the_other_tools_take_no_paths_either(client: httpx.Client, served: Served, place: Path) -> None:
    asked = {"question": "When?", "collection": "none"}
    for tool, argument in product(("ask", "search"), ("question", "documents", "image", "collection")):
        told = [
            refusal(client, tool, asked | {argument: [file] if argument == "documents" else file})
            for file in (forged(str(place / "private" / name)) for name in ("vault.pdf", "fault.pdf"))
        ]
        assert told[0].replace("vault", "fault") == told[1], (tool, argument)
    assert [f for f in served.uploads.rglob("*") if f.is_file()] == []


@pytest.mark.gate
def test_a_folder_of_the_settings_is_read_and_no_link_out_of_it(client: httpx.Client, place: Path) -> None:
    arguments = {"folder": str(place / "papers"), "collection": "barns"}
    said = call(client, "tools/call", name="index", arguments=arguments)
    assert [(f["name"], f["state"]) for f in said["structuredContent"]["files"]] == [("barn.pdf", "done")]


@pytest.mark.parametrize(
    ("size", "why"), [(2 * MB - 30, ""), (2 * MB + 30, "max_call_mb"), (4 * MB, "too large")], ids=str
)
def test_bytes_are_taken_up_to_the_limit(client: httpx.Client, size: int, why: str) -> None:
    half = base64.b64encode(b"\0" * (size // 2)).decode()
    sent = {"files": [{"name": f"{n}.pdf", "base64": half} for n in range(2)], "collection": f"of-{size}"}
    if why:
        assert why in refusal(client, "index", sent)
        assert client.get(f"/api/v1/collections/of-{size}").status_code == 404
        return
    told = call(client, "tools/call", name="index", arguments=sent)["structuredContent"]["files"]
    assert [f["bytes"] for f in told] == [size // 2] * 2


@pytest.mark.gate
def test_the_protocol_offers_nothing_but_tools(client: httpx.Client) -> None:
    for method in ("resources/list", "resources/read", "prompts/list", "prompts/get"):
        params = {"uri": "file:/etc/passwd"} if method == "resources/read" else {"name": "x"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        assert "Method not found" in client.post("/mcp", json=body, headers=HEADERS, timeout=60).text, method
