"""A shard whose actor is gone, slow, or refuses: each has its words, and another is started once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from indexing.errors import CollectionDamaged, NotScored
from plugins.cluster import ray_shard
from plugins.cluster.errors import ShardDown
from plugins.cluster.ray_shard import RayShard, ShardActor
from tests.support.waiting import until


class RayFault(Exception):
    """The root of Ray's exceptions, as this process of the tests has no Ray."""


class TaskFault(RayFault):
    def __init__(self, cause: Exception) -> None:
        super().__init__("a traceback\nof the node")
        self.cause = cause


class SlowFault(RayFault): ...


FAULTS = SimpleNamespace(RayError=RayFault, RayTaskError=TaskFault, GetTimeoutError=SlowFault)


class Method:
    """A method of an actor: `options(...).remote(...)` is what `get` is given."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def options(self, **_: str) -> Method:
        return self

    def remote(self, *arguments: Any) -> Any:
        return lambda: self._call(*arguments)


def actor(unseen: Callable[..., Any], report: Callable[[], Any] = lambda: None) -> ShardActor:
    ray: Any = SimpleNamespace(
        exceptions=FAULTS,
        get=lambda called, timeout: called(),  # noqa: ARG005
        is_initialized=lambda: True,
    )
    return ShardActor(ray, SimpleNamespace(unseen_pages=Method(unseen), report=Method(report)), "10.0.0.7")


def raising(error: Exception) -> Callable[..., Any]:
    def call(*_: Any) -> Any:
        raise error

    return call


class Starts:
    """Actors, started one after another; None is one that is still being started."""

    def __init__(self, *actors: ShardActor | Exception | None) -> None:
        self._actors = list(actors)
        self.count = 0

    def __call__(self) -> Future[ShardActor]:
        self.count += 1
        future: Future[ShardActor] = Future()
        found = self._actors.pop(0)
        if isinstance(found, ShardActor):
            future.set_result(found)
        elif found is not None:
            future.set_exception(found)
        return future


def shard(starts: Starts) -> RayShard:
    return RayShard("shard 1 of 2", starts, 7, CollectionDamaged("this machine cannot read it"))


def test_one_that_is_gone_is_started_anew_and_then_answers() -> None:
    gone, good = raising(RayFault("died")), actor(lambda least, docs: (least, len(docs)))
    starts = Starts(actor(gone, gone), good)
    found = shard(starts)
    with pytest.raises(ShardDown, match=r"the node 10\.0\.0\.7 or its process is lost.*ask again"):
        found.unseen_pages(())
    until(lambda: starts.count == 2)
    assert found.unseen_pages(["a"]) == (0, 1)
    assert starts.count == 2


def test_one_that_is_being_started_anew_keeps_no_question_waiting() -> None:
    gone = raising(RayFault("died"))
    starts = Starts(actor(gone, gone), None)
    found = shard(starts)
    for _ in range(2):
        with pytest.raises(ShardDown):
            found.unseen_pages(())
        until(lambda: starts.count == 2)
    with pytest.raises(ShardDown, match="is being started on a node"):
        found.unseen_pages(())
    assert starts.count == 2


def test_the_first_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_shard, "STARTING_SECONDS", 0.01)
    found = shard(Starts(None))
    for _ in range(2):
        with pytest.raises(ShardDown, match="is being started on a node"):
            found.warm()
        assert found._patience == 0


@pytest.mark.parametrize(("alive", "starts_needed"), [(True, 1), (False, 2)])
def test_one_that_is_slow_is_told_and_kept_while_it_lives(alive: bool, starts_needed: int) -> None:
    looked: list[bool] = []
    slow = raising(SlowFault())
    starts = Starts(actor(slow, (lambda: looked.append(True)) if alive else slow), None)
    with pytest.raises(ShardDown, match=r"10\.0\.0\.7 did not answer within 7 s.*shard_seconds"):
        shard(starts).unseen_pages(())
    until(lambda: looked == [True] or starts.count == 2)
    assert starts.count == starts_needed


def test_one_that_cannot_be_started_is_told_and_tried_again() -> None:
    starts = Starts(ShardDown("the node 10.0.0.7 cannot read it"), actor(lambda *_: (0, 4)))
    found = shard(starts)
    with pytest.raises(ShardDown, match="cannot read it"):
        found.warm()
    assert found.unseen_pages(()) == (0, 4)


@pytest.mark.parametrize(
    ("raised", "kind", "told"),
    [
        (CollectionDamaged("it was changed"), CollectionDamaged, "the node 10.0.0.7: it was changed"),
        (NotScored("it has no memory"), ShardDown, "the node 10.0.0.7: it has no memory"),
        (ValueError("some lines\nand the last"), ShardDown, r"the node 10.0.0.7 failed \(and the last\)"),
    ],
    ids=["damaged", "another of ours", "none of ours"],
)
def test_an_error_of_the_shard_names_its_node_and_starts_nothing(
    raised: Exception, kind: type[Exception], told: str
) -> None:
    starts = Starts(actor(raising(TaskFault(raised))))
    with pytest.raises(kind, match=told):
        shard(starts).unseen_pages(())
    assert starts.count == 1
