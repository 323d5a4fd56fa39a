"""The samples as a pipeline, and collections of made-up sentences, which have pixels or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import fakes

if TYPE_CHECKING:  # most tests of rag need none of it, and it takes seconds to import
    from indexing import Collection
    from indexing.embed.minilm import MiniLM
    from rag import Pipeline


@pytest.fixture(scope="session")
def pipeline(samples: Collection) -> Pipeline:
    from rag import Pipeline

    made = Pipeline(samples)
    made.warm()
    return made


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    from indexing.embed.minilm import MiniLM

    return MiniLM(threads=1)


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """Two made-up documents."""
    made = fakes.collection(tmp_path_factory.mktemp("town"), embedder, "town")
    fakes.index(
        made,
        {
            "mill.pdf": [
                ["The mill was built in 1887 by Anna Holm. It grinds rye. Its wheel turns from March to October."],
                ["Nine barrels of cider lie in its cellar."],
            ],
            "bus.pdf": [["The night bus leaves the harbour at ten minutes past ten. A ticket costs two crowns."]],
        },
    )
    return made


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """A page of text, a scan that both its text and its pixels tell of, and a poster that only its pixels tell of."""
    from indexing import Page, ParsedPage, Region

    made = fakes.collection(tmp_path_factory.mktemp("seen"), embedder, "seen")
    pages = {
        "mill.pdf": [
            fakes.element("The mill was built in 1912 by Anna Holm."),
            fakes.element("It grinds rye.", "d", 1, 2),
        ],
        "scan.pdf": [fakes.element("The harbour bridge opened in 1931.")],
        "poster.pdf": [fakes.element("", kind="picture")],
    }
    read = {"scan.pdf": "The harbour bridge opened in 1931.", "poster.pdf": "The lighthouse was lit in 1887."}
    with made.writer() as writer:
        for name, found in pages.items():
            document = fakes.document(name, [[e.text for e in found]])
            elements = tuple(replace(e, id=f"{document.id}-{n}", doc_id=document.id) for n, e in enumerate(found, 1))
            regions = (Region(elements[0].bbox, read[name]),) if name in read else ()
            writer.add(ParsedPage(Page(document.id, 1, 420.0, 595.0), elements, regions))
            writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """A collection that was made without a visual embedder."""
    from indexing import Collection, IndexingSettings

    home = tmp_path_factory.mktemp("plain")
    made = Collection.create("plain", home, IndexingSettings(workers=1, visual="none"))
    vars(made)["_embedder"] = embedder
    fakes.index(made, {"mill.pdf": [["The mill was built in 1912 by Anna Holm."]]})
    return made


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """Eight pages that say nearly the same, and a ninth with a balance sheet."""
    made = fakes.collection(tmp_path_factory.mktemp("long"), embedder, "long")
    pages = [[f"The mill of year {n} ground rye and wheat for the valley."] for n in range(1, 9)]
    fakes.index(made, {"mill.pdf": [*pages, ["The balance sheet: the miller owes the baker forty crowns."]]})
    return made
