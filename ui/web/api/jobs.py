"""Jobs: files that a program sends are read into a collection; it can ask for the progress, and cancel the job.

A job belongs to its caller alone, and is stored in the state of the server. After a restart, files that had not been
read are reported as to be sent again.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, BinaryIO

import anyio.to_thread
from fastapi import Query
from starlette.responses import Response

from indexing import IndexingError
from ui.errors import ApiRefusal, UiError
from ui.state import JobStore, StoredJob, StoredJobFile
from ui.web.api.collections import next_link, part_of
from ui.web.api.routing import ApiCall, CollectionName, CurrentCall, JobId, OperationRouter, Rules
from ui.web.messages import JobList, JobRecord, JobState, ListingQuery, UploadQuery, record_of
from ui.web.uploads import FILES, PASSWORD, QueuedFile, SentFiles, receive_body, receive_form

if TYPE_CHECKING:
    from ui.web.ask import Asking
    from ui.web.uploads import Uploads

_FORM, _RAW = "multipart/form-data", "application/octet-stream"
_FORGOTTEN = "its outcome is no longer known: look at the documents of the collection"
_MISSING = "it is not among the documents of the collection, nor waiting: send it again"


class Jobs:
    """The jobs of all callers. Every method may be called from any thread."""

    def __init__(self, uploads: Uploads, asking: Asking) -> None:
        """Keep the uploads, whose queue works on them, and the state in which jobs are kept."""
        self._uploads = uploads
        self._queue = uploads.upload_queue
        self._collections = asking.open_collections
        self._store = JobStore(asking.state)
        self._callers: set[str] = set()
        self._collections.at_close(self._close)

    def begin(
        self, who: str, collection: str, files: Sequence[tuple[str, BinaryIO]], password: str, account: str
    ) -> JobRecord:
        """Start to read files into a collection, and return the new job's record."""
        self._callers.add(who)
        items = self._uploads.receive_files(_owner(who), collection, files, password, account)
        stored_files = tuple(_stored_file(item, document) for item, document in items)
        job_id, now = secrets.token_hex(16), datetime.now(UTC)
        number = self._store.keep(job_id, who, collection, now, stored_files)
        return self.record(StoredJob(number, job_id, who, collection, now.isoformat(timespec="seconds"), stored_files))

    def all(self, who: str) -> tuple[StoredJob, ...]:
        """Return the jobs of a caller, also those from before a restart, the oldest first."""
        return self._store.of(who)

    def one(self, who: str, job_id: str) -> StoredJob:
        """Return a job of a caller by its id. Raises ApiRefusal, 404, also for somebody else's."""
        job = next((job for job in self.all(who) if job.id == job_id), None)
        if job is None:
            raise _no_such_job()
        return job

    def record(self, job: StoredJob) -> JobRecord:
        """Return the progress of a job as a record, and store the outcome of its files."""
        files, queued_ids = self._follow(job)
        lost_files = [file for file in files if _is_open(file) and file.queued not in queued_ids]
        documents = self._documents(job.collection) if lost_files else None
        return _record(job, [_lost_file(file, documents) if file in lost_files else file for file in files])

    def _follow(self, job: StoredJob) -> tuple[tuple[StoredJobFile, ...], frozenset[str]]:
        """Return the files of a job as they are now, and the queue's ids of those in it; store what has changed."""
        owner = _owner(job.owner)
        items = {item.id: item for item in self._queue.items(owner)}
        files = tuple(_stored_file(items[f.queued], f.document) if f.queued in items else f for f in job.files)
        if [file.state for file in files] != [file.state for file in job.files]:
            self._store.save(job.owner, job.id, files)
        for file in files:
            if file.queued in items and items[file.queued].can_retry:  # nobody tries it again: it need not be kept
                self._queue.forget(owner, file.queued)
        return files, frozenset(items)

    def _close(self) -> None:
        """Store the outcome of all files, before the queue forgets it."""
        for who in tuple(self._callers):
            for job in self.all(who):
                self._follow(job)

    def cancel(self, job: StoredJob) -> None:
        """Stop reading the files of a job; documents that are complete stay in the collection."""
        for file in job.files:
            self._queue.cancel(_owner(job.owner), file.queued)

    def _documents(self, collection: str) -> frozenset[str] | None:
        """Return the ids of the documents of a collection; None if it is gone, or the caller may not read it."""
        try:
            with self._collections.open_collection(collection) as (open_collection, _):
                return frozenset(document.id for document in open_collection.documents())
        except (IndexingError, UiError):
            return None


def _owner(who: str) -> str:
    """Return the owner name of a program's files in the queue."""
    return f"api {who}"


def _no_such_job() -> ApiRefusal:
    return ApiRefusal(404, "no-such-job", "you have no such job", "GET /api/v1/jobs lists yours")


def _stored_file(item: QueuedFile, document: str | None) -> StoredJobFile:
    return StoredJobFile(item.name, item.size, item.state, item.note, item.page, item.pages, document, item.id)


def _is_open(file: StoredJobFile) -> bool:
    return file.state in ("waiting", "reading")


def _lost_file(file: StoredJobFile, documents: frozenset[str] | None) -> StoredJobFile:
    """Return a file that the queue has forgotten with its state: done if `documents` has its id, else forgotten."""
    if file.document and documents is not None and file.document in documents:
        return replace(file, state="done", note="")
    return replace(file, state="forgotten", note=_MISSING if file.document and documents is not None else _FORGOTTEN)


def _record(job: StoredJob, files: Sequence[StoredJobFile]) -> JobRecord:
    records = [
        {
            "name": file.name,
            "state": file.state,
            "page": file.page,
            "pages": file.pages,
            "bytes": file.size,
            "note": file.note,
            "document": file.document if file.state == "done" else None,
        }
        for file in files
    ]
    done = sum(_share(file) for file in files) / max(1, len(files))
    facts = {"id": job.id, "collection": job.collection, "state": _state(files), "created": job.created}
    return record_of(JobRecord, {**facts, "files": records, "progress": round(min(1.0, done), 4)})


def _share(file: StoredJobFile) -> float:
    """Return the share of a file that is done, 0 to 1; 0.95 after its last page, as storing it follows."""
    if not _is_open(file):
        return 1.0
    return 0.95 * file.page / file.pages if file.pages else 0.0


def _state(files: Sequence[StoredJobFile]) -> JobState:
    states = {"failed" if file.state == "forgotten" else file.state for file in files}
    if "reading" in states or ("waiting" in states and len(states) > 1):
        return "running"
    if "waiting" in states:
        return "queued"
    return "failed" if "failed" in states else "cancelled" if "cancelled" in states else "done"


router = OperationRouter()
_FILES_SENT = {
    _FORM: {
        "schema": {
            "type": "object",
            "properties": {
                FILES: {
                    "type": "array",
                    "items": {"type": "string", "contentMediaType": _RAW},
                    "minItems": 1,
                    "description": "the files, each with its name",
                },
                PASSWORD: {"type": "string", "maxLength": 1024, "description": "the password of locked files"},
            },
            "required": [FILES],
            "additionalProperties": False,
        }
    },
    _RAW: {"schema": {"type": "string", "contentMediaType": _RAW}},
}


@router.operation(
    "POST",
    "/collections/{collection}/documents",
    Rules("editor", deed="add-document"),
    status=202,
    gives=JobRecord,
    takes=_FILES_SENT,
)
async def add_documents(
    call: CurrentCall, collection: CollectionName, query: Annotated[UploadQuery, Query()]
) -> Response:
    """Send files, and start a job that reads them into the collection. A ZIP is unpacked."""
    kind = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    _check_kind(kind, query.name)
    await anyio.to_thread.run_sync(partial(_check_opens, call, collection))
    if kind == _RAW:
        upload = await receive_body(call.request, query.name or "")
    else:
        most = call.server.uploads.settings.max_files
        upload = await receive_form(call.request, most, f"more than {most:,} files at a time (max_files): send fewer")
    with closing(upload):
        return await anyio.to_thread.run_sync(partial(_begin_job, call, collection, upload))


def _check_kind(kind: str, name: str | None) -> None:
    """Raise ApiRefusal for a body that is no form and no file, for a file without `?name=`, and for a form with it."""
    if kind not in (_FORM, _RAW):
        then = f"send a form ({_FORM}) with parts named files, or one file as {_RAW} and ?name="
        raise ApiRefusal(415, "unfit-type", f"files cannot be sent as {kind[:60] or 'nothing'}", then)
    if kind == _RAW and name is None:
        raise ApiRefusal(422, "unfit-request", "name: is missing", "name the document: ?name=report.pdf")
    if kind == _FORM and name is not None:
        raise ApiRefusal(422, "unfit-request", "name: the files of a form have their own names", "leave out ?name=")


def _check_opens(call: ApiCall, collection: str) -> None:
    with call.server.asking.open_collections.open_collection(collection):
        pass


def _begin_job(call: ApiCall, collection: str, upload: SentFiles) -> Response:
    job = call.server.jobs.begin(call.who, collection, upload.files, upload.password, call.account)
    headers = {"location": call.address(f"/jobs/{job.id}")}
    return Response(job.model_dump_json(), 202, headers, media_type="application/json")


@router.operation("GET", "/jobs", Rules("reader", refusals=(422,)))
def list_jobs(call: CurrentCall, query: Annotated[ListingQuery, Query()], response: Response) -> JobList:
    """List your jobs, newest first."""
    jobs = call.server.jobs
    mine = [job for job in jobs.all(call.who) if call.may("reader", job.collection)]
    part, after = part_of(mine, lambda job: (f"{10**12 - job.number:013d}", job.id), "jobs", query.limit, query.cursor)
    response.headers.update(next_link(call.request, after))
    return JobList(items=[jobs.record(job) for job in part], next_cursor=after)


@router.operation("GET", "/jobs/{job}", Rules("reader"))
def get_job(call: CurrentCall, job: JobId) -> JobRecord:
    """Show the progress of a job."""
    return call.server.jobs.record(_own_job(call, job))


@router.operation("POST", "/jobs/{job}/cancel", Rules("reader"))
def cancel_job(call: CurrentCall, job: JobId) -> JobRecord:
    """Stop a job; complete documents are kept."""
    stored_job = _own_job(call, job)
    call.require("editor", stored_job.collection)
    call.server.jobs.cancel(stored_job)
    return call.server.jobs.record(stored_job)


def _own_job(call: ApiCall, job: str) -> StoredJob:
    """Return a job of the caller. Raises ApiRefusal, 404, also if they may no longer read its collection."""
    stored_job = call.server.jobs.one(call.who, job)
    if not call.may("reader", stored_job.collection):
        raise _no_such_job()
    return stored_job
