"""Convert mail messages (EML, and MSG as Outlook saves them); attachments become documents of their own.

Constants are tags in hexadecimal; a stream's name adds the type: 001F UTF-16, 001E code page, 0102 bytes, 000D object.
A message inside the message is attached as an EML file.
"""

from __future__ import annotations

import mimetypes
import re
import struct
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import policy
from email.errors import MessageError
from email.header import Header, decode_header
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.parser import BytesParser
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path, PurePosixPath
from typing import Any

from indexing import DamagedFile, IndexingSettings, Metadata, UnsupportedFile
from indexing.conversion import Attachment, Rendition
from plugins.formats.html import html_text
from plugins.formats.texts import decode, lay_out, paragraph_blocks
from plugins.formats.typesetting import SourceBlock

MAX_ATTACHMENTS = 200
MAX_HEAD_CHARS = 2000
MAX_NAME_CHARS = 100
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f/\\:*?\"<>|\u200b-\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A message: its head, its body as plain text, its attachments, how many parts were left out, and other notes.

    `date` is ISO 8601, `sent` the date as it is shown.
    """

    subject: str = ""
    sender: str = ""
    to: str = ""
    copies: str = ""
    sent: str = ""
    date: str = ""
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()


def mail_rendition(path: Path, message: MailMessage, settings: IndexingSettings) -> Rendition:
    """Lay out a message; the places of its paragraphs are the lines of its body. Raises FileError."""
    metadata = Metadata(date=message.date, author=message.sender)
    notes = message.notes
    if message.left_out:
        notes = (*notes, f"{message.left_out} parts of the message exceed the limits and are left out.")
    return lay_out(path, list(_blocks(message)), settings, message.subject, metadata, notes, message.attachments)


def _blocks(message: MailMessage) -> Iterator[SourceBlock]:
    """Yield the blocks of a message: its subject, header fields, body, and the names of its attachments."""
    if message.subject:
        yield SourceBlock("heading", message.subject[:MAX_HEAD_CHARS], 1, "subject")
    head = (("From", message.sender), ("To", message.to), ("Cc", message.copies), ("Date", message.sent))
    lines = [f"{name}: {value[:MAX_HEAD_CHARS]}" for name, value in head if value]
    if lines:
        yield SourceBlock("text", "\n".join(lines), place="head")
    yield from paragraph_blocks(message.body, "message")
    if message.attachments:
        yield SourceBlock(
            "text", "\n".join(f"Attached: {one.name}" for one in message.attachments), place="attachments"
        )


def safe_name(name: str, number: int, mime: str = "") -> str:
    """Return a valid file name without folders for an attachment; from `number` and MIME type if it is empty."""
    name = _UNSAFE.sub("_", unicodedata.normalize("NFC", re.split(r"[/\\]", name)[-1])).strip(" .")
    if not name:
        name = f"attachment {number}{mimetypes.guess_extension(mime) or ''}"
    path = PurePosixPath(name)
    suffix = path.suffix[:20]
    return path.stem[: MAX_NAME_CHARS - len(suffix)] + suffix


def unique_names(attachments: Sequence[Attachment]) -> tuple[Attachment, ...]:
    """Return the first `MAX_ATTACHMENTS` attachments, with a number added to names that occur before."""
    uses: dict[str, int] = {}
    results = []
    for one in attachments[:MAX_ATTACHMENTS]:
        count = uses[one.name.lower()] = uses.get(one.name.lower(), 0) + 1
        path = PurePosixPath(one.name)
        results.append(one if count == 1 else Attachment(f"{path.stem} ({count}){path.suffix}", one.content))
    return tuple(results)


MAX_PARTS = 1000
MAX_NESTED = 4
"""The most messages inside each other: in one with more, inner messages are left out."""
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


SUBJECT, SENDER, SENDER_MAIL, SENDER_SMTP = "0037", "0C1A", "0C1F", "5D01"
TO, COPIES, BODY, HTML, RTF = "0E04", "0E03", "1000", "1013", "1009"
CONTENT, LONG_NAME, SHORT_NAME, MIME, CONTENT_ID = "3701", "3707", "3704", "370E", "3712"
SENT, DELIVERED, CODE_PAGE = 0x0039, 0x0E06, 0x3FDE
_TIME, _LONG = 0x0040, 0x0003  # the MAPI types of a time and of an integer
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
ATTACHED = "__attach_version1.0_"
PROPERTIES = "__properties_version1.0"
UNREAD = "The text of the message is in RTF only, which Vouch does not read: save it as a PDF."


def msg_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a message of Outlook. Raises FileError."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as file:
            if not file.exists(PROPERTIES):
                raise UnsupportedFile(f"{path.name}: not an Outlook message: give it the extension of what it is")
            message = OutlookReader(file, []).message()
    except (OSError, ValueError, IndexError, TypeError, AttributeError, RecursionError, struct.error) as error:
        why = type(error).__name__
        raise DamagedFile(f"{path.name}: a damaged message ({why}): save it again from Outlook") from None
    return mail_rendition(path, message, settings)


class OutlookReader:
    """Reads one message in a compound file; `storage` is the path of the message's folder in it."""

    def __init__(self, file: Any, storage: list[str], depth: int = 0) -> None:
        """Keep the open file, the folder, and the number of messages around this one (`depth`)."""
        self._file, self._storage, self._depth = file, storage, depth
        self._numbers = self._fixed_properties(32 if depth == 0 else 24)
        page = self._numbers.get((CODE_PAGE, _LONG), 0) & 0xFFFF
        self._charset = f"cp{page}" if page not in (0, 65001) else "utf-8"

    def message(self) -> MailMessage:
        """Return the headers, the text and the attachments of the message."""
        body = self._text_property(BODY)
        if not body.strip():
            body = html_text(self._text_property(HTML))
        notes = (UNREAD,) if not body.strip() and self._binary_property(RTF) else ()
        attachments, left_out = self._attachments()
        name, address = self._one_line(SENDER), self._one_line(SENDER_SMTP) or self._one_line(SENDER_MAIL)
        sender = f"{name} <{address}>" if name and "@" in address and address != name else name or address
        time = self._date()
        return MailMessage(
            self._one_line(SUBJECT), sender, self._one_line(TO), self._one_line(COPIES),
            f"{time:%Y-%m-%d %H:%M} UTC" if time else "", time.date().isoformat() if time else "",
            body.replace("\r\n", "\n"), unique_names(attachments), left_out, notes,
        )  # fmt: skip

    def _attachments(self) -> tuple[list[Attachment], int]:
        """Return the attachments, and the number of those that are left out."""
        level = len(self._storage)
        folders = {
            entry[level]: None
            for entry in self._file.listdir(streams=True, storages=True)
            if entry[:level] == self._storage and len(entry) > level and entry[level].startswith(ATTACHED)
        }
        attachments: list[Attachment] = []
        for folder in list(folders)[:MAX_ATTACHMENTS]:
            one = self._attachment(folder, len(attachments) + 1)
            if one is not None:
                attachments.append(one)
        return attachments, len(folders) - len(attachments)

    def _attachment(self, folder: str, number: int) -> Attachment | None:
        """Return an attachment; None if it is empty, a picture inside the text, or nested too deeply."""
        inner = [*self._storage, folder]
        name = self._one_line(LONG_NAME, inner) or self._one_line(SHORT_NAME, inner)
        path = [*inner, f"__substg1.0_{CONTENT}000D"]
        if self._file.exists("/".join([*path, PROPERTIES])):
            if self._depth >= MAX_NESTED:
                return None
            message = OutlookReader(self._file, path, self._depth + 1).message()
            return Attachment(safe_name(f"{name or message.subject or 'message'}.eml", number), _as_eml(message))
        content = self._binary_property(CONTENT, inner)
        mime = self._one_line(MIME, inner)
        if not content or (mime.startswith("image/") and self._one_line(CONTENT_ID, inner)):
            return None
        return Attachment(safe_name(name, number, mime), content)

    def _fixed_properties(self, head: int) -> dict[tuple[int, int], int]:
        """Return integers and times of the message by (tag, type); they follow `head` bytes in their stream."""
        data = self._stream(PROPERTIES, self._storage)[head:]
        return {(tag, kind): value for kind, tag, _, value in struct.iter_unpack("<HHIQ", data[: len(data) // 16 * 16])}

    def _date(self) -> datetime | None:
        ticks = self._numbers.get((SENT, _TIME)) or self._numbers.get((DELIVERED, _TIME))
        try:
            return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def _one_line(self, tag: str, storage: list[str] | None = None) -> str:
        return " ".join(self._text_property(tag, storage).split())

    def _text_property(self, tag: str, storage: list[str] | None = None) -> str:
        """Return a text by its MAPI tag, "" without one; the type of its stream decides the encoding."""
        utf_16 = self._stream(f"__substg1.0_{tag}001F", storage)
        if utf_16:
            return utf_16.decode("utf-16-le", "replace").replace("\0", "")
        data = self._stream(f"__substg1.0_{tag}001E", storage) or self._binary_property(tag, storage)
        return decode(data, self._charset).replace("\0", "")

    def _binary_property(self, tag: str, storage: list[str] | None = None) -> bytes:
        return self._stream(f"__substg1.0_{tag}0102", storage)

    def _stream(self, name: str, storage: list[str] | None = None) -> bytes:
        path = "/".join([*(self._storage if storage is None else storage), name])
        if not self._file.exists(path) or self._file.get_type(path) != 2:
            return b""
        with self._file.openstream(path) as stream:
            content: bytes = stream.read()
        return content


def _as_eml(message: MailMessage) -> bytes:
    mail = MIMEMultipart()
    head = (("Subject", message.subject), ("From", message.sender), ("To", message.to), ("Cc", message.copies))
    for name, value in head:
        if value:
            mail.add_header(name, Header(value.encode("utf-8", "replace").decode(), "utf-8").encode())
    if message.date:
        mail["Date"] = format_datetime(datetime.fromisoformat(message.date).replace(tzinfo=UTC))
    mail.attach(MIMEText(message.body.encode("utf-8", "replace").decode(), "plain", "utf-8"))
    for one in message.attachments:
        part = MIMEApplication(one.content)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", one.name))
        mail.attach(part)
    return mail.as_bytes()
