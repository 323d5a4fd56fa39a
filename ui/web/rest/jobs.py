"""Jobs: files that a program sends are read into a collection, and it is told how far that is, and may stop it.

A job is its caller's alone. What became of one that ended is remembered for a while, in memory.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ui.errors import ApiRefusal, Interrupted
from ui.web.messages import FileState, JobList, JobRecord, JobState, ListingQuery, UploadQuery, told_as
from ui.web.rest.cursors import Key, part_of
from ui.web.rest.permission import account_of, may
from ui.web.rest.repeats import checked_key, fingerprint, repeated
from ui.web.rest.route_table import ApiCall, Desk, Operation, address, next_link, told
from ui.web.uploads import IncomingFile, IncomingFiles

if TYPE_CHECKING:
    from ui.web.uploads import QueuedFile, Uploads

MOST_JOBS = 100
"""The jobs that are remembered of a caller, the latest."""
_MOST_CALLERS = 500
_FORM, _RAW = "multipart/form-data", "application/octet-stream"
_FORGOTTEN = "what became of it is not remembered: look at the documents of the collection"


@dataclass(slots=True)
class _JobFile:
    """A file of a job: as the queue had it last, and the id that its document will have."""

    item: QueuedFile
    document: str | None
    forgotten: bool = False

    @property
    def open(self) -> bool:
        return self.item.open and not self.forgotten


@dataclass(frozen=True, slots=True)
class _Job:
    """A job, numbered in the order in which they began."""

    id: str
    number: int
    owner: str
    collection: str
    created: str
    files: list[_JobFile] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """The key by which the newest comes first."""
        return f"{10**12 - self.number:013d}", self.id


class Jobs:
    """The jobs of all callers. Every method may be called from any thread."""

    def __init__(self, uploads: Uploads) -> None:
        """Keep the uploads, whose queue works on them."""
        self._uploads = uploads
        self._jobs: OrderedDict[str, list[_Job]] = OrderedDict()
        self._began = 0
        self._lock = threading.Lock()

    def begin(self, who: str, collection: str, files: Sequence[IncomingFile], password: str, account: str) -> JobRecord:
        """Begin to read files into a collection."""
        owner = f"api {who}"
        digests = {file.name: file.sha256 for file in files} if len({f.name for f in files}) == len(files) else {}
        items = self._uploads.receive_incoming(owner, collection, files, password, account)
        with self._lock:
            self._began += 1
            now = datetime.now(UTC).isoformat(timespec="seconds")
            job = _Job(secrets.token_hex(16), self._began, owner, collection, now)
            job.files.extend(_JobFile(item, digests.get(item.name, "")[:16] or None) for item in items)
            kept = self._jobs.setdefault(who, [])
            kept.append(job)
            del kept[:-MOST_JOBS]
            self._jobs.move_to_end(who)
            while len(self._jobs) > _MOST_CALLERS:
                self._jobs.popitem(last=False)
            return self._record(job)

    def all(self, who: str) -> list[_Job]:
        """Return the jobs of a caller."""
        with self._lock:
            return list(self._jobs.get(who, ()))

    def one(self, who: str, job_id: str) -> _Job:
        """Return a job of a caller. Raises ApiRefusal, 404: also for somebody else's."""
        found = next((job for job in self.all(who) if job.id == job_id), None)
        if found is None:
            raise ApiRefusal(404, "no-such-job", "you have no such job", "GET /api/v1/jobs lists yours")
        return found

    def told(self, job: _Job) -> JobRecord:
        """Tell how far a job is."""
        with self._lock:
            return self._record(job)

    def cancel(self, job: _Job) -> None:
        """Read no more of its files; documents that are complete stay."""
        for file in job.files:
            self._uploads.upload_queue.cancel(job.owner, file.item.id)

    def _record(self, job: _Job) -> JobRecord:
        queue = self._uploads.upload_queue
        now = {item.id: item for item in queue.items(job.owner)}
        for file in job.files:
            if file.item.id in now:
                file.item = now[file.item.id]
                if file.item.again:  # nobody tries it again: it need not be kept
                    queue.forget(job.owner, file.item.id)
                    file.item = replace(file.item, path=None)
            elif file.open:
                file.forgotten = True
        files = [_file(file) for file in job.files]
        done = sum(_share(file) for file in job.files) / max(1, len(job.files))
        facts = {"id": job.id, "collection": job.collection, "state": _state(job.files), "created": job.created}
        return told_as(JobRecord, {**facts, "files": files, "progress": round(min(1.0, done), 4)})


def _file(file: _JobFile) -> dict[str, object]:
    item = file.item
    state: FileState = "forgotten" if file.forgotten else item.state
    return {
        "name": item.name,
        "state": state,
        "page": item.page,
        "pages": item.pages,
        "bytes": item.size,
        "note": _FORGOTTEN if file.forgotten else item.note,
        "document": file.document if state == "done" else None,
    }


def _share(file: _JobFile) -> float:
    """Return the share of a file that is done; a file is stored after its last page was read."""
    if not file.open:
        return 1.0
    return 0.95 * file.item.page / file.item.pages if file.item.pages else 0.0


def _state(files: Sequence[_JobFile]) -> JobState:
    states = [file.item.state for file in files if not file.forgotten]
    if "reading" in states or ("waiting" in states and any(s not in ("waiting", "reading") for s in states)):
        return "running"
    if "waiting" in states:
        return "queued"
    return "failed" if "failed" in states else "cancelled" if "cancelled" in states else "done"


async def add_documents(desk: Desk, call: ApiCall) -> Response:
    """Take files, and begin a job that reads them."""
    kind = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    name = call.asked(UploadQuery).name
    _check_kind(kind, name)
    await anyio.to_thread.run_sync(partial(_opened, desk, call.parts["collection"]))
    folder = Path(await anyio.to_thread.run_sync(partial(tempfile.mkdtemp, prefix="vouch-arriving-")))
    content_type = call.request.headers.get("content-type", "")
    try:
        incoming = IncomingFiles(folder, desk.limits.max_files, content_type, name or "" if kind == _RAW else "")
        try:
            async for piece in call.request.stream():
                incoming.take(piece)
            incoming.end()
        finally:
            incoming.close()
        return await anyio.to_thread.run_sync(partial(_begun, desk, call, incoming))
    except ClientDisconnect:
        raise Interrupted("the upload was broken off") from None
    finally:
        await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))


def _check_kind(kind: str, name: str | None) -> None:
    """Raise ApiRefusal for a body of another type, or without a name, or with two."""
    if kind not in (_FORM, _RAW):
        then = f"send a form ({_FORM}) with parts named files, or one file as {_RAW} and ?name="
        raise ApiRefusal(415, "unfit-type", f"files do not come as {kind[:60] or 'nothing'}", then)
    if kind == _RAW and name is None:
        raise ApiRefusal(422, "unfit-request", "name: is missing", "name the document: ?name=report.pdf")
    if kind == _FORM and name is not None:
        raise ApiRefusal(422, "unfit-request", "name: the files of a form have theirs", "leave ?name= out")


def _opened(desk: Desk, collection: str) -> None:
    with desk.asking.open_collections.opened(collection):
        pass


def _begun(desk: Desk, call: ApiCall, incoming: IncomingFiles) -> Response:
    """Begin the job, or tell of the one that the same request has begun."""
    who, key = call.who, call.request.headers.get("idempotency-key")
    told_apart = [part for file in incoming.files for part in (file.name, file.sha256)]
    if key is not None:
        said = fingerprint(call.operation.name, call.parts["collection"], incoming.password, *told_apart)
        if done := desk.repeats.begin(who, checked_key(key), said):
            return repeated(done)
    response: Response | None = None
    try:
        account = account_of(call.request.scope)
        job = desk.jobs.begin(who, call.parts["collection"], incoming.files, incoming.password, account)
        response = told(job, 202, {"location": address(call.request, f"/jobs/{job.id}")})
    finally:
        if key is not None:
            desk.repeats.end(who, key, response)
    return response


def jobs(desk: Desk, call: ApiCall) -> Response:
    """List the caller's jobs."""
    asked = call.asked(ListingQuery)
    mine = [job for job in desk.jobs.all(call.who) if may(call.request.scope, "reader", job.collection)]
    part, after = part_of(mine, lambda job: job.key, "jobs", asked.limit, asked.cursor)
    items = [desk.jobs.told(job) for job in part]
    return told(JobList(items=items, next_cursor=after), headers=next_link(call, after))


def job(desk: Desk, call: ApiCall) -> Response:
    """Tell of a job."""
    return told(desk.jobs.told(desk.jobs.one(call.who, call.parts["job"])))


def cancel_job(desk: Desk, call: ApiCall) -> Response:
    """Stop a job."""
    found = desk.jobs.one(call.who, call.parts["job"])
    call.require("editor", found.collection)
    desk.jobs.cancel(found)
    return told(desk.jobs.told(found))


OPERATIONS = (
    Operation(
        "add_documents", "POST", "/collections/{collection}/documents", "editor", add_documents,
        "Send files, which a job reads into the collection. A ZIP is unpacked.", JobRecord, 202,
        query=UploadQuery, uploads=True, repeatable=True, refusals=(404,), deed="add-document",
    ),
    Operation(
        "list_jobs", "GET", "/jobs", "reader", jobs,
        "List your jobs, the newest first.", JobList, query=ListingQuery, refusals=(422,),
    ),
    Operation("get_job", "GET", "/jobs/{job}", "reader", job, "Tell how far a job is.", JobRecord, refusals=(404,)),
    Operation(
        "cancel_job", "POST", "/jobs/{job}/cancel", "reader", cancel_job,
        "Stop a job; documents that are complete stay.", JobRecord, refusals=(404,),
    ),
)  # fmt: skip
"""The operations on files that are read."""
