"""Jobs: files that a program sends are read into a collection, and it is told how far that is, and may stop it.

A job is its caller's alone. What became of one is kept in the state of the server, where there is one, else remembered
in memory. The next server goes on with the files that wait, where it has them; of those that it has not, a job says so.
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
from typing import TYPE_CHECKING, Annotated, cast

import anyio.to_thread
from fastapi import Query
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from indexing import IndexingError
from ui.errors import ApiRefusal, Interrupted, UiError
from ui.state import JobStore, StoredJob, StoredJobFile
from ui.web.api.context import ApiCall, CollectionName, CurrentCall, JobId
from ui.web.api.cursors import Key, next_link, part_of
from ui.web.api.repeats import checked_key, fingerprint, repeated
from ui.web.api.routing import KEY, OperationRouter, Rules
from ui.web.messages import FileState, JobList, JobRecord, JobState, ListingQuery, UploadQuery, record_of
from ui.web.uploads import FILES, PASSWORD, IncomingFile, IncomingFiles, QueuedFile

if TYPE_CHECKING:
    from ui.web.ask import Asking
    from ui.web.uploads import State, Uploads

MOST_JOBS = 100
"""The jobs that are remembered of a caller in memory, the latest."""
_MOST_CALLERS = 500
_API = "api "
"""The queue knows the files of programs by the name of the caller after this."""
_FORM, _RAW = "multipart/form-data", "application/octet-stream"
_FORGOTTEN = "its outcome is no longer known: look at the documents of the collection"
_MISSING = "it is not among the documents of the collection, nor waiting on this server: send it again"


@dataclass(slots=True)
class _JobFile:
    """A file of a job: as the queue had it last, and the id that its document will have."""

    item: QueuedFile
    document: str | None
    forgotten: bool = False
    missing: bool = False

    @property
    def open(self) -> bool:
        return self.item.open and not self.forgotten

    def sought(self, documents: frozenset[str]) -> None:
        """Know whether a forgotten file was read: its document is among those of its collection, or is missing."""
        if self.forgotten and self.document in documents:
            self.item, self.forgotten = replace(self.item, state="done", note=""), False
        self.missing = self.forgotten and self.document is not None


@dataclass(slots=True)
class _Job:
    """A job, numbered in the order in which they began; what is `settled` is kept as it is."""

    id: str
    number: int
    owner: str
    collection: str
    created: str
    files: list[_JobFile] = field(default_factory=list)
    settled: bool = False

    @property
    def key(self) -> Key:
        """The key by which the newest comes first."""
        return f"{10**12 - self.number:013d}", self.id


class Jobs:
    """The jobs of all callers. Every method may be called from any thread."""

    def __init__(self, uploads: Uploads, asking: Asking) -> None:
        """Keep the uploads, whose queue works on them, and the state in which jobs are kept, if there is one."""
        self._uploads = uploads
        self._collections = asking.open_collections
        self._store = JobStore(asking.state) if asking.state is not None else None
        self._collections.at_close(self._close)
        self._jobs: OrderedDict[str, list[_Job]] = OrderedDict()
        self._began = 0
        self._lock = threading.Lock()

    def begin(self, who: str, collection: str, files: Sequence[IncomingFile], password: str, account: str) -> JobRecord:
        """Begin to read files into a collection."""
        owner = f"{_API}{who}"
        added = self._uploads.receive_incoming(owner, collection, files, password, account)
        taken = [_JobFile(item, document) for item, document in added]
        job_id, now = secrets.token_hex(16), datetime.now(UTC)
        number = self._store.keep(job_id, who, collection, now, _stored(taken)) if self._store is not None else 0
        with self._lock:
            self._began = number or self._began + 1
            job = _Job(job_id, self._began, owner, collection, now.isoformat(timespec="seconds"), taken)
            self._remember(who, [job])
        return self.record(job)

    def all(self, who: str) -> list[_Job]:
        """Return the jobs of a caller, those of an earlier server among them, which this one may go on with."""
        kept = self._store.of(who) if self._store is not None else ()
        queued = {item.id for item in self._uploads.upload_queue.items(f"{_API}{who}")}
        with self._lock:
            mine = list(self._jobs.get(who, ()))
            known = {job.id for job in mine}
            earlier = [_restored(job) for job in kept if job.id not in known]
            self._remember(who, [job for job in earlier if any(file.item.id in queued for file in job.files)])
        return [*earlier, *mine]

    def one(self, who: str, job_id: str) -> _Job:
        """Return a job of a caller. Raises ApiRefusal, 404: also for somebody else's."""
        found = next((job for job in self.all(who) if job.id == job_id), None)
        if found is None:
            raise _no_such_job()
        return found

    def record(self, job: _Job) -> JobRecord:
        """Show the progress of a job."""
        with self._lock:
            self._follow(job)
        if any(file.forgotten and file.document for file in job.files):
            there = self._documents(job.collection)
            if there is not None:
                with self._lock:
                    for file in job.files:
                        file.sought(there)
        return _record(job)

    def cancel(self, job: _Job) -> None:
        """Read no more of its files; documents that are complete stay."""
        for file in job.files:
            self._uploads.upload_queue.cancel(job.owner, file.item.id)

    def _remember(self, who: str, jobs: Sequence[_Job]) -> None:
        """Have jobs of a caller in memory, with the lock held: the latest jobs, of the latest callers."""
        if jobs:
            kept = self._jobs.setdefault(who, [])
            kept += jobs
            kept.sort(key=lambda job: job.number)
            del kept[:-MOST_JOBS]
            self._jobs.move_to_end(who)
            while len(self._jobs) > _MOST_CALLERS:
                self._jobs.popitem(last=False)

    def _follow(self, job: _Job) -> None:
        """Take up what the queue says of the files of a job; keep it once none of them is open."""
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
        if not job.settled and not any(file.open or file.forgotten for file in job.files):
            self._keep(job)
            job.settled = True

    def _keep(self, job: _Job) -> None:
        if self._store is not None:
            self._store.save(job.owner.removeprefix(_API), job.id, _stored(job.files))

    def _documents(self, collection: str) -> frozenset[str] | None:
        """Return the ids of the documents of a collection; None where it is gone, or not the caller's to see."""
        try:
            with self._collections.opened(collection) as (found, _):
                return frozenset(document.id for document in found.documents())
        except (IndexingError, UiError):
            return None

    def _close(self) -> None:
        """Keep how far all jobs are, before the queue forgets their files."""
        with self._lock:
            for job in (job for mine in self._jobs.values() for job in mine if not job.settled):
                self._follow(job)
                if not job.settled:
                    self._keep(job)


def _no_such_job() -> ApiRefusal:
    return ApiRefusal(404, "no-such-job", "you have no such job", "GET /api/v1/jobs lists yours")


def _stored(files: Sequence[_JobFile]) -> list[StoredJobFile]:
    items = [(file.item, file.document) for file in files]
    return [StoredJobFile(i.name, i.size, i.state, i.note, i.page, i.pages, document, i.id) for i, document in items]


def _restored(job: StoredJob) -> _Job:
    """Return a job of an earlier server, whose files that were to be read may be in the queue of this one."""
    owner = f"{_API}{job.owner}"
    files = []
    for file in job.files:
        item = QueuedFile(
            file.queued,
            owner,
            job.collection,
            file.name,
            file.size,
            None,
            cast("State", file.state),
            file.note,
            file.page,
            file.pages,
        )
        files.append(_JobFile(item, file.document))
    settled = not any(file.open for file in files)
    return _Job(job.id, job.number, owner, job.collection, job.created, files, settled)


def _record(job: _Job) -> JobRecord:
    files = [_file(file) for file in job.files]
    done = sum(_share(file) for file in job.files) / max(1, len(job.files))
    facts = {"id": job.id, "collection": job.collection, "state": _state(job.files), "created": job.created}
    return record_of(JobRecord, {**facts, "files": files, "progress": round(min(1.0, done), 4)})


def _file(file: _JobFile) -> dict[str, object]:
    item = file.item
    state: FileState = "forgotten" if file.forgotten else item.state
    return {
        "name": item.name,
        "state": state,
        "page": item.page,
        "pages": item.pages,
        "bytes": item.size,
        "note": (_MISSING if file.missing else _FORGOTTEN) if file.forgotten else item.note,
        "document": file.document if state == "done" else None,
    }


def _share(file: _JobFile) -> float:
    """Return the share of a file that is done; a file is stored after its last page was read."""
    if not file.open:
        return 1.0
    return 0.95 * file.item.page / file.item.pages if file.item.pages else 0.0


def _state(files: Sequence[_JobFile]) -> JobState:
    states = ["failed" if file.forgotten else file.item.state for file in files]
    if "reading" in states or ("waiting" in states and any(s not in ("waiting", "reading") for s in states)):
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
    extra={"requestBody": {"required": True, "content": _FILES_SENT}, "parameters": [KEY]},
)
async def add_documents(
    call: CurrentCall, collection: CollectionName, query: Annotated[UploadQuery, Query()]
) -> Response:
    """Send files, and start a job that reads them into the collection. A ZIP is unpacked."""
    content_type = call.request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    _check_kind(kind, query.name)
    await anyio.to_thread.run_sync(partial(_check_opens, call, collection))
    folder = Path(await anyio.to_thread.run_sync(partial(tempfile.mkdtemp, prefix="vouch-arriving-")))
    try:
        most = call.server.uploads.settings.max_files
        incoming = IncomingFiles(folder, most, content_type, query.name or "" if kind == _RAW else "")
        try:
            async for piece in call.request.stream():
                incoming.take(piece)
            incoming.end()
        finally:
            incoming.close()
        return await anyio.to_thread.run_sync(partial(_begun, call, collection, incoming))
    except ClientDisconnect:
        raise Interrupted("the upload was interrupted") from None
    finally:
        await anyio.to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True))


def _check_kind(kind: str, name: str | None) -> None:
    """Raise ApiRefusal for a body of another type, or without a name, or with two."""
    if kind not in (_FORM, _RAW):
        then = f"send a form ({_FORM}) with parts named files, or one file as {_RAW} and ?name="
        raise ApiRefusal(415, "unfit-type", f"files cannot be sent as {kind[:60] or 'nothing'}", then)
    if kind == _RAW and name is None:
        raise ApiRefusal(422, "unfit-request", "name: is missing", "name the document: ?name=report.pdf")
    if kind == _FORM and name is not None:
        raise ApiRefusal(422, "unfit-request", "name: the files of a form have their own names", "leave out ?name=")


def _check_opens(call: ApiCall, collection: str) -> None:
    with call.server.asking.open_collections.opened(collection):
        pass


def _begun(call: ApiCall, collection: str, incoming: IncomingFiles) -> Response:
    """Begin the job, or show the one that the same request has begun."""
    key, repeats = call.request.headers.get("idempotency-key"), call.server.repeats
    if key is not None:
        files = [part for file in incoming.files for part in (file.name, file.sha256)]
        said = fingerprint("add_documents", collection, incoming.password, *files)
        if done := repeats.begin(call.who, checked_key(key), said):
            return repeated(done)
    response: Response | None = None
    try:
        job = call.server.jobs.begin(call.who, collection, incoming.files, incoming.password, call.account)
        headers = {"location": call.address(f"/jobs/{job.id}")}
        response = Response(job.model_dump_json(), 202, headers, media_type="application/json")
    finally:
        if key is not None:
            repeats.end(call.who, key, response)
    return response


@router.operation("GET", "/jobs", Rules("reader", refusals=(422,)))
def list_jobs(call: CurrentCall, query: Annotated[ListingQuery, Query()], response: Response) -> JobList:
    """List your jobs, newest first."""
    jobs = call.server.jobs
    mine = [job for job in jobs.all(call.who) if call.may("reader", job.collection)]
    part, after = part_of(mine, lambda job: job.key, "jobs", query.limit, query.cursor)
    response.headers.update(next_link(call.request, after))
    return JobList(items=[jobs.record(job) for job in part], next_cursor=after)


@router.operation("GET", "/jobs/{job}", Rules("reader"))
def get_job(call: CurrentCall, job: JobId) -> JobRecord:
    """Show the progress of a job."""
    return call.server.jobs.record(_own(call, job))


@router.operation("POST", "/jobs/{job}/cancel", Rules("reader"))
def cancel_job(call: CurrentCall, job: JobId) -> JobRecord:
    """Stop a job; complete documents are kept."""
    found = _own(call, job)
    call.require("editor", found.collection)
    call.server.jobs.cancel(found)
    return call.server.jobs.record(found)


def _own(call: ApiCall, job: str) -> _Job:
    """Return a job of the caller. Raises ApiRefusal, 404: also where the role is gone."""
    found = call.server.jobs.one(call.who, job)
    if not call.may("reader", found.collection):
        raise _no_such_job()
    return found
