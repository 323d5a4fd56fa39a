"""Records of documents, hints of a question, and what is imported late."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, Hints, build_index
from indexing.metadata import Metadata
from tests.support import documents, fakes


def test_records_are_kept_with_documents_and_change_without_reading_them_anew(tmp_path: Path) -> None:
    path = documents.pdf(tmp_path / "mill.pdf", ["The mill was built in 1887."])
    collection = Collection.create("kept", tmp_path / "home")
    build_index(collection, [path], workers=1, tags=["mills"])
    first = collection.document("mill.pdf")
    assert first.metadata.tags == ("mills",)
    report = build_index(collection, [path], workers=1, records={path: Metadata(author="Ada")}, tags=["old"])
    again = collection.document("mill.pdf")
    assert [f.status for f in report.files] == ["skipped"]
    assert (again.metadata.author, again.metadata.tags) == ("Ada", ("mills", "old"))
    assert again.indexed_at == first.indexed_at


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, embedder: object) -> Collection:
    """Ten pages that say the same, but for what they are called."""
    made = fakes.collection(tmp_path_factory.mktemp("book"), embedder, "book")  # type: ignore[arg-type]
    doc = fakes.document("book.pdf", [["same"]] * 10)
    with made.writer() as writer:
        for number in range(1, 11):
            shown = [fakes.element("The seals rest on the bar.", doc.id, number, 1)]
            if number == 7:
                shown.append(fakes.element("Figure 2: The bar", doc.id, number, 2, "caption"))
            shown.append(fakes.element(f"Book of seals {number + 20}", doc.id, number, 3, "footer"))
            writer.add(fakes.ParsedPage(fakes.Page(doc.id, number, 420, 595), tuple(shown)))
        writer.finish(replace(doc, n_pages=10), fakes.Path("/nowhere"))
        writer.flush()
    return made


@pytest.mark.parametrize(
    ("hints", "first"),
    [
        (Hints(pages=(4,)), 4), (Hints(pages=(25,)), 5), (Hints(pages=(-1,)), 10), (Hints(names=("figure 2",)), 7),
        (Hints(front=True), 1),
    ],
)  # fmt: skip
def test_what_the_question_names_comes_first(book: Collection, hints: Hints, first: int) -> None:
    found = book.search("Where do the seals rest?", hints=hints)
    assert found.pages[0].number == found.hits[0].element.page == first
    assert len({p.number for p in found.pages}) == len(found.pages) == 10
    scores = [p.score for p in found.pages]
    assert scores == sorted(scores, reverse=True)


CLIENT = """
import sys
import indexing.store.database
loaded = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.")]
print(any(name.endswith(".models") for name in loaded), [name for name in loaded if ".api" in name])
import lance_namespace_urllib3_client as client
print(client.TableApi.__name__)
"""
PANDAS = """
import sys
from importlib.util import find_spec
from indexing.lazy_imports import import_without
import_without("lancedb", "pandas")
finder = sys.meta_path[0]
import indexing.store.database
print(find_spec("pandas") is not None, "pandas" in sys.modules, finder in sys.meta_path)
import lancedb, pyarrow as pa
print(pa.table({"page": [4, 5]}).to_pandas()["page"].sum())
"""
LOADED = """
import pandas, sys
from indexing.lazy_imports import import_without
n = len(sys.meta_path)
import_without("lancedb", "pandas")
print(len(sys.meta_path) - n)
"""
BROKEN = """
import sys
from indexing.lazy_imports import import_without
sys.path.insert(0, sys.argv[1])
import_without("breaks", "pandas")
try:
    import breaks
except ImportError as error:
    print(error.name)
import pandas
print(pandas.__name__)
"""


@pytest.mark.parametrize(
    ("code", "output"),
    [
        pytest.param(CLIENT, "True []\nTableApi", id="a client is loaded when asked for"),
        pytest.param(PANDAS, "True False False\n9", id="so is pandas"),
        pytest.param(LOADED, "0", id="what is loaded already is not left out"),
        pytest.param(BROKEN, "nothing_of_this_name\npandas", id="a package that breaks leaves the other at hand"),
    ],
)
def test_packages_are_imported_without_what_nobody_uses(code: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "breaks.py").write_text("import nothing_of_this_name\n")
    command = [sys.executable, "-c", code, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (ended.stdout.strip(), ended.returncode) == (output, 0), ended.stderr
