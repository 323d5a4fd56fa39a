"""The audit of a file: a paper or a bibliography, held against files, kept bibliographies and a collection."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from plugins.audit.auditing import Audit, Audited, ReferencesFound, audit_paper
from plugins.audit.auditing.audit import bibliography_of_file, sources_of
from plugins.audit.auditing.online import OnlineSource, online_sources
from plugins.audit.auditing.sources import RecordIndex, index_path
from plugins.audit.auditing.types import Record
from plugins.audit.errors import NoBibliography
from plugins.audit.references import BibliographicFields
from rag import AuditSettings, Profile
from tests.support import fakes

KNOWN = "@article{a, author={A. Holm}, title={The mills of the north and their wheels}, journal={Mills}, year={2009}}"
CITED = KNOWN.replace("2009", "2019")
PAPER = [
    "Mills have turned for long [1].",
    "References",
    "[1] A. Holm. The mills of the north and their wheels. Mills, 2009.",
    "[2] B. Falk. Cider in the barrels of Sallow Bay. Press of the Bay, 2001.",
]


def audited(path: Path, home: Path, **options: object) -> Audit:
    """The audit of a file by its events, of which the entries come first and the whole last."""
    events = list(audit_paper(path, Profile(), home=home, **options))  # type: ignore[arg-type]
    assert isinstance(events[0], ReferencesFound)
    last = events[-1]
    assert isinstance(last, Audited)
    return last.audit


def test_a_bibliography_is_held_against_a_file_of_records(tmp_path: Path) -> None:
    (tmp_path / "known.bib").write_text(KNOWN)
    (tmp_path / "cited.bib").write_text(CITED)
    (one,) = audited(tmp_path / "cited.bib", tmp_path, bibliographies=[tmp_path / "known.bib"]).references
    assert one.status == "errors"
    assert [(f.cited, f.found) for f in one.fields if f.agrees is False] == [("2019", "2009")]
    assert one.reference.label == "a"


def test_a_file_without_entries_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty.bib").write_text("% nothing\n")
    with pytest.raises(NoBibliography, match="no entries were found"):
        bibliography_of_file(tmp_path / "empty.bib")


def test_a_collection_is_asked_among_its_documents(tmp_path: Path, embedder: MiniLM) -> None:
    title = "The mills of the north and their wheels"
    collection = fakes.collection(tmp_path / "home", embedder, "mills")
    fakes.index(collection, {f"{title}.pdf": [[title, "A. Holm"]]})
    (tmp_path / "cited.bib").write_text(KNOWN)
    (one,) = audited(tmp_path / "cited.bib", tmp_path / "home", collection=collection).references
    assert [lookup.source for lookup in one.lookups] == ["the collection's documents"]
    assert one.lookups[0].outcome == "found"


MILLS = BibliographicFields("Water Mills of the Northern Valleys", ("Brandt, Ilse",))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    for name in ("mills", "bells"):
        index = RecordIndex(index_path(tmp_path, name), make=True)
        index.fill([Record(MILLS, name)])
        index.close()
    return tmp_path


def names(settings: AuditSettings, kept: Path) -> list[str]:
    with ExitStack() as held:
        return [source.name for source in sources_of(settings, None, kept, held)]


def test_by_default_all_bibliographies_and_nothing_of_the_network(kept: Path) -> None:
    assert names(AuditSettings(), kept) == ["bells", "mills"]
    assert not (kept / ".online").exists()


def test_all_kinds_in_the_order_of_the_issue(kept: Path) -> None:
    collection = fakes.collection(kept, MiniLM())
    settings = AuditSettings(network=("doi", "crossref", "openalex"))
    with ExitStack() as held:
        asked = [source.name for source in sources_of(settings, collection, kept, held)]
    assert asked == [
        "bells", "mills", "the collection's documents",
        "DOI", "Crossref", "OpenAlex",
    ]  # fmt: skip


@pytest.mark.parametrize(("key", "sent"), [(" k1 ", ("authorization", "Bearer k1")), ("k2\nhost: x", None)])
def test_a_key_comes_out_of_the_environment(
    key: str, sent: tuple[str, str] | None, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_ALEX", key)
    (source,) = online_sources(AuditSettings(network=("openalex",), openalex_key_env="MY_ALEX"), kept)
    assert isinstance(source, OnlineSource)
    assert source._service._caller.key == sent
