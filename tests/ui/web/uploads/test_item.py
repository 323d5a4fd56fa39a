"""Whose file is read next, and what is said of one that was read."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from indexing import Failure, FileReport
from ui.web.uploads.item import BATCH_BYTES, QueuedFile, State, next_batch, note_of


def item(number: int, owner: str = "a", collection: str = "c", size: int = 1, **more: str | None) -> QueuedFile:
    return QueuedFile(str(number), owner, collection, f"{number}.pdf", size, Path(f"/{number}.pdf"), **more)  # type: ignore[arg-type]


def test_people_take_turns() -> None:
    items = [item(1, "a"), item(2, "b"), item(3, "c")]
    served, turns = "", []
    for _ in range(4):
        served = next_batch(items, served)[0].owner
        turns.append(served)
    assert turns == ["a", "b", "c", "a"]


STATES = st.sampled_from(["waiting", "reading", "done", "failed", "cancelled"])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), STATES, st.integers(0, BATCH_BYTES * 2))))
def test_only_what_waits_is_read_and_somebody_is_served(files: list[tuple[str, str, State, int]]) -> None:
    items = [item(n, owner, name, size, state=state) for n, (owner, name, state, size) in enumerate(files)]
    batch = next_batch(items, "a")
    assert bool(batch) == any(i.state == "waiting" for i in items)
    assert all(i.state == "waiting" for i in batch)
    assert len({(i.owner, i.collection) for i in batch}) <= 1


def test_what_became_of_a_file() -> None:
    failed = tuple(Failure(n, "PageCrash", "crashed") for n in range(1, 6))
    assert note_of(FileReport("/a", "a", "indexed", 1, 9)) == "1 page, 9 parts"
    assert note_of(FileReport("/a", "a", "replaced", 2, 9)) == "2 pages, 9 parts; replaced the earlier version"
    assert note_of(FileReport("/a", "a", "skipped")) == "was already there"
    assert note_of(FileReport("/a", "a", "skipped", other_name="b")) == "was already there, as b"
    assert note_of(FileReport("/a", "a", "renamed", other_name="b")) == "was b before"
    unseen = note_of(FileReport("/a", "a", "indexed", 1, 9, hidden=2))
    assert unseen == "1 page, 9 parts; 2 words left out, since no page shows it"
    said = note_of(FileReport("/a", "a", "indexed", 5, 9, failures=failed))
    assert said.endswith("page 3: crashed; and 2 pages more")
    assert note_of(FileReport("/a", "a", "failed", failures=(Failure(None, "X", "a: empty"),))) == "empty"
    locked = FileReport("/a", "a", "failed", failures=(Failure(None, "EncryptedFile", "give it with --password"),))
    assert note_of(locked) == "locked: enter the right password above, then try again"
