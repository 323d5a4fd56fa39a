"""The latest piece of work of each visitor of a tab, and how its progress is shown there."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LatestWork(Generic[T]):
    """A value for each of the last `most` visitors. Every method may be called from any thread."""

    def __init__(self, most: int) -> None:
        """Keep nothing yet."""
        self._most = most
        self._values: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, visitor: str, value: T | None) -> list[T]:
        """Keep the value of a visitor, None for none; return those that are let go: the earlier one, and the oldest."""
        with self._lock:
            gone = [self._values.pop(visitor)] if visitor in self._values else []
            if value is not None:
                self._values[visitor] = value
            while len(self._values) > self._most:
                gone.append(self._values.popitem(last=False)[1])
            return gone

    def of(self, visitor: str) -> T | None:
        """Return the value of a visitor, None without one."""
        with self._lock:
            return self._values.get(visitor)


@dataclass(frozen=True, slots=True)
class WorkView:
    """The HTML of the two places of a tab, None for one to be left as it is; `busy` can be stopped."""

    current: str
    evidence: str | None
    busy: bool

    def widgets(self) -> tuple[Any, ...]:
        """Return the values to show: both places, and the button that stops."""
        import gradio as gr

        return self.current, gr.skip() if self.evidence is None else self.evidence, gr.Button(interactive=self.busy)
