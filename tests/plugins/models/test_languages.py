"""Documents in other languages than their text embedder reads: what `vouch index` and doctor say."""

from pathlib import Path

import pytest

from indexing import Collection, Document, IndexingSettings, Metadata
from plugins.models import advice
from plugins.models.languages import findings, unread_language
from rag import load_profile
from ui.cli import main

GERMAN = "Die Fähre verlässt den alten Hafen um neun Uhr und ist vor dem Mittag wieder zurück."


def documents(*languages: str) -> list[Document]:
    return [
        Document(id=str(n), name="d", title="d", n_pages=1, sha256="", metadata=Metadata(language=code))
        for n, code in enumerate(languages)
    ]


@pytest.mark.parametrize(
    ("languages", "settings", "unread"),
    [
        (("de", "de-AT", "en", "fr"), {}, "de"),
        (("de", "en", "", ""), {}, ""),
        (("en", "en-US", "de"), {}, ""),
        ((), {}, ""),
        (("de", "fr"), {"embedder": "colbert", "text_checkpoint": "own"}, ""),
        (("de", "fr", "fr"), {"embedder": "colbert", "text_checkpoint": "own", "text_languages": ("de",)}, "fr"),
    ],
)
def test_the_language_of_most_documents_counts(
    languages: tuple[str, ...], settings: dict[str, object], unread: str
) -> None:
    assert unread_language(documents(*languages), IndexingSettings.model_validate(settings)) == unread


@pytest.mark.slow
@pytest.mark.gate
def test_other_languages_are_noted_once_and_in_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(advice, "memory", lambda: 9_000_000_000)
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"{GERMAN} {name}")
        assert main(["index", str(tmp_path / f"{name}.txt"), "--collection", "harbour"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        command = "vouch models get mlateon, then vouch models use mlateon --collection harbour"
        assert (command in shown) == (name == "one"), "told when it begins, not at every run"
    assert [document.metadata.language for document in Collection.open("harbour").documents()] == ["de", "de"]
    ((_, state, says),) = findings(load_profile())
    assert state == "skipped"
    assert says.startswith("most documents of harbour are in another language (de) than its text embedder reads (en)")
    monkeypatch.setattr(advice, "memory", lambda: 1_000_000_000)
    assert list(findings(load_profile())) == []
