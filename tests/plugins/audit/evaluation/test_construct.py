"""Hallucinated references: each line says truly what was changed; seeds repeat; shares are the taxonomy's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.errors import GoldUnreadable, RunRefused
from plugins.audit.evaluation.construct import (
    REFERENCES_FILE,
    ReferenceRecipe,
    Work,
    construct,
    read_works,
)
from plugins.audit.evaluation.construct.taxonomy import LEAST_YEARS, RULES
from rag.llm import Message
from tests.support.fakes import ScriptedModel

FAMILIES = ("Holm", "Berg", "Lind", "Dahl", "Ek", "Falk", "Gran", "Hall", "Jung", "Kvist", "Lund", "Moe", "Ost", "Palm")
THINGS = ("millstones", "harbours", "lanterns", "orchards", "glaciers", "violins", "railways", "beehives")


def entry_of(number: int) -> str:
    first, second, third = (FAMILIES[(number + step) % len(FAMILIES)] for step in (0, 7, 11))
    thing, other = THINGS[number % len(THINGS)], THINGS[(number + 3) % len(THINGS)]
    return (
        f"@article{{k{number}, title = {{Measuring {thing} with careful {other} number{number}}},\n"
        f" author = {{{first}, Anna and Carl {second} and {third}, Ida}}, year = {{{1990 + number % 30}}},\n"
        f" journal = {{Journal of {thing.title()}}}, volume = {{{number + 1}}}, pages = {{1--9}},\n"
        f" doi = {{10.1000/{number}77}} }}\n"
    )


@pytest.fixture
def bib(tmp_path: Path) -> Path:
    path = tmp_path / "works.bib"
    path.write_text("".join(map(entry_of, range(100))), encoding="utf-8")
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / REFERENCES_FILE).read_text(encoding="utf-8").splitlines()]


def test_every_wrong_line_differs_from_its_true_one_by_what_it_names(bib: Path, tmp_path: Path) -> None:
    construct(None, tmp_path / "out", ReferenceRecipe(bib, "apa", 100))
    rows = rows_of(tmp_path / "out")
    true = {row["id"]: row["citation"] for row in rows if row["real"]}
    wrong = [row for row in rows if not row["real"]]
    assert len(true) == len(wrong) == 100
    for row in wrong:
        assert row["citation"] != true[row["id"].removesuffix("-wrong")]
        assert all(change["before"] != change["after"] for change in row["changes"])
        assert (row["error_type"] == "compound") == (len(row["changes"]) > 1)
        for change in row["changes"]:
            if change["field"] in ("year", "venue", "doi"):
                assert change["after"].lower() in row["citation"].lower()
    first = Counter("authors" if r["changes"][0]["field"] == "authors" else r["changes"][0]["field"] for r in wrong)
    assert (first["title"], first["authors"]) == (40, 40)
    assert any(row["error_type"] == "compound" for row in wrong)


def test_equal_seeds_give_equal_files_and_others_do_not(bib: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        construct(None, tmp_path / name, ReferenceRecipe(bib, "ieee", 20, seed))
    a, b, c = ((tmp_path / name / REFERENCES_FILE).read_bytes() for name in "abc")
    assert a == b != c


def test_each_rule_changes_its_field_alone(bib: Path) -> None:
    works = list(read_works(bib))
    for rules in RULES.values():
        for rule in rules:
            found = rule(works[5], works, Random(3))
            assert found is not None
            changed, change = found
            differing = {
                name for name in Work.__dataclass_fields__ if getattr(changed, name) != getattr(works[5], name)
            }
            assert differing == {change.field}
            if change.field == "year":
                assert abs(int(change.after) - int(change.before)) >= LEAST_YEARS


def test_a_model_rewords_titles_and_its_failures_are_counted(bib: Path, tmp_path: Path) -> None:
    def says(_: Sequence[Message]) -> str:
        return json.dumps({"title": "Entirely other words."})

    construct(ScriptedModel(says), tmp_path / "out", ReferenceRecipe(bib, "neurips", 50))
    errors = Counter(
        change["error"] for row in rows_of(tmp_path / "out") if not row["real"] for change in row["changes"]
    )
    assert errors["paraphrase"] > 0
    assert errors["topic synthesis"] > 0
    made = construct(ScriptedModel(lambda _: "no JSON"), tmp_path / "bad", ReferenceRecipe(bib, "neurips", 50))
    assert made.skipped["the reply cannot be used"] > 0
    assert len(made.rows) == 100


def test_bibtex_is_read_with_accents_particles_and_organisations(tmp_path: Path) -> None:
    path = tmp_path / "a.bib"
    path.write_text(
        '@book{a, title={{\\"U}ber {M}ills}, year=2001,'
        " author={Anna van der Berg and {The Mill Society} and Holm, Jr., Bo}}\n"
        "@misc{b, note={no title}}\n@article{c, title={unclosed",
        encoding="utf-8",
    )
    (work,) = read_works(path)
    assert work.title == "Über Mills"
    assert [name.plain for name in work.authors] == ["Anna van der Berg", "The Mill Society", "Bo Holm, Jr."]


def test_files_and_options_that_cannot_be_used_are_refused(
    bib: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GoldUnreadable, match="cannot read"):
        list(read_works(tmp_path / "none.bib"))
    (tmp_path / "two.bib").write_text("@article{a, title={Mills}, author={Holm, Bo}, year={2001}}", encoding="utf-8")
    with pytest.raises(RunRefused, match="three are needed"):
        construct(None, tmp_path / "out", ReferenceRecipe(tmp_path / "two.bib"))
    words = ["construct", "references", "--bib", str(bib), "--out", str(tmp_path / "out")]
    assert command.main([*words, "--count", "4", "--style", "lncs"]) == 0
    assert "8 citations" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main([*words, "--style", "none"])
    assert "'none' is not known" in capsys.readouterr().err
