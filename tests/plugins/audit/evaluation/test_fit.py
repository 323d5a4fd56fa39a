"""The fit of the fields of references: labels follow what is printed, damage keeps them, and styles are read."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from plugins.audit.evaluation.construct import STYLES, PersonName, Work
from plugins.audit.evaluation.fit import fitting
from plugins.audit.evaluation.fit.damage import damaged
from plugins.audit.evaluation.fit.entries import RecordPool, drawn_entry, styled_entries
from plugins.audit.evaluation.fit.fitting import CHECKED, agreement, main
from plugins.audit.evaluation.fit.layouts import typed
from plugins.audit.evaluation.fit.owned import OwnedText, Owner, labelled
from plugins.audit.evaluation.fit.phrases import Phrases
from plugins.audit.references.fields import (
    LABELS,
    LabelChain,
    allowed,
    identified,
    label_scores,
    token_columns,
    tokens_of,
)

NAMES = tuple(
    PersonName(family, given)
    for family in ("Holm", "Berg", "Lind", "Dahl", "Falk", "Moe")
    for given in ("Anna", "Bo", "Carl Johan", "Ida")
)
WORKS = (Work("article", "Old mills of the north", NAMES[:2], "2001", "Journal of Mills", volume="3", pages="1–9"),)
POOL = RecordPool(WORKS, NAMES)
SENTENCES = (
    "The harbour was built by the town when the old mills had been closed for years. Who counted the terns of the pier?"
)


@pytest.fixture
def phrases(tmp_path: Path) -> Phrases:
    text = tmp_path / "text.txt"
    text.write_text(SENTENCES, encoding="utf-8")
    return Phrases(text)


def test_labels_follow_the_owners() -> None:
    entry = OwnedText().add("[1] ").add("A. Holm", Owner.NAME).add(" and ").add("B. Lind", Owner.NAME + 1).add(" (")
    entry.add("2001", Owner.YEAR).add("). ").add("Old mills", Owner.TITLE).add(". ").add("Ibis", Owner.VENUE).add(
        ", 3."
    )
    found = labelled(entry)
    assert found is not None
    assert [LABELS[number] for number in found.labels] == [
        *("name", "in name", "in name", "between names", "name", "in name", "in name"),
        *(
            "before",
            "year before",
            "before",
            "before",
            "title",
            "in title",
            "after",
            "venue",
            "after",
            "after",
            "after",
        ),
    ]
    assert (found.title, found.authors, found.year) == ("Old mills", ("A. Holm", "B. Lind"), "2001")


def test_an_entry_may_have_no_title_and_a_later_name_is_no_author() -> None:
    entry = (
        OwnedText()
        .add("A. Holm", Owner.NAME)
        .add(", ")
        .add("Ibis", Owner.VENUE)
        .add(" 12, 3 (")
        .add("2001", Owner.YEAR)
    )
    found = labelled(entry.add("). See also ").add("B. Lind", Owner.NAME + 1))
    assert found is not None
    assert [LABELS[number] for number in found.labels][3:5] == ["before", "venue"]
    assert found.authors == ("A. Holm",)


def test_true_labels_are_always_allowed_and_damage_keeps_a_label_for_each_token(phrases: Phrases) -> None:
    rng, moves = Random(1), allowed()
    for _ in range(300):
        entry = drawn_entry(POOL, phrases, rng)
        assert len(entry.labels) == len(tokens_of(identified(entry.text).masked))
        last = len(LABELS)
        for label in entry.labels:
            assert moves[last, label] == 0, entry.text
            last = label


def test_a_typed_entry_prints_the_fields_of_its_work(phrases: Phrases) -> None:
    rng = Random(2)
    for _ in range(100):
        entry = typed(WORKS[0], phrases, rng)
        assert len(entry.text) == len(entry.owners)
        title = "".join(c for c, owner in zip(entry.text, entry.owners, strict=True) if owner == Owner.TITLE)
        assert title in (WORKS[0].title, "")
        broken = damaged(entry, rng)
        assert len(broken.text) == len(broken.owners)


def test_entries_in_a_style_of_csl_know_their_fields(phrases: Phrases, tmp_path: Path) -> None:
    pytest.importorskip("citeproc", reason="citeproc-py prints CSL styles (pip install 'vouch[reference-training]')")
    from plugins.audit.evaluation.fit.csl import StyledPrinter

    style = tmp_path / "plain.csl"
    style.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0"><info><title>Plain</title>'
        "<id>plain</id><updated>2026-01-01T00:00:00Z</updated></info><citation><layout/></citation>"
        '<bibliography><layout suffix="."><names variable="author"><name initialize-with=". "/></names>'
        '<text variable="title" prefix=", "/><text variable="container-title" prefix=", "/></layout></bibliography>'
        "</style>",
        encoding="utf-8",
    )
    found = list(styled_entries(POOL, phrases, StyledPrinter(style), 12, Random(3)))
    assert found
    assert all(entry.title in entry.text and all(name in entry.text for name in entry.authors) for entry in found)


@pytest.mark.parametrize(("styles", "missing"), [([], "torch"), (["--styles", "styles"], "torch, citeproc")])
def test_training_says_what_to_install(
    styles: list[str], missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fitting, "find_spec", lambda _: None)
    with pytest.raises(SystemExit):
        main(["--bib", "works.bib", *styles])
    told = capsys.readouterr().err
    assert f"needs {missing}: " in told
    assert "pip install 'vouch[reference-training]'" in told


def test_a_small_fit_reads_what_it_has_not_seen(phrases: Phrases, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch (`make visual-env`)")
    from plugins.audit.evaluation.fit.network import fit, samples_of, write

    rng = Random(2)
    weights = fit(samples_of([drawn_entry(POOL, phrases, rng, "apa") for _ in range(400)]), 12, 0)
    right = 0
    for _ in range(20):
        entry = drawn_entry(POOL, phrases, rng, "apa")
        path = LabelChain.of(token_columns(tokens_of(identified(entry.text).masked)), weights).best_path()
        right += bool(np.mean(np.array(path) == np.array(entry.labels)) > 0.9)
    assert right >= 15
    write(weights, tmp_path / "weights.npz")
    assert (tmp_path / "weights.npz").stat().st_size < 1_000_000


def test_numpy_and_torch_score_alike(phrases: Phrases) -> None:
    torch = pytest.importorskip("torch", reason="training needs torch (`make visual-env`)")
    from plugins.audit.evaluation.fit import network

    parts = network._parts(torch.nn)
    sample = network.samples_of([drawn_entry(POOL, phrases, Random(5))])[0]
    columns = torch.from_numpy(sample.columns[None].astype(np.int64))
    with torch.no_grad():
        true = network._scores(torch, parts, columns, torch.ones(columns.shape[:2]), learning=False)[0].numpy()
    assert np.allclose(true, label_scores(sample.columns, network._arrays(parts)), atol=1e-4)


def test_the_shipped_weights_read_most_entries_of_every_style(phrases: Phrases) -> None:
    for style in STYLES:
        rng = Random(4)
        agreed = [agreement(drawn_entry(POOL, phrases, rng, style)) for _ in range(20)]
        for field in ("title", "first author", "year"):
            assert field in CHECKED
            assert sum(field in found for found in agreed) >= 15, (style, field)
