"""A manual that explains options and variables below their names: asked by name, or by what they do."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing import Collection, IndexingSettings, build_index
from rag import Answer, Pipeline, RagSettings

pytestmark = pytest.mark.slow
EXPLAINED = [
    (
        "--jobs=<number> [default: 2]",
        "Grind the rye on as many stones at once as this says, each with a keeper beside it.",
    ),
    ("--jobs-file=<name> [default: none]", "Read the names of the keepers from a file, in which each has a line."),
    (
        "--keep-going=<yes|no> [default: yes]",
        "Go on with the other sacks when one is wet, and tell which ones were left.",
    ),
    ("MILL_SACKS", "The number of sacks that are ground in a day. The miller sets the value to 40."),
    ("MILL_SACKS_KEPT", "The sacks that are kept for bad days. The default is the value of MILL_SACKS."),
]
PROSE = (
    "The mill stands at the mouth of the river, and is older than the village. It was built of brick by two brothers."
)


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    folder = tmp_path_factory.mktemp("manual")
    _write(folder / "mill.pdf")
    made = Collection.create("manual", folder / "home", IndexingSettings(workers=1, visual="none"))
    assert build_index(made, [folder / "mill.pdf"]).exit_code == 0
    return Pipeline(made, RagSettings())


def _write(path: Path) -> None:
    """Write a page whose options and variables stand at the margin, with what explains them set in below."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 80), "How the mill is run", fontsize=18, fontname="hebo")
        page.insert_textbox((72, 100, 520, 140), PROSE, fontsize=11)
        top = 150.0
        for term, text in EXPLAINED:
            page.insert_text((72, top + 10), term, fontsize=10, fontname="cour")
            page.insert_textbox((94, top + 16, 520, top + 60), text, fontsize=11)
            top += 62
        page.insert_textbox(
            (72, top + 20, 520, top + 60), "All of this is told to the keeper on the first day.", fontsize=11
        )
        document.save(path)


def first(answer: Answer) -> tuple[str, list[str]]:
    sentence = answer.sentences[0]
    assert all(citation.boxes for citation in sentence.citations)
    return sentence.text, [citation.quote for citation in sentence.citations]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does the --keep-going option do?", "--keep-going=<yes|no> [default: yes]: Go on with the other sacks"),
        ("Which option reads the names of the keepers?", "--jobs-file=<name> [default: none]: Read the names"),
        ("To which value does the miller set MILL_SACKS?", "MILL_SACKS: The miller sets the value to 40."),
    ],
)
def test_what_explains_an_option_stands_behind_its_name(manual: Pipeline, question: str, text: str) -> None:
    said, _ = first(manual.answer(question))
    assert said.startswith(text)


@pytest.mark.gate
def test_the_name_and_the_explanation_are_cited_each_with_its_box(manual: Pipeline) -> None:
    _, quotes = first(manual.answer("To which value does the miller set MILL_SACKS?"))
    assert quotes == ["The miller sets the value to 40.", "MILL_SACKS"]


def test_what_stands_at_the_margin_again_belongs_to_no_option(manual: Pipeline) -> None:
    elements = [e for page in manual.collection.elements_on([(manual.collection.documents()[0].id, 1)]) for e in page]
    (last,) = (e for e in elements if e.text.startswith("All of this") and e.kind != "group")
    assert last.section == ("How the mill is run",)
