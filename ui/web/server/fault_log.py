"""The log of faults: one line each, in files that are rotated and on stderr, without a word of what people sent.

An exception is logged by its type and the places of its traceback. Its message may quote a question, a document or a
password, and so may the messages of libraries: these are left out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from ui.web.metrics import LOG, json_line

_BYTES, _FILES = 1_000_000, 5
_LOGGED = ("ui", "rag", "indexing", "configs", "vouch", "uvicorn")
"""The packages whose messages are logged: ours, and uvicorn's, which quote nothing that is sent."""
_MOST_PLACES = 6
_MOST_CHARS = 600
_MINUTE = 60.0
_ALIKE = 5
"""The lines of one fault that are written in a minute; the others are counted."""
_KINDS = 1000
_LOG = logging.getLogger(__name__)


@contextmanager
def logged_faults(file: Path, *, as_json: bool = False) -> Iterator[None]:
    """Log every fault of this process in the block: log records, printed tracebacks, failed threads, warnings.

    Those of the running event loop, too. They go to stderr and, if it can be written, to `file`. With `as_json` each
    is a line of JSON, and requests and answers have lines, too (`ui.web.metrics`).
    """
    targets = _targets(file)
    log = FaultLog(targets, as_json=as_json)
    if as_json:
        LOG.handlers, LOG.propagate = list(targets), False
        LOG.setLevel(logging.INFO)
    root, loop = logging.getLogger(), asyncio.get_running_loop()
    before = (traceback.print_exc, threading.excepthook, warnings.showwarning, loop.get_exception_handler())
    own = {name: logging.getLogger(name).handlers[:] for name in ("uvicorn", "uvicorn.error", "uvicorn.access")}
    for name in own:
        logging.getLogger(name).handlers = []
    logging.getLogger("uvicorn").propagate = True
    root.addHandler(log)
    traceback.print_exc = _log_current_exception
    threading.excepthook = _log_thread_failure
    warnings.showwarning = _log_warning
    loop.set_exception_handler(_log_loop_failure)
    try:
        yield
    finally:
        traceback.print_exc, threading.excepthook, warnings.showwarning = before[:3]
        loop.set_exception_handler(before[3])
        root.removeHandler(log)
        LOG.handlers, LOG.propagate = [], True
        LOG.setLevel(logging.NOTSET)
        for name, handlers in own.items():
            logging.getLogger(name).handlers = handlers
        log.close()


class FaultLog(logging.Handler):
    """The handler that writes each record as one line. After a few lines, records that repeat are only counted."""

    def __init__(
        self,
        targets: tuple[logging.Handler, ...],
        clock: Callable[[], float] = time.monotonic,
        *,
        as_json: bool = False,
    ) -> None:
        """Keep the handlers that write the lines; `clock` gives seconds."""
        super().__init__(logging.WARNING)
        self._as_json = as_json
        self._targets = targets
        self._clock = clock
        self._seen: dict[tuple[object, ...], tuple[float, int]] = {}  # when first in this minute, how often

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or count it."""
        kind = (record.name, record.pathname, record.lineno, record.exc_info and record.exc_info[0])
        now = self._clock()
        since, times = self._seen.get(kind, (now, 0))
        more = 0
        if now - since >= _MINUTE:
            since, times, more = now, 0, max(0, times - _ALIKE)
        if len(self._seen) >= _KINDS:
            self._seen.clear()
        self._seen[kind] = (since, times + 1)
        if times < _ALIKE:
            line = self._line(record, more)
            plain = logging.LogRecord(record.name, record.levelno, "", 0, line, None, None)
            for target in self._targets:
                target.handle(plain)

    def _line(self, record: logging.LogRecord, more: int) -> str:
        if not self._as_json:
            return one_line(record) + (f" ({more:,} more like it were left out)" if more else "")
        text = ": ".join(_parts(record))[:_MOST_CHARS]
        left_out = {"left_out": more} if more else {}
        return json_line(record.levelname, "fault", logger=record.name, message=text, **left_out)

    def close(self) -> None:
        """Let go of the files."""
        for target in self._targets:
            target.close()
        super().close()


def one_line(record: logging.LogRecord) -> str:
    """Return a record as a line: time, level, logger, its message if the logger is ours, and its exception."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record.created))
    return escape_line(f"{when} {record.levelname} {record.name}: {': '.join(_parts(record))}")[:_MOST_CHARS]


def _parts(record: logging.LogRecord) -> list[str]:
    """Return the message of a record if its logger is ours, else a stand-in; and a description of its exception."""
    message = _message(record) if record.name.partition(".")[0] in _LOGGED else f"a fault told by {record.funcName}"
    fault = record.exc_info[1] if record.exc_info else None
    return [message, *([_describe_fault(fault)] if fault else [])]


def escape_line(text: str) -> str:
    """Escape unprintable characters, so that a text has one line and no control sequences for a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode("ascii") for c in text)


def _message(record: logging.LogRecord) -> str:
    """Return the message of a record; an exception among its arguments is described without its own message."""
    args = record.args
    if isinstance(args, Mapping):
        return str(record.msg)
    arguments = tuple(_describe_fault(a) if isinstance(a, BaseException) else a for a in args or ())
    with suppress(TypeError, ValueError):
        return (str(record.msg) % arguments if arguments else str(record.msg)).strip()
    return str(record.msg)


def _describe_fault(fault: BaseException) -> str:
    """Return the type of an exception and the places of its traceback, the innermost first."""
    name = type(fault).__name__
    if isinstance(fault, OSError) and fault.strerror:
        name += f" ({fault.strerror})"
    frames = traceback.extract_tb(fault.__traceback__)[-_MOST_PLACES:]
    places = [f"{'/'.join(Path(f.filename).parts[-3:])}:{f.lineno} in {f.name}" for f in reversed(frames)]
    return f"{name} at {', from '.join(places)}" if places else name


def _targets(file: Path) -> tuple[logging.Handler, ...]:
    """Return the handlers that write lines: to stderr and, if that can be opened, to `file` and its rotated copies."""
    targets: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        targets.append(_PrivateFiles(file, maxBytes=_BYTES, backupCount=_FILES - 1, encoding="utf-8"))
    except OSError as error:
        print(f"vouch: faults are logged on stderr only: {file.parent}: {error.strerror}", file=sys.stderr)
    return tuple(targets)


class _PrivateFiles(RotatingFileHandler):
    """Files that nobody else on this machine may read."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return os.fdopen(descriptor, "a", encoding=self.encoding)


def _log_current_exception(*_: Any, **__: Any) -> None:
    """Log the exception that is being handled; it replaces `print_exc`, with which Gradio prints its message, too."""
    _LOG.error("a request failed", exc_info=True)


def _log_thread_failure(args: threading.ExceptHookArgs) -> None:
    _LOG.error("a thread failed", exc_info=args.exc_value or True)


def _log_warning(*args: Any, **_: Any) -> None:
    _, category, filename, line = args[:4]
    _LOG.warning("%s at %s:%d", category.__name__, Path(filename).name, line)


def _log_loop_failure(_: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    what = str(context.get("message", "a fault of the event loop")).partition(" in callback ")[0]  # then, its arguments
    _LOG.error("%s", what, exc_info=context.get("exception"))
