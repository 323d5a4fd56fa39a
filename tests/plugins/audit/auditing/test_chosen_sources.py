"""The sources that the settings choose, in their order; the network only where it is named."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from indexing.embed import MiniLM
from plugins.audit.auditing.online import online_sources
from plugins.audit.auditing.paper import sources_of
from plugins.audit.auditing.sources import RecordIndex, index_path
from plugins.audit.auditing.types import Record
from plugins.audit.errors import NoSuchBibliography
from plugins.audit.references import BibliographicFields
from rag.settings import AuditSettings
from tests.support import fakes

MILLS = BibliographicFields("Water Mills of the Northern Valleys", ("Brandt, Ilse",))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("mills", "bells"):
        index = RecordIndex(index_path(tmp_path, name), make=True)
        index.fill([Record(MILLS, name)])
        index.close()
    return tmp_path


def names(settings: AuditSettings, home: Path) -> list[str]:
    with ExitStack() as held:
        return [source.name for source in sources_of(settings, None, home, held)]


def test_by_default_all_bibliographies_and_nothing_of_the_network(home: Path) -> None:
    assert names(AuditSettings(), home) == ["bells", "mills"]
    assert not (home / ".online").exists()


def test_all_kinds_in_the_order_of_the_issue(home: Path) -> None:
    collection = fakes.collection(home, MiniLM())
    settings = AuditSettings(network=("doi", "crossref", "openalex", "semantic_scholar", "arxiv"))
    with ExitStack() as held:
        asked = [source.name for source in sources_of(settings, collection, home, held)]
    assert asked == [
        "verified before", "bells", "mills", "the collection's documents",
        "DOI", "Crossref", "OpenAlex", "Semantic Scholar", "arXiv",
    ]  # fmt: skip


def test_bibliographies_that_are_named_in_the_order_in_which_they_are(home: Path) -> None:
    assert names(AuditSettings(bibliographies=("mills", "bells")), home) == ["mills", "bells"]
    assert names(AuditSettings(bibliographies=()), home) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mils", r"no bibliography 'mils' \(there are: bells, mills\).*or did you mean mills\?"),
        ("../mills", "cannot name a bibliography"),
    ],
)
def test_one_that_is_not_there_is_told(home: Path, name: str, said: str) -> None:
    with pytest.raises(NoSuchBibliography, match=said):
        names(AuditSettings(bibliographies=(name,)), home)


def test_what_is_held_is_closed(home: Path) -> None:
    with ExitStack() as held:
        [index] = sources_of(AuditSettings(bibliographies=("mills",)), None, home, held)
        assert index.look_up(MILLS).outcome == "found"
    shut = index.look_up(MILLS)
    assert shut.outcome == "not reachable"
    assert "closed" in shut.searched


def test_nothing_is_kept_of_the_network_where_the_days_are_none(home: Path) -> None:
    assert "Crossref" in names(AuditSettings(network=("crossref",), cache_days=0), home)
    assert not (home / ".online").exists()
    assert "Crossref" in names(AuditSettings(network=("crossref",)), home)
    assert (home / ".online" / "answers.sqlite").is_file()


def test_a_key_comes_out_of_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = AuditSettings(
        network=("openalex", "semantic_scholar"), openalex_key_env="MY_ALEX", semantic_scholar_key_env="MY_S2"
    )
    monkeypatch.setenv("MY_ALEX", " k1 ")
    monkeypatch.setenv("MY_S2", "k2\nhost: x")
    callers = [source._service._caller for source in online_sources(settings, home)]
    assert [caller.key for caller in callers] == [("authorization", "Bearer k1"), None]
