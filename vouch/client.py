"""A typed client of the HTTP API that `vouch serve` answers under /api/v1.

>>> from vouch.client import Client  # doctest: +SKIP
>>> with Client("http://127.0.0.1:7860") as client:  # doctest: +SKIP
...     answer = client.ask("samples", "How many departures were cancelled?")
...     [(s.text, s.citations[0].page) for s in answer.sentences]
[('We cancelled 1,236 of 118,400 departures, or 1.0 per cent.', 5)]

Every method raises a `ui.ClientError`: its status, and the next step in its message.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from indexing import Mode
from rag import MethodName
from ui import (
    AccessDenied,
    ClientError,
    RequestConflict,
    RequestUnfit,
    ServerAway,
    ServerTrouble,
    ThingMissing,
    TooManyRequests,
)
from ui.web.messages import (
    STREAMED,
    AnchorRecord,
    AnswerRecord,
    AuditRecord,
    CheckRecord,
    CollectionRecord,
    DocumentRecord,
    Form,
    JobRecord,
    PageRecord,
    ProblemRecord,
    RankingRecord,
)
from vouch.hooks import OptionValue

M = TypeVar("M", bound=BaseModel)
_ERRORS: Mapping[int, type[ClientError]] = {
    401: AccessDenied,
    403: AccessDenied,
    404: ThingMissing,
    409: RequestConflict,
    423: RequestConflict,
    429: TooManyRequests,
}


class DocumentsAsked(TypedDict, total=False):
    """The documents to search: those with these names or ids, or that match the filter `where`; all without these."""

    documents: list[str]
    where: str


class SearchAsked(DocumentsAsked, total=False):
    """The options of a search; the server has defaults for those that are left out."""

    mode: Mode
    queries: int
    top_k: int


class AnswerAsked(SearchAsked, total=False):
    """The options of an answer besides those of a search."""

    method: MethodName
    extract: bool
    model: str
    method_options: dict[str, OptionValue]


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """An event of an answer in progress: its name, and its data, a model of `ui.web.messages`."""

    name: str
    data: BaseModel


class Client:
    """A client of one server. Use it as a context manager, or close it."""

    def __init__(
        self,
        address: str = "http://127.0.0.1:7860",
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 120.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Keep the address of the page; nothing is sent yet. `headers` go with each request, `timeout` is seconds."""
        self._root = address.rstrip("/")
        self._http = httpx.Client(headers=dict(headers or {}), timeout=timeout, transport=transport)

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def log_in(self, name: str, password: str) -> None:
        """Begin a session on a server that has accounts. Raises AccessDenied."""
        form = {"username": name, "password": password}
        with self._send("POST", f"{self._root}/login", data=form) as response:
            response.read()

    def collections(self) -> Iterator[CollectionRecord]:
        """Iterate over the collections."""
        return self._list_items("/collections", CollectionRecord)

    def collection(self, name: str) -> CollectionRecord:
        """Return a collection."""
        return self._call(CollectionRecord, "GET", _path("collections", name))

    def make_collection(self, name: str) -> CollectionRecord:
        """Create an empty collection. Raises RequestConflict if there is one of that name."""
        return self._call(CollectionRecord, "POST", "/collections", json={"name": name})

    def delete_collection(self, name: str) -> None:
        """Delete a collection with all that is in it."""
        self._content("DELETE", _path("collections", name))

    def documents(self, collection: str, where: str | None = None) -> Iterator[DocumentRecord]:
        """Iterate over the documents of a collection, or those that match the filter `where`."""
        params = {"where": where} if where is not None else {}
        return self._list_items(_path("collections", collection, "documents"), DocumentRecord, params)

    def document(self, collection: str, document: str) -> DocumentRecord:
        """Return a document by its id."""
        return self._call(DocumentRecord, "GET", _path("collections", collection, "documents", document))

    def delete_document(self, collection: str, document: str) -> None:
        """Remove a document from a collection."""
        self._content("DELETE", _path("collections", collection, "documents", document))

    def upload(self, collection: str, *paths: Path | str, password: str | None = None) -> JobRecord:
        """Upload files, and return the job that indexes them; `password` opens locked ones. Raises OSError."""
        with ExitStack() as stack:
            files = [("files", (Path(p).name, stack.enter_context(Path(p).open("rb")))) for p in paths]
            data = {"password": password} if password is not None else None
            path = _path("collections", collection, "documents")
            return self._call(JobRecord, "POST", path, files=files, data=data)

    def jobs(self) -> Iterator[JobRecord]:
        """Iterate over your jobs, the newest first."""
        return self._list_items("/jobs", JobRecord)

    def job(self, job: str) -> JobRecord:
        """Return a job by its id, as it is now."""
        return self._call(JobRecord, "GET", _path("jobs", job))

    def cancel(self, job: str) -> JobRecord:
        """Stop a job."""
        return self._call(JobRecord, "POST", _path("jobs", job, "cancel"))

    def wait(self, job: JobRecord, every: float = 0.5) -> JobRecord:
        """Poll a job `every` so many seconds, and return it once it has ended."""
        while job.state in ("queued", "running"):
            time.sleep(every)
            job = self.job(job.id)
        return job

    def ask(self, collection: str, question: str, **options: Unpack[AnswerAsked]) -> AnswerRecord:
        """Return the answer to a question."""
        body = {"question": question, **options}
        return self._call(AnswerRecord, "POST", _path("collections", collection, "ask"), json=body)

    def stream(self, collection: str, question: str, **options: Unpack[AnswerAsked]) -> Iterator[AnswerEvent]:
        """Yield the events of an answer in progress, `answered` last; closing the iterator cancels the answer."""
        body = {"question": question, **options}
        url = f"{self._root}/api/v1{_path('collections', collection, 'ask')}"
        with self._send("POST", url, json=body, headers={"accept": "text/event-stream"}) as response:
            yield from _events(response)

    def search(self, collection: str, question: str, **options: Unpack[SearchAsked]) -> RankingRecord:
        """Return the passages that match a question, best first, without an answer."""
        body = {"question": question, **options}
        return self._call(RankingRecord, "POST", _path("collections", collection, "search"), json=body)

    def check(self, collection: str, text: str, question: str = "", **options: Unpack[DocumentsAsked]) -> CheckRecord:
        """Check the sentences of a text against the documents of a collection."""
        body = {"text": text, "question": question, **options}
        return self._call(CheckRecord, "POST", _path("collections", collection, "check"), json=body)

    def audit(self, source: Path | str, collection: str | None = None) -> AuditRecord:
        """Audit the references of a paper or a bibliography: a Path is a file, a str the entries themselves."""
        body: dict[str, Any] = {"entries": source} if isinstance(source, str) else {"file": _file(source)}
        return self._call(AuditRecord, "POST", "/audit", json=body | ({"collection": collection} if collection else {}))

    def answer(self, answer: str) -> AnswerRecord:
        """Return an answer of yours again, by its id."""
        return self._call(AnswerRecord, "GET", _path("answers", answer))

    def export(self, answer: AnswerRecord, form: Form) -> bytes:
        """Return an answer as a file: md (with pictures, a ZIP), html, pdf, csv, xlsx, json, vouch, bib or ris."""
        return self._content("GET", _path("answers", answer.id or "", "export", form))

    def page_image(self, collection: str, document: str, page: int, width: int = 1280) -> bytes:
        """Return a page as WebP, about `width` pixels across."""
        path = _path("collections", collection, "documents", document, "pages", str(page), "image")
        return self._content("GET", path, params={"width": width})

    def page(self, collection: str, document: str, page: int) -> PageRecord:
        """Return a page with the elements on it."""
        path = _path("collections", collection, "documents", document, "pages", str(page), "elements")
        return self._call(PageRecord, "GET", path)

    def resolve(self, collection: str, anchor: str) -> AnchorRecord:
        """Return the place to which an anchor, a stored citation, resolves now."""
        return self._call(AnchorRecord, "GET", _path("collections", collection, "anchors", anchor))

    def _list_items(self, path: str, model: type[M], params: Mapping[str, str] | None = None) -> Iterator[M]:
        """Yield the items of a list, which the server returns in batches."""
        cursor: str | None = None
        while True:
            query = {**(params or {}), "limit": "100"} | ({"cursor": cursor} if cursor else {})
            batch = httpx.Response(200, content=self._content("GET", path, params=query)).json()
            yield from (model.model_validate(item) for item in batch["items"])
            cursor = batch["next_cursor"]
            if cursor is None:
                return

    def _call(self, model: type[M], method: str, path: str, **arguments: Any) -> M:
        """Return the response to a request as a model. Raises ClientError."""
        try:
            return model.model_validate_json(self._content(method, path, **arguments))
        except ValidationError:
            why = f"{self._root} does not respond like the API (/api/v1) of Vouch"
            raise ServerTrouble(why, 200, "check the address, and that it runs the same version") from None

    def _content(self, method: str, path: str, **arguments: Any) -> bytes:
        with self._send(method, f"{self._root}/api/v1{path}", **arguments) as response:
            return response.read()

    @contextmanager
    def _send(self, method: str, url: str, **arguments: Any) -> Iterator[httpx.Response]:
        """Yield the response to a request before its content is read. Raises ClientError."""
        try:
            with self._http.stream(method, url, **arguments) as response:
                if response.is_error:
                    raise _error_of(response.status_code, response.read())
                yield response
        except httpx.TimeoutException:
            raise ServerAway(f"{self._root} did not answer in time", 0, "give the client a longer timeout") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerAway(f"{self._root}: {error}", 0, "start it with vouch serve, or check the address") from None


def _events(response: httpx.Response) -> Iterator[AnswerEvent]:
    """Yield the events of a stream. Raises ClientError if the answer failed or ended early."""
    name = ""
    for line in response.iter_lines():
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        elif key == "data" and name == "failed":
            raise _error_of(ProblemRecord.model_validate_json(value).status, value.encode())
        elif key == "data" and name in STREAMED:
            yield AnswerEvent(name, STREAMED[name].model_validate_json(value))
    if name != "answered":
        raise ServerAway("the answer ended early", 0, "ask again")


def _error_of(status: int, content: bytes) -> ClientError:
    """Return the error for a response with that status and content."""
    kind = _ERRORS.get(status, ServerTrouble if status >= 500 else RequestUnfit)
    try:
        problem = ProblemRecord.model_validate_json(content)
    except ValidationError:
        reason = content[:300].decode("utf-8", "replace").strip() or "no reason given"
        return kind(f"the server answered {status}: {reason}", status, "check the address and the name")
    return kind(problem.detail, status, problem.next, problem.type)


def _path(*parts: str) -> str:
    return "".join(f"/{quote(part, safe=':')}" for part in parts)


def _file(path: Path) -> dict[str, str]:
    return {"name": path.name, "base64": base64.b64encode(path.read_bytes()).decode()}
