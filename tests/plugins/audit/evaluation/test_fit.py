"""The fit of the fields of references: labels follow what is printed, and damage keeps them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from plugins.audit.evaluation.construct import STYLES, PersonName, Work
from plugins.audit.evaluation.fit import fitting
from plugins.audit.evaluation.fit.fitting import CHECKED, agreement, drawn_entry, main
from plugins.audit.evaluation.fit.owned import OwnedText, Owner, labelled
from plugins.audit.evaluation.fit.works import WorkPool
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
SENTENCES = (
    "The harbour was built by the town when the old mills had been closed for years. Who counted the terns of the pier?"
)
POOL = WorkPool(WORKS, NAMES, tuple(SENTENCES.split(". ")))


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


def test_true_labels_are_always_allowed_and_damage_keeps_a_label_for_each_token() -> None:
    rng, moves = Random(1), allowed()
    for _ in range(300):
        entry = drawn_entry(POOL, rng)
        assert len(entry.labels) == len(tokens_of(identified(entry.text).masked))
        last = len(LABELS)
        for label in entry.labels:
            assert moves[last, label] == 0, entry.text
            last = label


def test_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(fitting, "find_spec", lambda _: None)
    with pytest.raises(SystemExit):
        main(["--bib", "works.bib"])
    assert "install torch first, then pip install 'vouch[reference-training]'" in capsys.readouterr().err


def test_the_test_of_the_weights_prints_a_row_a_style(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bib, text = tmp_path / "works.bib", tmp_path / "text.txt"
    line = "@article{{k{0}, title={{Old mills of the north {0}}}, author={{Holm{0}, Anna}}, year=2001}}\n"
    bib.write_text("".join(line.format(n) for n in range(30)), encoding="utf-8")
    text.write_text(SENTENCES, encoding="utf-8")
    main(["--bib", str(bib), "--text", str(text), "--held-out", "2", "--test"])
    assert capsys.readouterr().out.count("\n") > len(STYLES)


def test_a_small_fit_reads_what_it_has_not_seen(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs torch (`make visual-env`)")
    from plugins.audit.evaluation.fit.network import fit, samples_of, write

    rng = Random(2)
    weights = fit(samples_of([drawn_entry(POOL, rng, "apa") for _ in range(400)]), 12, 0)
    right = 0
    for _ in range(20):
        entry = drawn_entry(POOL, rng, "apa")
        path = LabelChain.of(token_columns(tokens_of(identified(entry.text).masked)), weights).best_path()
        right += bool(np.mean(np.array(path) == np.array(entry.labels)) > 0.9)
    assert right >= 15
    write(weights, tmp_path / "weights.npz")
    assert (tmp_path / "weights.npz").stat().st_size < 1_000_000


def test_numpy_and_torch_score_alike() -> None:
    torch = pytest.importorskip("torch", reason="training needs torch (`make visual-env`)")
    from plugins.audit.evaluation.fit import network

    parts = network._parts(torch.nn)
    sample = network.samples_of([drawn_entry(POOL, Random(5))])[0]
    columns = torch.from_numpy(sample.columns[None].astype(np.int64))
    with torch.no_grad():
        true = network._scores(torch, parts, columns, torch.ones(columns.shape[:2]), learning=False)[0].numpy()
    assert np.allclose(true, label_scores(sample.columns, network._arrays(parts)), atol=1e-4)


def test_the_shipped_weights_read_most_entries_of_every_style() -> None:
    for style in STYLES:
        rng = Random(4)
        agreed = [agreement(drawn_entry(POOL, rng, style)) for _ in range(20)]
        for field in ("title", "first author", "year"):
            assert field in CHECKED
            assert sum(field in found for found in agreed) >= 15, (style, field)
