"""MSG: a message as Outlook saves it, read from the streams of its compound file, named by MAPI property tags.

Constants are tags in hexadecimal; a stream's name adds the type: 001F UTF-16, 001E code page, 0102 bytes, 000D object.
A message inside the message is attached as an EML file.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from indexing import DamagedFile, IndexingSettings, UnsupportedFile
from indexing.conversion import Attachment, Rendition
from plugins.formats.html import html_text
from plugins.formats.mail.message import MAX_ATTACHMENTS, MailMessage, mail_rendition, safe_name, unique_names
from plugins.formats.texts import decode

MAX_NESTED = 4
"""The most messages inside each other that are taken out."""
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
