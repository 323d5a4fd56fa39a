"""Collections, documents, pages and anchors by HTTP, in parts; refusals say what to do next."""

import io
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from PIL import Image

from indexing import Document
from tests.ui.web.api.api_server import serving_api
from ui.web.messages import PageRecord, ProblemRecord

pytestmark = pytest.mark.slow
Shelf = tuple[Path, Document]


def refused(response: httpx.Response, status: int) -> ProblemRecord:
    """The problem that a refusal is told by."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    problem = ProblemRecord.model_validate_json(response.content)
    assert problem.status == status
    assert problem.type.startswith("urn:vouch:problem:")
    assert problem.detail
    assert problem.next
    return problem


def test_a_damaged_collection_is_told_of_without_the_folders_of_the_server(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "broken").mkdir(parents=True)
    (home / "broken" / "collection.json").write_text("{")
    with (
        serving_api(home, tmp_path / "arrived") as running,
        httpx.Client(base_url=running.root, timeout=60) as client,
    ):
        (listed,) = client.get("/api/v1/collections").json()["items"]
        detail = refused(client.get("/api/v1/collections/broken/documents"), 503).detail
    assert listed["trouble"].startswith("collection.json cannot be read")
    assert detail == listed["trouble"]
    assert str(tmp_path) not in str((listed, detail))


@pytest.mark.gate
def test_a_page_is_drawn_and_its_elements_have_boxes(api: httpx.Client, shelf: Shelf) -> None:
    page = f"/collections/made-up/documents/{shelf[1].id}/pages/1"
    image = api.get(f"{page}/image", params={"width": 300})
    assert image.headers["cache-control"] == "private, max-age=86400"
    assert Image.open(io.BytesIO(image.content)).size[0] == 640
    assert image.headers["content-type"] == "image/webp"
    told = PageRecord.model_validate(api.get(f"{page}/elements").json())
    assert told.elements[0].text.startswith("The mill was built in 1887")
    assert all(0 <= v <= 1 for e in told.elements for v in e.bbox)
    assert refused(api.get(page.replace("pages/1", "pages/2") + "/image"), 404).type.endswith("no-such-page")
    refused(api.get(f"{page}/image", params={"width": 0}), 422)
    refused(api.get(f"{page}/image", params={"wdth": 9}), 422)


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "why"),
    [
        ("GET", "/nowhere", {}, 404, "nothing at this address"),
        ("GET", "/collections/nowhere", {}, 404, "no such collection"),
        ("GET", "/collections/n%2Fo", {}, 404, "nothing at this address"),
        ("GET", "/collections/...", {}, 404, "not a valid collection"),
        ("GET", "/collections/-x", {}, 404, "not a valid collection"),
        ("GET", "/collections/made-up/documents/mill.pdf", {}, 404, "no document with that id"),
        ("GET", "/collections/made-up/documents/x/pages/01/image", {}, 404, "that is not a valid page"),
        ("GET", "/collections?limit=x", {}, 422, "limit"),
        ("GET", "/collections/made-up?x=1", {}, 422, "none is expected"),
        ("PUT", "/collections", {}, 405, "GET, HEAD, OPTIONS, POST"),
        ("GET", "/audit", {}, 405, "OPTIONS, POST"),
        (
            "DELETE", "/collections/made-up", {"headers": {"content-length": "1"}, "content": b"x"}, 400,
            "may not have a body",
        ),
        ("POST", "/collections", {"data": {"name": "x"}}, 415, "content type of the body is not JSON"),
        ("POST", "/collections", {"json": ["x"]}, 422, "the body is not valid"),
        ("POST", "/collections", {"json": {"name": 3}}, 422, "name"),
        ("POST", "/collections", {"json": {"name": "x", "nmae": 3}}, 422, "did you mean name?"),
        ("POST", "/collections", {"json": {"name": "x" * 1_000_001}}, 413, "1,000,000 bytes"),
        ("GET", "/collections", {"headers": {"origin": "http://evil.example"}}, 403, "other sites"),
        ("POST", "/collections", {"json": {"name": "x"}, "headers": {"sec-fetch-site": "cross-site"}}, 403, "other"),
        ("GET", "/collections", {"headers": {"host": "evil.example"}}, 403, "other sites"),
    ],
)  # fmt: skip
def test_each_refusal_is_a_problem(
    api: httpx.Client, method: str, path: str, sent: dict[str, Any], status: int, why: str
) -> None:
    said = api.request(method, path, **sent)
    assert why in refused(said, status).detail
    if status == 405:
        assert said.headers["allow"] == why


HOSTILE = {
    "no JSON": b"{",
    "no text": b"\x86{}",
    "nested deeply": b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number of many digits": b'{"question": "x", "top_k": ' + b"9" * 10_000 + b"}",
    "a huge float": b'{"question": "x", "top_k": 1e400}',
    "no number": b'{"question": "x", "top_k": NaN}',
    "half a character": b'{"question": "\\ud800"}',
    "a text for a number": b'{"question": "x", "top_k": "3"}',
    "an object for a text": b'{"question": {"$ne": null}}',
    "a list": b"[]",
    "nothing": b"",
}


@pytest.mark.gate
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_is_a_problem(api: httpx.Client, name: str) -> None:
    """Whatever stands in a body, it is refused before any work begins."""
    for path in ("ask", "search"):
        sent = api.post(
            f"/collections/made-up/{path}", content=HOSTILE[name], headers={"content-type": "application/json"}
        )
        assert sent.status_code in (400, 422), (path, sent.text)
        refused(sent, sent.status_code)


def test_the_description_is_valid_and_complete(api: httpx.Client) -> None:
    said = api.get("/openapi.json").json()
    assert said["openapi"] == "3.1.0"
    for schema in said["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    paths = {path.removeprefix("/api/v1/") for path in said["paths"]}
    assert {
        "collections",
        "collections/{collection}/ask",
        "audit",
        "answers/{answer}/export/{form}",
        "jobs/{job}",
    } < paths
    for methods in said["paths"].values():
        for one in methods.values():
            content = one["responses"]["default"]["content"]
            assert content["application/problem+json"]["schema"]["$ref"].endswith("ProblemRecord")
            assert one["summary"]
            assert ("x-least-role" in one) == (one["tags"] != ["start"] and one["operationId"] != "describe")
    assert "max_file_mb" in said["info"]["description"]
