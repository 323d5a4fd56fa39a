"""Files that come as the body of a request: written into a folder while they come, one at a time, nothing in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from ui.errors import NotKept, TooMuch, UploadError

FILES, PASSWORD = "files", "password"
"""The names of the parts of a form: each file is one of the first, the second is the password of locked ones."""
_LONGEST_PASSWORD = 1024
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that has come: its name as it was sent, its place, and the SHA-256 of its content."""

    name: str
    path: Path
    sha256: str


class IncomingFiles:
    """The files of one request in a folder: of a form (multipart/form-data), or one that is the body itself."""

    def __init__(self, folder: Path, most: int, content_type: str = "", name: str = "") -> None:
        """Begin; at most `most` files are taken. Raises UploadError for a form without a boundary."""
        self.files: list[IncomingFile] = []
        self.password = ""
        self._folder = folder
        self._most = most
        self._open: BinaryIO | None = None
        self._digest = hashlib.sha256()
        self._name = name
        self._parser = None if name else self._form_parser(content_type)
        self._ended = False
        self._header, self._value, self._disposition = bytearray(), bytearray(), b""
        self._field = ""
        self._said = bytearray()
        if name:
            self._begin_file(name)

    def take(self, piece: bytes) -> None:
        """Take a piece of the body. Raises UploadError."""
        if self._parser is None:
            self._write(piece)
            return
        try:
            self._parser.write(piece)
        except FormParserError:
            raise UploadError("the body is not a form (multipart/form-data)") from None

    def end(self) -> None:
        """Take note that all has come. Raises UploadError for a form that was cut off, or that holds no file."""
        if self._parser is None:
            self._end_file()
        elif not self._ended:
            raise UploadError("the form is cut off, or not a form (multipart/form-data)")
        if not self.files:
            raise UploadError(f"there is no file in the form: send at least one part named {FILES}")

    def close(self) -> None:
        """Close the file that is being written, if any."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _form_parser(self, content_type: str) -> MultipartParser:
        _, options = parse_options_header(content_type.encode())
        if not options.get(b"boundary"):
            raise UploadError("the form has no boundary: let the client set the content type")
        return MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin_part,
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": lambda data, start, end: self._data(data[start:end]),
                "on_part_end": self._end_part,
                "on_end": self._end_form,
            },
        )

    def _begin_part(self) -> None:
        self._disposition = b""
        self._said.clear()

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _end_headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._field = options.get(b"name", b"").decode("utf-8", "replace")
        name = options.get(b"filename")
        if name is not None and self._field == FILES:
            self._begin_file(name.decode("utf-8", "replace"))
        elif name is not None or self._field != PASSWORD:
            raise UploadError(f"the form has a part {self._field[:60]!r}: give {FILES} (with names) and {PASSWORD}")

    def _data(self, piece: bytes) -> None:
        if self._open is not None:
            self._write(piece)
        else:
            self._said += piece
            if len(self._said) > _LONGEST_PASSWORD:
                raise UploadError(f"{PASSWORD}: longer than {_LONGEST_PASSWORD:,} bytes")

    def _end_part(self) -> None:
        if self._open is not None:
            self._end_file()
        else:
            self.password = self._said.decode("utf-8", "replace")

    def _end_form(self) -> None:
        self._ended = True

    def _begin_file(self, name: str) -> None:
        if len(self.files) >= self._most:
            raise TooMuch(f"more than {self._most:,} files at a time (max_files): send fewer")
        self._name = name[:_LONGEST_NAME] or "document"
        self._digest = hashlib.sha256()
        try:
            self._open = (self._folder / str(len(self.files) + 1)).open("xb")
        except OSError as error:
            raise _not_kept(error) from None

    def _write(self, piece: bytes) -> None:
        assert self._open is not None  # noqa: S101 - a file was begun
        self._digest.update(piece)
        try:
            self._open.write(piece)
        except OSError as error:
            raise _not_kept(error) from None

    def _end_file(self) -> None:
        path = self._folder / str(len(self.files) + 1)
        try:
            self.close()
        except OSError as error:
            raise _not_kept(error) from None
        self.files.append(IncomingFile(self._name, path, self._digest.hexdigest()))


def _not_kept(error: OSError) -> NotKept:
    return NotKept(f"the file could not be saved ({error.strerror}): make room on the server, then send it again")
