"""A small server of Google Cloud Storage's XML protocol on 127.0.0.1, in memory, written from its documentation.

It is ours, not Google's: it shows that our requests are those of the protocol, and what becomes of its refusals.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4
from xml.sax.saxutils import escape

BUCKET = "vouch-tests"
TOKEN = "MARKER-of-a-bearer-token"
"""The token that requests must bear; a mark that must never be shown."""
_PAGE = 100
"""The objects that a listing names at a time: Google's are 1,000."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object: each that is written has a generation of its own."""

    content: bytes
    generation: int
    changed: datetime

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.content, usedforsecurity=False).hexdigest()}"'


class GoogleServer(ThreadingHTTPServer):
    """The server with one bucket."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, StoredObject] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.generations = itertools.count(int(datetime.now(UTC).timestamp() * 1e6))
        self.lock = threading.Lock()

    def home(self) -> str:
        """Return the address of a home that is empty."""
        return f"gs://{BUCKET}/{uuid4().hex}/home"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which it is found."""
        return {"GOOGLE_BASE_URL": f"http://127.0.0.1:{self.server_port}", "GOOGLE_BEARER_TOKEN": TOKEN}


class _Handler(BaseHTTPRequestHandler):
    server: GoogleServer
    protocol_version = "HTTP/1.1"
    body = b""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, content: bytes = b"", **headers: str) -> None:
        """Answer; to HEAD with the headers alone."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _refuse(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code></Error>".encode(), Content_Type="application/xml")

    def _known(self) -> tuple[str, dict[str, str]] | None:
        """Return the key and the query; None for a request that is refused."""
        split = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(split.query, keep_blank_values=True).items()}
        bucket, _, key = unquote(split.path).lstrip("/").partition("/")
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._refuse(401, "AuthenticationRequired")
        elif bucket != BUCKET:
            self._refuse(404, "NoSuchBucket")
        else:
            return key, query
        return None

    def do_GET(self) -> None:
        if (known := self._known()) is None:
            return
        key, query = known
        if not key:
            self._list(query)
            return
        found = self.server.objects.get(key)
        if found is None:
            self._refuse(404, "NoSuchKey")
            return
        told = {"ETag": found.tag, "x_goog_generation": str(found.generation)}
        told["Last_Modified"] = f"{found.changed:%a, %d %b %Y %H:%M:%S GMT}"
        span, whole = self.headers.get("Range", ""), len(found.content)
        if not span.startswith("bytes=") or not whole:
            self._answer(200, found.content, **told)
            return
        first, _, last = span.removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, whole - int(last))
        end = min(int(last) if first and last else whole - 1, whole - 1)
        self._answer(206, found.content[start : end + 1], Content_Range=f"bytes {start}-{end}/{whole}", **told)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _list(self, query: dict[str, str]) -> None:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token", "") or query.get("start-after", "")
        names: dict[str, StoredObject | None] = {}
        for key, found in sorted(self.server.objects.items()):
            if key.startswith(prefix):
                rest = key[len(prefix) :]
                head, cut, _ = rest.partition(delimiter) if delimiter else (rest, "", "")
                names[prefix + head + cut] = None if cut else found
        chosen = [name for name in names if name > after]
        page, more = chosen[:_PAGE], len(chosen) > _PAGE
        lines = ["<ListBucketResult>", f"<IsTruncated>{str(more).lower()}</IsTruncated>"]
        if more:
            lines.append(f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>")
        for name in page:
            found = names[name]
            if found is None:
                lines.append(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>")
            else:
                lines.append(
                    f"<Contents><Key>{escape(name)}</Key><Size>{len(found.content)}</Size><ETag>{escape(found.tag)}</ETag>"
                    f"<Generation>{found.generation}</Generation>"
                    f"<LastModified>{found.changed:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
                )
        lines.append("</ListBucketResult>")
        self._answer(200, "".join(lines).encode(), Content_Type="application/xml")

    def _stored(self, key: str, content: bytes) -> StoredObject | None:
        """Write an object if that is asked for on a condition that holds; None where it does not."""
        wanted = self.headers.get("x-goog-if-generation-match")
        with self.server.lock:
            there = self.server.objects.get(key)
            if wanted is not None and int(wanted) != (there.generation if there else 0):
                return None
            made = StoredObject(content, next(self.server.generations), datetime.now(UTC))
            self.server.objects[key] = made
            return made

    def do_PUT(self) -> None:
        if (known := self._known()) is None:
            return
        key, query = known
        if "uploadId" in query:
            self.server.parts[query["uploadId"]][int(query["partNumber"])] = self.body
            self._answer(200, ETag=f'"{query["partNumber"]}"')
            return
        source = self.headers.get("x-goog-copy-source")
        content = self.body
        if source is not None:
            found = self.server.objects.get(unquote(source).lstrip("/").partition("/")[2])
            if found is None:
                self._refuse(404, "NoSuchKey")
                return
            content = found.content
        made = self._stored(key, content)
        if made is None:
            self._refuse(412, "PreconditionFailed")
        else:
            self._answer(200, ETag=made.tag, x_goog_generation=str(made.generation))

    def do_POST(self) -> None:
        if (known := self._known()) is None:
            return
        key, query = known
        if "uploads" in query:
            number = uuid4().hex
            self.server.parts[number] = {}
            told = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId></InitiateMultipartUploadResult>"
            self._answer(200, told.encode(), Content_Type="application/xml")
            return
        parts = self.server.parts.pop(query["uploadId"])
        made = self._stored(key, b"".join(parts[n] for n in sorted(parts)))
        if made is None:
            self._refuse(412, "PreconditionFailed")
            return
        told = f"<CompleteMultipartUploadResult><ETag>{escape(made.tag)}</ETag></CompleteMultipartUploadResult>"
        self._answer(200, told.encode(), Content_Type="application/xml", x_goog_generation=str(made.generation))

    def do_DELETE(self) -> None:
        if (known := self._known()) is None:
            return
        key, query = known
        if "uploadId" in query:
            self.server.parts.pop(query["uploadId"], None)
            self._answer(HTTPStatus.NO_CONTENT)
        elif self.server.objects.pop(key, None) is None:
            self._refuse(404, "NoSuchKey")
        else:
            self._answer(HTTPStatus.NO_CONTENT)


@contextlib.contextmanager
def google_server() -> Iterator[GoogleServer]:
    """Run the server."""
    with GoogleServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(timeout=20)
