"""The fit of the fields of references: labels follow the pieces, and a small fit reads entries that it has not seen."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np

from plugins.audit.evaluation.construct import STYLES, PersonName, Work, printed
from plugins.audit.evaluation.fit.entries import RecordPool, drawn_entry, labelled
from plugins.audit.evaluation.fit.fitting import CHECKED, agreement, fit, write
from plugins.audit.references.fields import LABELS, allowed, best_path, feature_ids, identified, tokens_of

NAMES = tuple(
    PersonName(family, given)
    for family in ("Holm", "Berg", "Lind", "Dahl", "Falk", "Moe")
    for given in ("Anna", "Bo", "Carl Johan", "Ida")
)
WORKS = (Work("article", "Old mills of the north", NAMES[:2], "2001", "Journal of Mills", volume="3", pages="1–9"),)


def test_labels_follow_the_pieces() -> None:
    entry = labelled(printed(WORKS[0], STYLES["neurips"]), "neurips")
    names = [LABELS[number] for number in entry.labels]
    assert names[:6] == ["name", "in name", "between names", "name", "in name", "before"]
    assert names[6:11] == ["title", "in title", "in title", "in title", "in title"]
    assert entry.fields.title == "Old mills of the north"
    assert entry.fields.authors == ("Anna Holm", "Bo Holm")


def test_true_labels_are_always_allowed() -> None:
    pool, rng = RecordPool(WORKS, NAMES), Random(1)
    moves = allowed()
    for _ in range(200):
        entry = drawn_entry(pool, rng)
        last = len(LABELS)
        for label in entry.labels:
            assert moves[last, label] == 0, entry.text
            last = label


def test_a_small_fit_reads_what_it_has_not_seen(tmp_path: Path) -> None:
    pool, rng = RecordPool(WORKS, NAMES), Random(2)
    weights = fit([drawn_entry(pool, rng, "apa") for _ in range(60)], 3, rng)
    right = 0
    for _ in range(20):
        entry = drawn_entry(pool, rng, "apa")
        path = best_path(feature_ids(tokens_of(identified(entry.text).masked)), weights)
        right += np.mean(np.array(path) == np.array(entry.labels)) > 0.9
    assert right >= 15
    write(weights, tmp_path / "weights.npz")
    assert (tmp_path / "weights.npz").stat().st_size < 1_000_000


def test_the_shipped_weights_read_most_entries_of_every_style() -> None:
    pool = RecordPool(WORKS, NAMES)
    for style in STYLES:
        rng = Random(4)
        agreed = [agreement(drawn_entry(pool, rng, style)) for _ in range(20)]
        for field in ("title", "first author", "year"):
            assert field in CHECKED
            assert sum(field in found for found in agreed) >= 15, (style, field)
