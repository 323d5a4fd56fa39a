"""Jobs: files on their way into a collection."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ui.web.messages.records import ApiRecord, ListPart

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
FileState = Literal["waiting", "reading", "done", "failed", "cancelled", "forgotten"]


class FileRecord(ApiRecord):
    """A file of a job."""

    name: str
    state: FileState
    page: int = Field(description="the pages read so far")
    pages: int = Field(description="all pages; 0 while unknown")
    bytes: int
    note: str = Field(description="the outcome, or the reason")
    document: str | None = Field(description="the id of the document, once it is read; null for an archive")


class JobRecord(ApiRecord):
    """A job: files on their way into a collection."""

    id: str
    collection: str
    state: JobState = Field(
        description="failed: at least one file failed; cancelled: at least one was cancelled, and none failed"
    )
    created: str
    files: list[FileRecord]
    progress: float = Field(ge=0, le=1, description="the finished share")


class JobList(ListPart):
    """Jobs of the caller, the newest first."""

    items: list[JobRecord]
