"""EML: a mail message in the internet format. Plain text is preferred to HTML; nested parts are read to a depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from indexing import DamagedFile, IndexingSettings, UnsupportedFile
from indexing.conversion import Attachment, Rendition
from plugins.formats.html import html_text
from plugins.formats.mail.message import MAX_ATTACHMENTS, MailMessage, mail_rendition, safe_name, unique_names
from plugins.formats.texts import decode

MAX_PARTS = 1000
MAX_NESTED = 4
"""The most messages inside each other: in a mail with more, inner messages are left out."""
MAX_DEPTH = 60
"""The most parts inside each other."""
_HEAD = re.compile(r"[!-9;-~]{1,100}[ \t]{0,20}:")
MAX_BOUNDARIES = 300
"""The most multiparts of a file: more are an attack, as each boundary is searched in every line."""


def eml_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a message. Raises FileError."""
    data = path.read_bytes()
    head = data[:1000].decode("latin-1").lstrip("\r\n\xef\xbb\xbf")
    if _HEAD.match(head) is None and not data.startswith(b"From "):
        raise UnsupportedFile(
            f"{path.name}: not a mail message, as it does not begin with headers: rename it, or export it again"
        )
    if data.lower().count(b"boundary=") > MAX_BOUNDARIES:
        raise DamagedFile(
            f"{path.name}: more than {MAX_BOUNDARIES} nested parts, which no mail program writes: export it again"
        )
    try:
        message = BytesParser(policy=policy.compat32).parsebytes(data)
        mail = MailReader().message(message)
    except (MessageError, RecursionError, LookupError, ValueError, AssertionError) as error:
        why = "parts are nested too deeply" if isinstance(error, RecursionError) else type(error).__name__
        raise DamagedFile(f"{path.name}: a damaged message ({why}): export it again") from None
    return mail_rendition(path, mail, settings)


@dataclass(slots=True)
class MailReader:
    """Collects the texts and attachments of a message, and counts the parts that are left out."""

    plain: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    files: list[Attachment] = field(default_factory=list)
    left_out: int = 0
    _parts: int = 0
    _too_deep: bool = False

    def message(self, message: Message) -> MailMessage:
        """Return the headers, the text and the attachments of a message."""
        self._too_deep = _nesting_depth(message) > MAX_NESTED
        self._read_part(message, 0)
        body = "\n\n".join(text for text in self.plain if text.strip())
        if not body.strip():
            body = "\n\n".join(html_text(text) for text in self.html)
        date_text, date = _date(message)
        more = max(0, len(self.files) - MAX_ATTACHMENTS) + self.left_out
        subject, sender, to, copies = (_field(message, name) for name in ("Subject", "From", "To", "Cc"))
        return MailMessage(subject, sender, to, copies, date_text, date, body, unique_names(self.files), more)

    def _read_part(self, part: Message, depth: int) -> None:
        """Collect the text or the attachment of a part; read the parts of a multipart at the next depth."""
        self._parts += 1
        if self._parts > MAX_PARTS or depth > MAX_DEPTH:
            self.left_out += 1
            return
        kind = part.get_content_type()
        if kind == "message/rfc822":
            self._attach_message(part)
        elif part.is_multipart():
            for inner in _subparts(part):
                self._read_part(inner, depth + 1)
        elif part.get_content_disposition() != "attachment" and not _file_name(part) and kind.startswith("text/"):
            text = decode(_payload(part), part.get_content_charset("") or "").replace("\0", "")
            (self.html if kind == "text/html" else self.plain).append(text.replace("\r\n", "\n"))
        elif not (kind.startswith("image/") and part.get("Content-ID")):  # not a picture inside the text
            content = _payload(part)
            if content:
                self.files.append(Attachment(safe_name(_file_name(part), len(self.files) + 1, kind), content))

    def _attach_message(self, part: Message) -> None:
        inner = next(_subparts(part), None)
        if inner is None or self._too_deep:
            self.left_out += 1
            return
        name = _file_name(part) or _field(inner, "Subject")[:80] or "message"
        name = safe_name(name, len(self.files) + 1)
        name = name if name.lower().endswith(".eml") else f"{name}.eml"
        self.files.append(Attachment(name, inner.as_bytes()))


def _subparts(part: Message) -> Iterator[Message]:
    payload = part.get_payload()
    yield from (one for one in payload if isinstance(one, Message)) if isinstance(payload, list) else ()


def _nesting_depth(message: Message) -> int:
    """Return how many messages are inside each other at most."""
    most = 0
    waiting = [(message, 0)]
    while waiting:
        part, depth = waiting.pop()
        depth += part.get_content_type() == "message/rfc822"
        most = max(most, depth)
        waiting += [(inner, depth) for inner in _subparts(part)]
    return most


def _payload(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _file_name(part: Message) -> str:
    try:
        return _display_value(part.get_filename())
    except (ValueError, LookupError, TypeError):
        return ""


def _field(message: Message, name: str) -> str:
    """Return the first header field of a name, decoded; raw non-ASCII bytes, which are not allowed, are guessed."""
    value = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if isinstance(value, str) and not value.isascii():
        value = decode(value.encode("utf-8", "surrogateescape"))
    return _display_value(value)


def _display_value(value: Any) -> str:
    """Decode the encoded words of a header value (RFC 2047); return it on one line, "" for None."""
    if value is None:
        return ""
    try:
        parts = decode_header(str(value)[:20_000])
        text = "".join(one if isinstance(one, str) else decode(one, charset or "") for one, charset in parts)
    except (MessageError, ValueError, LookupError):
        text = str(value)
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def _date(message: Message) -> tuple[str, str]:
    """Return the Date field of a message as written, and its day as ISO 8601 ("" if it cannot be parsed)."""
    date_text = _field(message, "Date")[:100]
    try:
        return date_text, parsedate_to_datetime(date_text).date().isoformat() if date_text else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return date_text, ""
