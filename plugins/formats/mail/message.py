"""A mail message of any format: its headers, body and attachments; and its rendition."""

from __future__ import annotations

import mimetypes
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from indexing import IndexingSettings, Metadata
from indexing.conversion import Attachment, Rendition
from plugins.formats.texts import lay_out, paragraph_blocks
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
