"""A small server of the hub's protocol on loopback: it lists the files of repositories and serves them by range."""

import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Repository:
    """The files of a repository by name, and what its card says. `broken` names a file that is served cut off once."""

    files: dict[str, bytes]
    licence: str = "mit"
    broken: str = ""
    wrong: str = ""


@dataclass
class HubServer:
    """The server. `asked` has the paths that were asked for, `ranges` the first byte of each request for a part."""

    repositories: dict[str, Repository]
    asked: list[str] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Begin to serve."""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub._answer(self, body=True)

            def do_HEAD(self) -> None:
                hub._answer(self, body=False)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        """The address, for HF_ENDPOINT."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _answer(self, request: BaseHTTPRequestHandler, *, body: bool) -> None:
        path = request.path.partition("?")[0]
        self.asked.append(path)
        for name, repository in self.repositories.items():
            if path in (f"/api/models/{name}", f"/api/models/{name}/revision/{REVISION}"):
                _send(request, json.dumps(_listing(name, repository)).encode(), {}, body=body)
                return
            start = f"/{name}/resolve/{REVISION}/"
            if path.startswith(start) and path.removeprefix(start) in repository.files:
                self._file(request, repository, path.removeprefix(start), body=body)
                return
        _send(request, b"{}", {"X-Error-Code": "RepoNotFound"}, status=404, body=body)

    def _file(self, request: BaseHTTPRequestHandler, repository: Repository, name: str, *, body: bool) -> None:
        data = repository.files[name]
        digest = hashlib.sha256(data).hexdigest()
        if name == repository.wrong:
            data = data[:-1] + b"X"
        headers = {"ETag": f'"{digest}"', "X-Repo-Commit": REVISION, "Accept-Ranges": "bytes"}
        first = 0
        if part := request.headers.get("Range"):
            self.ranges.append(part)
            first = int(part.removeprefix("bytes=").partition("-")[0])
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        cut = body and name == repository.broken
        if cut:
            repository.broken = ""
        _send(request, data[first:], headers, status=206 if part else 200, body=body, cut=cut)


def _listing(name: str, repository: Repository) -> dict[str, object]:
    siblings = [
        {
            "rfilename": file,
            "size": len(data),
            "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
            **(
                {"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}}
                if file.endswith((".gguf", ".safetensors", ".onnx"))
                else {}
            ),
        }
        for file, data in repository.files.items()
    ]
    return {
        "id": name,
        "modelId": name,
        "sha": REVISION,
        "tags": [f"license:{repository.licence}"],
        "cardData": {"license": repository.licence},
        "siblings": siblings,
    }


def _send(
    request: BaseHTTPRequestHandler,
    data: bytes,
    headers: dict[str, str],
    *,
    status: int = 200,
    body: bool,
    cut: bool = False,
) -> None:
    request.send_response(status)
    for key, value in headers.items():
        request.send_header(key, value)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    if body:
        request.wfile.write(data[: len(data) // 2] if cut else data)
    if cut:
        request.close_connection = True
