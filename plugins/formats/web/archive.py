"""Pages that were saved: HTML files, MHTML, and web archives (WARC), each read into a page and what belongs to it."""

from __future__ import annotations

import email
import hashlib
import http.client
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from itertools import islice
from pathlib import Path
from typing import IO
from urllib.parse import quote, urljoin

from lxml import etree

from indexing import DamagedFile, IndexingSettings, NoPages, TooLarge, UnsupportedFile
from plugins.formats.web.gate import WebResource

NOWHERE = "https://page.invalid/"
"""The address of a page that has none: no name ends in .invalid (RFC 2606)."""
MAX_PARTS = 20_000
MAX_LINE = 65_536
_HTML = ("text/html", "application/xhtml+xml")
_CID = re.compile(rb"cid:([^\"'\s)<>]{1,300})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page as it was saved: its address ("" unknown), itself, what belongs to it by address, notes for the report."""

    url: str
    page: WebResource
    resources: dict[str, WebResource] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """The address that it is shown at: its own if that is one of the web."""
        return self.url if self.url.startswith(("https://", "http://")) else NOWHERE


def read_saved(path: Path, settings: IndexingSettings) -> SavedPage:
    """Read the page of a file by its extension. Raises the FileError that fits."""
    suffix = path.suffix.lower()
    content = _content(path, settings, packed=suffix in (".gz", ".warc"))
    if suffix in (".mhtml", ".mht"):
        return _mhtml(content, path.name)
    if suffix in (".warc", ".gz"):
        if not content.startswith(b"WARC/"):
            raise UnsupportedFile(f"{path.name}: not a web archive although its extension is {suffix}: unpack it first")
        return _warc(io.BytesIO(content), path.name, settings)
    return saved_html(content, xml=suffix == ".xhtml")


def saved_html(content: bytes, *, xml: bool = False) -> SavedPage:
    """Return a page that is nothing but its HTML. It is read as XHTML if it says so, and holds to it."""
    media_type = "application/xhtml+xml" if xml and _is_xhtml(content) else "text/html"
    return SavedPage("", WebResource(NOWHERE, media_type + _charset(content), content))


def _content(path: Path, settings: IndexingSettings, *, packed: bool) -> bytes:
    """Return the content of a file, unpacked if it is gzip, within the limits."""
    most = settings.web_mb * 1024 * 1024
    with path.open("rb") as file:
        content = file.read(most + 1)
    if packed and content.startswith(b"\x1f\x8b") and len(content) <= most:
        content = _unzipped(content, most, path.name)
    if len(content) > most:
        raise TooLarge(f"{path.name}: more than {settings.web_mb} MB: raise web_mb to allow more")
    return content


def _unzipped(content: bytes, most: int, name: str) -> bytes:
    """Return what gzip packed, member after member as web archives have it, up to one byte more than `most`."""
    found = bytearray()
    while content and len(found) <= most:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            found += unpacker.decompress(content, most + 1 - len(found))
        except zlib.error as error:
            raise DamagedFile(f"{name}: damaged ({str(error)[:120]}): get it again") from None
        if not unpacker.eof and len(found) <= most:
            raise DamagedFile(f"{name}: damaged, it ends too early: get it again")
        content = unpacker.unused_data.lstrip(b"\0")
    return bytes(found)


def _charset(content: bytes) -> str:
    """Return the character set to declare: UTF-8 where only that fits; else the browser finds out."""
    if content.isascii() or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "; charset=utf-8"


def _is_xhtml(content: bytes) -> bool:
    """Return True for XML without entities of its own, which a browser can read as such."""
    if b"<!ENTITY" in content:
        return False
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return False
    return True


# ---- MHTML ----------------------------------------------------------------------------------------------------------


def _mhtml(content: bytes, name: str) -> SavedPage:
    """Return the page of an MHTML file: its first part in HTML, with the other parts by their locations and ids."""
    if b"mime-version" not in content[: 4 * MAX_LINE].lower():
        raise DamagedFile(f"{name}: not MHTML although its extension says so: save the page again")
    try:
        message = email.message_from_bytes(content)
    except RecursionError:
        raise DamagedFile(f"{name}: its parts are nested too deeply: save the page again") from None
    parts = [part for part in islice(_parts(message), MAX_PARTS) if not part.is_multipart()]
    first = next((part for part in parts if part.get_content_type() in _HTML), None)
    if first is None:
        raise NoPages(f"{name}: contains no HTML page: save the page again")
    url = _header(message, "Snapshot-Content-Location") or _header(first, "Content-Location")
    base = url if url.startswith(("http://", "https://")) else NOWHERE
    page = _resource(first, base)
    if page is None:
        raise DamagedFile(f"{name}: its page cannot be decoded: save it again")
    resources: dict[str, WebResource] = {}
    for part in parts:
        resource = _resource(part, base)
        if resource is not None and part is not first:
            resources.setdefault(resource.url, resource)
            if cid := _header(part, "Content-ID").strip("<>"):
                resources.setdefault(_cid_url(cid), resource)
    return SavedPage(url if base == url else "", page, resources)


def _parts(message: Message) -> Iterator[Message]:
    """Yield a message and the parts in it, in their order, however deep they lie."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        inside = part.get_payload()
        if isinstance(inside, list):
            waiting += reversed([one for one in inside if isinstance(one, Message)])


def _resource(part: Message, base: str) -> WebResource | None:
    body = part.get_payload(decode=True)
    if not isinstance(body, bytes):
        return None
    kind = part.get_content_type()
    if kind in (*_HTML, "text/css"):
        body = _CID.sub(lambda match: _cid_url(match[1].decode("latin-1")).encode("ascii"), body)
    charset = part.get_content_charset()
    if charset and charset.isascii():
        media_type = f"{kind}; charset={charset}"
    else:
        media_type = kind + (_charset(body) if kind in _HTML else "")
    try:
        url = urljoin(base, _header(part, "Content-Location")).partition("#")[0]
    except ValueError:
        url = NOWHERE
    return WebResource(url, _printable(media_type), body, "*")


def _cid_url(cid: str) -> str:
    return f"{NOWHERE}cid/{quote(cid, safe='@.-_~')}"


def _header(part: Message, name: str) -> str:
    return _printable(str(part.get(name) or ""))


def _printable(text: str) -> str:
    return "".join(c for c in text if " " <= c <= "~").strip()[:4000]


# ---- WARC -----------------------------------------------------------------------------------------------------------


def _warc(file: IO[bytes], name: str, settings: IndexingSettings) -> SavedPage:
    """Return the first page of a web archive that was there (200, HTML), with all that the archive holds besides."""
    main: WebResource | None = None
    resources: dict[str, WebResource] = {}
    pages, room = 0, settings.max_unpacked_mb * 1024 * 1024
    for resource, is_response in _records(file, name):
        room -= len(resource.content)
        if room < 0:
            raise TooLarge(
                f"{name}: unpacks to more than {settings.max_unpacked_mb} MB: raise max_unpacked_mb to allow more"
            )
        page = is_response and resource.media_type.partition(";")[0].strip().lower() in _HTML
        pages += page
        if page and main is None:
            main = resource
        else:
            resources.setdefault(resource.url, resource)
    if main is None:
        raise NoPages(f"{name}: contains no HTML page that was fetched successfully: make the archive again")
    note = (f"{name} contains {pages} pages; only the first is read, {main.url[:200]}",) if pages > 1 else ()
    return SavedPage(main.url, main, resources, note)


def _records(file: IO[bytes], name: str) -> Iterator[tuple[WebResource, bool]]:
    """Yield what a web archive holds, True with what a server answered; what cannot be read is left out."""
    for _ in range(MAX_PARTS):
        line = file.readline(MAX_LINE)
        while line in (b"\r\n", b"\n"):
            line = file.readline(MAX_LINE)
        if not line:
            return
        if not line.startswith(b"WARC/"):
            raise DamagedFile(f"{name}: damaged, a record is malformed: make the archive again")
        headers = http.client.parse_headers(file)
        length = headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise DamagedFile(f"{name}: damaged, a record without a length: make the archive again")
        content = file.read(int(length[:12]))
        url = _printable(headers.get("WARC-Target-URI", "")).strip("<>").partition("#")[0]
        kind = headers.get("WARC-Type", "").lower()
        if kind == "response" and "http" in headers.get("Content-Type", ""):
            found = _answer(content, url)
            if found is not None:
                yield found, True
        elif kind == "resource":
            yield WebResource(url, _printable(headers.get("Content-Type", "")), content, "*"), False


class _Stored:
    """The bytes of an answer in the place of the connection that http.client reads from."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def makefile(self, mode: str) -> IO[bytes]:
        """Return them as a file; `mode` is always that of reading bytes."""
        return io.BytesIO(self._content if mode == "rb" else b"")


def _answer(content: bytes, url: str) -> WebResource | None:
    """Return what a server answered, if it was there (200) and is whole, without its codings."""
    response = http.client.HTTPResponse(_Stored(content))  # type: ignore[arg-type]  # it asks for makefile alone
    try:
        response.begin()
        if response.status != 200:
            return None
        body, coding = response.read(), response.headers.get("content-encoding", "identity").strip().lower()
        if coding in ("gzip", "x-gzip", "deflate"):
            body = zlib.decompressobj(wbits=47).decompress(body, 50 * len(content) + MAX_LINE)
        elif coding != "identity":
            return None
    except (http.client.HTTPException, OSError, ValueError, zlib.error):
        return None
    return WebResource(url, _printable(response.headers.get("content-type", "")), body, "*")


def to_warc(main: WebResource, resources: dict[str, WebResource]) -> bytes:
    """Return a web archive of a page and what belongs to it, each under the address that it was asked for by."""
    parts = [(main.url, main), *((url, one) for url, one in resources.items() if one is not main)]
    return b"".join(_record(url, resource) for url, resource in parts)


def _record(url: str, resource: WebResource) -> bytes:
    headers = {
        "Content-Type": _printable(resource.media_type),
        "Access-Control-Allow-Origin": _printable(resource.shared),
        "Content-Length": str(len(resource.content)),
    }
    body = _head("HTTP/1.1 200 OK", headers) + resource.content
    record = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:sha256:{hashlib.sha256(url.encode() + body).hexdigest()}>",
        "WARC-Target-URI": _printable(url),
        "WARC-Date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(body)),
    }
    return _head("WARC/1.1", record) + body + b"\r\n\r\n"


def _head(first: str, headers: dict[str, str]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers.items() if value), "", ""]
    return "\r\n".join(lines).encode("ascii")
