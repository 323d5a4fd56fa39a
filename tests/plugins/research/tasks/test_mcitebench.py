"""MCiteBench: items as they are under their names, answers with inline citations of any system, and their grades."""

import doctest
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation import cli as command
from evaluation.harness.judge import picture
from evaluation.tasks.questions import Gold, GoldQuestion
from plugins.research.tasks import inline_citations, mcitebench
from plugins.research.tasks.items import items_of
from tests.evaluation import data_sets
from tests.support import documents
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

CAPTIONS = {"images/ferry.png": "Ferries at noon.", "images/tax.png": "Taxes by year."}


def row(qid: str = "m", **other: Any) -> dict[str, Any]:
    """A question as published: two texts, a figure, a table and another text, whose names are not in reading order."""
    return data_sets.mcite_row(
        qid,
        evidence_keys=["Figure 4", "line 12"],
        evidence_contents=["images/ferry.png", data_sets.MILL[0]],
        evidence_modal="mixed",
        distractor_contents=["images/tax.png", data_sets.VAULT[0], data_sets.VAULT[1]],
        text_2_idx={data_sets.MILL[0]: "2", data_sets.VAULT[0]: "1", data_sets.VAULT[1]: "3"},
        image_2_idx={"images/ferry.png": "4"},
        table_2_idx={"images/tax.png": "2"},
        **other,
    )


def load(folder: Path, *rows: Any) -> Gold:
    """Read these questions alone."""
    data = data_sets.mcitebench(folder)
    documents.picture(["Taxes rose."], (500, 300)).save(data / "visual_resources" / "paper" / "images" / "tax.png")
    data_sets.lines(data / "data.jsonl", *rows)
    return mcitebench.load(data, None, folder / "material", None)


def only(folder: Path, **other: Any) -> GoldQuestion:
    (question,) = load(folder, row(**other)).questions
    return question


def names(question: GoldQuestion, documents_: Any) -> set[str]:
    return {items_of(question)[document].name for document in documents_}


# ---- what is shown -------------------------------------------------------------------------------------------------


def test_items_have_the_names_of_the_data(tmp_path: Path) -> None:
    question = only(tmp_path)
    items = items_of(question)
    assert {(i.name, i.kind) for i in items.values()} == {
        ("[1]", "text"),
        ("[2]", "text"),
        ("[3]", "text"),
        ("Figure 4", "figure"),
        ("Table 2", "table"),
    }
    assert names(question, question.more["gold"]) == {"Figure 4", "[2]"}
    assert question.groups["setting"] == ("explanation, multiple",)


def test_all_items_are_shown_whole_in_the_papers_form(tmp_path: Path) -> None:
    """Published prompt: texts open with [n], pictures are shown as they are, texts in the order of their numbers."""
    gold = load(tmp_path, row())
    (question,) = gold.questions
    parts = mcitebench.message(question, lambda document: picture(gold.files[document]), captions=True)
    texts = [part for part in parts if isinstance(part, str)]
    assert texts[:-1] != sorted(texts[:-1])
    assert [t for t in texts if t.startswith("[")] == [
        f"[1] {data_sets.VAULT[0]}",
        f"[2] {data_sets.MILL[0]}",
        f"[3] {data_sets.VAULT[1]}",
    ]
    figure, table = (parts[parts.index(name) + 1] for name in ("Figure 4", "Table 2"))
    assert not isinstance(figure, str)
    assert not isinstance(table, str)
    assert (figure.size, table.size) == ((900, 600), (500, 300))
    assert (len(parts), texts[-1].rstrip().endswith(f"Question: {question.text}")) == (5 + 2 + 1, True)
    assert question.answer not in "".join(texts)


# ---- what is said --------------------------------------------------------------------------------------------------


def test_the_worked_examples_are_right() -> None:
    assert doctest.testmod(inline_citations).failed == 0


def test_sources_and_citations_of_an_answer_by_hand(tmp_path: Path) -> None:
    """Gold: Figure 4 and [2]. Cited: [2], Figure 4 and Figure 9, which is no item. Source F1: P 2/3, R 1, F1 4/5.

    Sentences: the first has recall 1 of two citations that prove it (precision 1); the second cites what is not there
    (recall 0, precision 0); the third nothing (recall 0, and no precision). Recall 1/3, precision (1 + 0) / 2, F1 2/5.
    """
    question = only(tmp_path)
    response = "It grinds nine, as Figure 4 shows [2]. Taxes rose (Figure 9). All is well."
    line = mcitebench.foreign(question, {"question_id": "m", "response": response})
    rubrics = {r.key: r for r in mcitebench.rubrics(question, line)}
    assert sorted(rubrics) == ["Acc", "precision:0:0", "precision:0:1", "recall:0"]
    assert len(rubrics["recall:0"].regions) == 1
    figures = mcitebench.figures(question, line, dict.fromkeys(("precision:0:0", "precision:0:1", "recall:0"), 1.0))
    assert figures["Source F1"] == pytest.approx(4 / 5)
    assert figures["Source EM"] == 0
    assert figures["Citation recall"] == pytest.approx(1 / 3)
    assert figures["Citation precision"] == pytest.approx(1 / 2)
    assert figures["Citation F1"] == pytest.approx(2 / 5)


def test_questions_with_two_sources_are_of_one_modality_or_mixed(tmp_path: Path) -> None:
    texts = row("t") | {"evidence_contents": [data_sets.MILL[0], data_sets.VAULT[0]], "distractor_contents": []}
    one = row("o") | {"evidence_contents": [data_sets.MILL[0]]}
    found = {question.qid: question.groups["two sources"] for question in load(tmp_path, row(), texts, one).questions}
    assert found == {"m": ("mixed",), "t": ("single",), "o": ()}


def test_the_published_lists_of_sentences_and_citations_are_read(tmp_path: Path) -> None:
    question = only(tmp_path)
    pairs = [
        {"Sentence": "It grinds nine.", "Citation": ["2", "Figure 4"]},
        {"Sentence": "Taxes rose.", "Citation": ["table 2"]},
    ]
    line = mcitebench.foreign(question, {"question_id": "m", "sentence_citation_list": pairs})
    assert [c["name"] for c in line["cited"]] == ["[2]", "Figure 4", "Table 2"]
    assert mcitebench.figures(question, line)["Source F1"] == pytest.approx(4 / 5)
    with pytest.raises(ValueError, match="has no 'sentence_citation_list'"):
        mcitebench.foreign(question, {"question_id": "m", "text": "Nine."})


def test_what_a_run_writes_is_read_back_with_the_same_sources(tmp_path: Path) -> None:
    question = only(tmp_path)
    response = "It grinds nine, as Figure 4 shows [2]. Taxes rose. All is well (Table 2)."
    line = mcitebench.foreign(question, {"response": response})
    bare = {**line, "sentences": [{**s, "text": s["text"].split(" [")[0] + "."} for s in line["sentences"]]}
    for each in (line, bare):
        back = mcitebench.foreign(question, json.loads(mcitebench.output_line(question, each)))
        assert mcitebench.figures(question, back)["Source F1"] == mcitebench.figures(question, line)["Source F1"]


# ---- what is judged -----------------------------------------------------------------------------------------------


# ---- in a run ------------------------------------------------------------------------------------------------------


def cites_its_gold(asked: Asked) -> Script:
    """Cites Figure 4 and [2], if it was shown both and their picture."""
    lines = [line for part in asked.parts for line in part.get("text", "").splitlines()]
    named = [any(line.startswith(name) for line in lines) for name in ("[1]", "[2]", "Figure 4", "Table 2")]
    whole = len(asked.images) == 2 and all(named)
    return says("It grinds nine sacks, as Figure 4 shows [2]." if whole else "Something was not shown.")


@pytest.mark.slow
def test_a_run_shows_the_items_and_scores_what_is_cited(tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    """Nothing is searched; the settings of the run say what was shown; outputs.jsonl is scored the same."""
    single = {**row("s"), "evidence_contents": ["images/ferry.png"], "distractor_contents": ["images/tax.png"]}
    single["distractor_contents"] += [data_sets.MILL[0], *data_sets.VAULT]
    load(tmp_path / "data", row("m", captions=CAPTIONS), single)
    server = serve(cites_its_gold)
    model = {"base_url": server.url, "name": "m"}
    (tmp_path / "p.yaml").write_text(
        json.dumps({"indexing": {"workers": 1, "visual": "none"}, "rag": {"model": model}})
    )
    words = ["mcitebench", "--data", str(tmp_path / "data"), "--home", str(tmp_path / "home")]
    words += ["--profile", str(tmp_path / "p.yaml"), "--method", "vanilla"]
    assert command.main([*words, "--out", str(tmp_path / "run")]) == 0
    assert len(server.asked) == 2
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    values = {name: (g["Source F1"]["value"], g["Source EM"]["value"]) for name, g in summary["figures"].items()}
    assert values["setting: explanation, multiple"] == (100, 100)
    assert values["setting: explanation, single"] == pytest.approx((200 / 3, 0))
    assert summary["input"] == "items"
    assert command.main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    assert "| explanation, multiple | " in (tmp_path / "report" / "report.md").read_text()
    outputs = tmp_path / "run" / "outputs.jsonl"
    assert command.main([*words[:5], "--predictions", str(outputs), "--out", str(tmp_path / "theirs")]) == 0
    theirs = json.loads((tmp_path / "theirs" / "summary.json").read_text())
    assert theirs["figures"]["all"]["Source F1"] == summary["figures"]["all"]["Source F1"]
    assert command.main([*words, "--out", str(tmp_path / "run"), "--resume", "--input", "names"]) == 2
    assert command.main([*words, "--out", str(tmp_path / "names"), "--input", "names"]) == 0
    assert "Ferries at noon." in server.asked[0].text + server.asked[1].text
    assert "Ferries at noon." not in server.asked[2].text + server.asked[3].text
