"""While nobody asks, a server looks at the pages of its open collections; a question comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, build_index
from indexing.looks import looking_ahead
from rag import Profile, RagSettings
from tests.support import documents
from tests.support.waiting import until
from ui.settings import UiSettings
from ui.web.open_collections import IdleLooks, OpenCollections, idle_looks


@pytest.fixture
def open_collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenCollections:
    monkeypatch.setattr(idle_looks, "EVERY", 0.05)
    monkeypatch.setattr(idle_looks, "QUIET", 0.2)
    settings = IndexingSettings(workers=1, visual="none")
    path = documents.pdf(tmp_path / "mills.pdf", ["The mill was built by Anna Holm."], ["It burnt down in 1904."])
    with Collection.create("papers", tmp_path / "home", settings) as made:
        assert build_index(made, [path], settings=settings).exit_code == 0
    return OpenCollections(Profile(), tmp_path / "home")


def looked_at(collection: Collection) -> int:
    """How many pages have been looked at."""
    (document,) = collection.documents()
    stamp = collection.originals.page_stamp(document)
    lines = [looking_ahead.lines_of(collection.page_elements(document.id, page)) for page in (1, 2)]
    return sum(collection.agreed_lines.of(document, stamp, n, own) == own for n, own in enumerate(lines, 1))


@pytest.mark.slow
def test_pages_are_looked_at_while_nobody_asks(open_collections: OpenCollections) -> None:
    looks = IdleLooks(open_collections, texts=True)
    with open_collections.open_warm("papers") as (collection, _):
        assert open_collections.idle_seconds == 0
        looks.begin()
        until(looks._thread.is_alive)
        looks._closed.wait(1)
        assert looked_at(collection) == 0  # somebody asks
    until(lambda: looked_at(collection) == 2, 120)
    open_collections.close()
    assert not looks._thread.is_alive()


@pytest.mark.slow
def test_pixels_that_an_upload_left_are_read_while_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_looks, "EVERY", 0.05)
    monkeypatch.setattr(idle_looks, "QUIET", 0.2)
    path = documents.pdf(tmp_path / "mills.pdf", ["The mill was built by Anna Holm."], ["It burnt down in 1904."])
    with Collection.create("papers", tmp_path / "home", IndexingSettings(workers=1)) as made:
        build_index(made, [path], settings=IndexingSettings(workers=1, pixels="images"))  # as an upload does
    open_collections = OpenCollections(Profile(), tmp_path / "home")
    looks = IdleLooks(open_collections, texts=False)
    with open_collections.open_warm("papers") as (collection, _):
        assert collection.unseen_pages() == (2, 2)
        looks.begin()
    until(lambda: collection.unseen_pages() == (0, 2), 120)
    assert collection.search("When did it burn down?", mode="image").hits[0].element.page == 2
    open_collections.close()


@pytest.mark.parametrize(
    ("wanted", "with_accounts", "print_check", "looks"),
    [
        (None, True, True, True),
        (None, False, True, False),
        (True, False, True, True),
        (False, True, True, False),
        (True, True, False, False),
    ],
)
def test_a_server_for_several_looks_ahead(
    wanted: bool | None, with_accounts: bool, print_check: bool, looks: bool
) -> None:
    profile = Profile(rag=RagSettings(print_check=print_check), ui=UiSettings(look_ahead=wanted).model_dump())
    assert IdleLooks.reads_texts(profile, with_accounts=with_accounts) is looks
