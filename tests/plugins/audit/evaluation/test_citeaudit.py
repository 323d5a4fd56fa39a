"""`vouch eval citeaudit`: worlds, figures, and the command from a file to its tables."""

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.errors import GoldUnreadable
from plugins.audit.citeaudit import Said, by_paper_rule, figures_of, read_citations

SUBJECTS = [
    "A field study of gulls on northern islands in winter",
    "Why terns return to harbours after every storm",
    "Counting puffins from small boats",
    "Nest building among urban ospreys and kites",
    "Herons as predators of farmed fish",
    "Sleep during the flight of common swifts",
    "The song of plovers recorded over forty years",
    "Mudflats, worms and the decline of curlews",
]
REAL = [
    f"Anna Holm, Per Lind, and Eva Berg. {name}. Journal of Field Ornithology, {n}(2):10-20, 20{10 + n}."
    for n, name in enumerate(SUBJECTS)
]
FAKES = [
    REAL[0].replace("Per Lind", "Jo Katz"),
    REAL[1].replace("storm", "summer"),
    "Al Reed and Bo Stone. Deep tides and the memory of harbours. Marine Letters, 3(1):1-9, 2012.",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [{"source_type": "field", "citation": c, "real": True, "published_system": True} for c in REAL]
    rows += [
        {"source_type": "lab", "citation": c, "real": False, "published_system": n > 0} for n, c in enumerate(FAKES)
    ]
    path = tmp_path / "citations.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), "{broken"]), encoding="utf-8")
    return path


def test_the_command_writes_tables_and_a_line_a_citation(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert main(["citeaudit", "--data", str(data), "--out", str(out), "--markdown"]) == 0
    printed = capsys.readouterr()
    assert "left out: citations.jsonl, line 12" in printed.err
    for line in (
        "| all | 11 | 3 | 1.000 |",
        "| all, unknown is fake | 11 | 3 |",
        "| all, published system | 11 | 3 | 0.500 |",
    ):
        assert line in printed.out
    rows = [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * 11
    fakes = [row["status"] for row in rows if row["world"] == "closed" and not row["real"]]
    assert fakes == ["errors", "errors", "questionable"]
    assert sum(row["status"] == "unknown" for row in rows if row["world"] == "open" and row["real"]) == 4


def test_a_file_without_real_citations_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fakes.jsonl"
    path.write_text(json.dumps({"source_type": "x", "citation": "A. B. 2001.", "real": False}), encoding="utf-8")
    with pytest.raises(GoldUnreadable, match="no real citation"):
        read_citations(path)


def test_the_published_file_is_read(tmp_path: Path) -> None:
    """`benchmark.json`: one object on many lines, whose `data` have `GT` and `Predict`."""
    rows = [
        {"source_type": "realworld", "citation": REAL[0], "GT": True, "Predict": False},
        {"source_type": "generated", "citation": FAKES[0], "GT": False, "Predict": False},
        {"source_type": "generated", "citation": FAKES[1], "GT": "yes"},
        {"source_type": "generated", "citation": FAKES[2], "GT": False},
    ]
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps({"data": rows}, indent=2), encoding="utf-8")
    citations, problems = read_citations(path)
    assert [(c.number, c.set, c.text, c.real, c.published) for c in citations] == [
        (1, "realworld", REAL[0], True, False),
        (2, "generated", FAKES[0], False, False),
        (4, "generated", FAKES[2], False, None),
    ]
    assert problems == ["benchmark.json, entry 3: 'GT' is \"yes\", expected a bool"]
    path.write_text(json.dumps({"data": [{"citation": REAL[0], "label": 1}]}), encoding="utf-8")
    with pytest.raises(
        GoldUnreadable, match=r"no citation with a label .*\n  benchmark.json, entry 1: has no 'source_type'"
    ):
        read_citations(path)


def test_figures_by_hand() -> None:
    pairs: list[tuple[bool, Said]] = [(False, "fake")] * 6 + [(False, "real")] * 2
    pairs += [(True, "fake")] * 2 + [(True, "real")] * 8
    counts = figures_of([*pairs, (True, "unknown"), (True, "unknown"), (False, "unknown")])
    wanted = {"n": 21, "precision": 6 / 8, "recall": 6 / 8, "f1": 12 / 16, "accuracy": 14 / 18, "false_alarms": 2 / 12}
    assert {name: counts[name] for name in wanted} == wanted
    intervals = figures_of(pairs)
    assert intervals["citeaudit.f1_interval"][0] < 0.75 < intervals["citeaudit.f1_interval"][1]
    assert intervals["false_alarms_interval"][0] < 0.2 < intervals["false_alarms_interval"][1]
    assert figures_of(pairs[:1])["citeaudit.f1_interval"] is None
    assert figures_of([])["f1"] is None


def test_what_is_left_open_counts_as_missed_or_by_the_rule_of_the_paper_as_fake() -> None:
    """CiteAudit, its evaluation as the README of its code has it: fake is positive; TP, FN, TN and FP are all there is.

    Of 10 fakes 2 are called fake, 1 real, 7 left open; of 10 real ones 1 is called fake, 4 real, 5 left open. Recall of
    those with a verdict 2/3, of all 2/10; precision 2/3, so F1 of all is 2 x 2/3 x 1/5 / (2/3 + 1/5) = 4/13. Open ones
    called fake: TP 9, FN 1, FP 6, TN 4.
    """
    pairs: list[tuple[bool, Said]] = [(False, "fake")] * 2 + [(False, "real")] + [(False, "unknown")] * 7
    pairs += [(True, "fake")] + [(True, "real")] * 4 + [(True, "unknown")] * 5
    counts = figures_of(pairs)
    assert (counts["recall"], counts["recall_of_all"]) == (2 / 3, 1 / 5)
    assert counts["f1_of_all"] == pytest.approx(4 / 13)
    counts = figures_of([(truth, by_paper_rule({"status": said})) for truth, said in pairs])
    assert [counts[name] for name in ("tp", "fn", "fp", "tn", "open_fake", "open_real")] == [9, 1, 6, 4, 0, 0]
    assert (counts["recall"], counts["recall_of_all"], counts["false_alarms"]) == (0.9, 0.9, 0.6)
    assert counts["f1"] == counts["f1_of_all"] == pytest.approx(18 / 25)
