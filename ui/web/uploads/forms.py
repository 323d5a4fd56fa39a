"""The files in the body of a request: they are written to disk while they arrive, so that little is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from ui.errors import Interrupted, NotKept, TooMuch, UiError, UploadError

FILES, PASSWORD = "files", "password"
"""The names of the parts of a form: each file is one of the first, the second is the password of locked ones."""
_IN_MEMORY = 65_536
_LONGEST_PASSWORD = 1024
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class SentFiles:
    """The files of a request as (name, open file) pairs, and the password of locked ones, "" for none."""

    files: tuple[tuple[str, BinaryIO], ...]
    password: str = ""

    def close(self) -> None:
        """Delete the files."""
        for _, file in self.files:
            file.close()


class _Form(MultiPartParser):
    """A parser of a form; `complete` is True once its end has been parsed."""

    spool_max_size = _IN_MEMORY
    complete = False

    def on_end(self) -> None:
        self.complete = True


async def receive_form(request: Request, most: int, too_many: str) -> SentFiles:
    """Return the files of a form, at most `most`; more raise TooMuch with the message `too_many`.

    Raises UploadError for a body that is not a complete form of files.
    """
    if "content-type" not in request.headers:  # Starlette's parser takes that for granted
        raise UploadError("the body is not a form of files (multipart/form-data): it has no content type")
    form = _Form(request.headers, request.stream(), max_files=most, max_fields=1, max_part_size=_LONGEST_PASSWORD)
    with _explain_failures(too_many):
        parts = (await form.parse()).multi_items()
    upload = SentFiles(
        tuple((_name(part), part.file) for _, part in parts if isinstance(part, UploadFile)),
        next((part for _, part in parts if isinstance(part, str)), ""),
    )
    if trouble := _trouble(parts, complete=form.complete):
        upload.close()
        raise UploadError(trouble)
    return upload


def _trouble(parts: Sequence[tuple[str, UploadFile | str]], *, complete: bool) -> str:
    """Return the message on what is wrong with a form, "" for a valid one."""
    for name, part in parts:
        if name != (PASSWORD if isinstance(part, str) else FILES):
            return f"the form has a part {name[:60]!r}: give {FILES} (with names) and {PASSWORD}"
    if not complete:
        return "the form is cut off, or not a form (multipart/form-data)"
    if not any(isinstance(part, UploadFile) for _, part in parts):
        return f"there is no file in the form: send at least one part named {FILES}"
    return ""


async def receive_body(request: Request, name: str) -> SentFiles:
    """Return the body of a request as one file of that name. Raises UploadError, NotKept, Interrupted."""
    file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - whoever gets it closes it
    try:
        with _explain_failures():
            async for piece in request.stream():
                file.write(piece)
            file.seek(0)
    except UiError:
        file.close()
        raise
    return SentFiles(((name, cast("BinaryIO", file)),))


def _name(part: UploadFile) -> str:
    return (part.filename or "")[:_LONGEST_NAME] or "document"


@contextmanager
def _explain_failures(too_many: str = "") -> Iterator[None]:
    """Turn failures while a body arrives into TooMuch, UploadError, Interrupted or NotKept."""
    try:
        yield
    except MultiPartException as error:
        if error.message.startswith("Too many files"):
            raise TooMuch(too_many) from None
        if error.message.startswith("Part exceeded"):
            raise UploadError(f"{PASSWORD}: longer than {_LONGEST_PASSWORD:,} bytes") from None
        raise UploadError(f"the body is not a form of files (multipart/form-data): {error.message}") from None
    except ClientDisconnect:
        raise Interrupted("the upload was interrupted") from None
    except OSError as error:
        raise NotKept(
            f"the file could not be saved ({error.strerror}): make room on the server, then try again"
        ) from None
