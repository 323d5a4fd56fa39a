"""A pack of an answer of three sentences, made from a real collection of one PDF, and what forgers do to packs."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PIL import Image

from indexing import Collection, IndexingSettings, build_index
from plugins.evidence.container import INDEX, MANIFEST, SUMS, checksums, read_manifest, read_pack, written_pack
from plugins.evidence.making import evidence_crop, index_page
from rag import Answer, Citation, Evidence, Sentence
from tests.support import documents
from ui.export import export

LINES = ("The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar.")
FIGURES = "A surplus of 1,082 came from a revenue of 20,250 in that year."
WORKING = "5.34% (margin, 2024: Surplus 1,082 / Revenue 20,250)."


class Made(NamedTuple):
    """A pack, the folder with its document and another one, and the answer in it."""

    path: Path
    folder: Path
    answer: Answer


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    home = tmp_path_factory.mktemp("evidence")
    folder = home / "documents"
    folder.mkdir()
    source = documents.pdf(folder / "mill.pdf", (*LINES, FIGURES))
    documents.pdf(folder / "other.pdf", ("The mill burned down in 1901, and its cellar with it.",))
    settings = IndexingSettings(visual="none", workers=1)
    collection = Collection.create("mill", home / "home", settings)
    build_index(collection, [source], settings=settings)
    (document,) = collection.documents()
    elements = collection.page_elements(document.id, 1)

    def cite(quote: str) -> Citation:
        element = next(e for e in elements if quote in e.text and not e.parts)
        start = element.text.index(quote)
        boxes = element.words.line_boxes(start, start + len(quote))
        return Citation.of(Evidence("E1", element, document.name, 0.9), quote, boxes)

    sentences = [Sentence(line, (cite(line),), "quoted", "word for word") for line in LINES]
    sentences.append(Sentence(WORKING, (cite(FIGURES),), "computed", short=(0, 5)))
    answer = Answer("What of the mill?", "text", tuple(sentences), (), 0.9, {"total": 0.1}, "0" * 12)
    path = home / "answer.vouch"
    export(answer, collection, path)
    source.rename(folder / "renamed.bin")
    yield Made(path, folder, answer)
    collection.close()


Edit = Callable[[dict[str, Any], dict[str, bytes]], None]
"""A change of the manifest's values, or of the files of a pack."""


def forged(made: Made, target: Path, edit: Edit) -> Path:
    """Write a pack with a change after which all else was made to fit: crops, page and checksums."""
    members = read_pack("answer.vouch", made.path.read_bytes())
    values = json.loads(members[MANIFEST])
    before = json.dumps(values), dict(members)
    edit(values, members)
    members[MANIFEST] = json.dumps(values).encode()
    if json.dumps(values) != before[0] or members["pages/1.png"] != before[1]["pages/1.png"]:
        packed = read_manifest("forged", members)
        images = {name: Image.open(io.BytesIO(data)) for name, data in members.items() if name.startswith("pages/")}
        for number, citation in enumerate(packed.answer.citations, 1):
            buffer = io.BytesIO()
            evidence_crop(images["pages/1.png"], citation).save(buffer, "PNG")
            members[f"crops/{number}.png"] = buffer.getvalue()
        members[INDEX] = index_page(packed, images)
    target.write_bytes(written_pack({**members, SUMS: checksums(members)}))
    return target
