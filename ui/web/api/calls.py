"""The calls that programs make by name: arguments checked against a function, which runs on a thread, a few at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import anyio.to_thread
from pydantic import ValidationError, validate_call

from configs import did_you_mean
from ui.errors import BadRequest

_LISTS = {"index": "files", "collections": "collections"}
"""The key of an answer that is a list: an answer has to be an object."""
_FAULTS_TOLD = 5


class Calls:
    """The functions that programs may call."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]], most_at_once: int = 4) -> None:
        """Keep the functions by name; at most `most_at_once` calls are worked on at a time, others wait."""
        self.functions = functions
        self._limit = most_at_once
        self._limiter: anyio.CapacityLimiter | None = None

    async def __call__(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer of a function as an object; a list goes under its key. Raises BadRequest."""
        if self._limiter is None:  # it belongs to the running event loop
            self._limiter = anyio.CapacityLimiter(self._limit)
        function = self.functions.get(name)
        if function is None:
            raise BadRequest(f"there is no such function (there are: {', '.join(self.functions)})")
        call = partial(validate_call(function), **arguments)
        try:
            output = await anyio.to_thread.run_sync(call, limiter=self._limiter)
        except ValidationError as error:
            faults = error.errors(include_input=False)[:_FAULTS_TOLD]
            raise BadRequest("; ".join(_explained(fault, function) for fault in faults)) from None
        return {_LISTS[name]: output} if name in _LISTS else output


def taken(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a function with their defaults; `required` for one without."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: "required" if p.default is p.empty else p.default for p in parameters}


def _explained(fault: Any, function: Callable[..., Any]) -> str:
    """Say in words what is wrong with an argument."""
    name, known = ".".join(map(str, fault["loc"]))[:60], list(taken(function))
    if fault["type"] == "unexpected_keyword_argument":
        return f"there is no {name!r}{did_you_mean(name, known)} (there are: {', '.join(known)})"
    return f"{name}: {'is missing' if fault['type'] == 'missing_argument' else fault['msg']}"
