"""MCiteBench: items as they are under their names, answers with inline citations of any system, and their grades."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation import cli as command
from evaluation.harness.judge import picture, rubric_prompt
from evaluation.tasks.questions import Gold, GoldQuestion
from plugins.research.tasks import inline_citations, mcitebench
from plugins.research.tasks.inline_citations import cited_names, cited_sentences
from plugins.research.tasks.items import SourceItem, items_of, shuffled
from tests.evaluation import data_sets
from tests.support import documents
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

CAPTIONS = {"images/ferry.png": "Ferries at noon.", "images/tax.png": "Taxes by year."}
TWO_ITEMS = {"a": SourceItem("a", "text", "Ferries burn oil."), "b": SourceItem("b", "figure")}
JUDGED = GoldQuestion("q", "What burns?", "Oil.", ("a", "b"), more={"gold": frozenset({"a"}), "items": TWO_ITEMS})


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


def test_questions_with_two_sources_are_of_one_modality_or_mixed(tmp_path: Path) -> None:
    """MCiteBench, arXiv 2503.02589: RQ2 sets the two beside each other; table 4 has all mixed ones in a column."""
    figure, text, other = "images/ferry.png", data_sets.MILL[0], data_sets.VAULT[0]
    for number, (evidence, modal, modality) in enumerate(
        [
            ([figure, text], ["figure", "text"], ("figure text", "mixed")),
            ([text, other], ["text", "text"], ("text text",)),
            ([text], ["text"], ("text",)),
            ([figure, text, other], ["figure", "text", "text"], ("figure text text", "mixed")),
            ([figure], "mixed", ("mixed",)),
        ]
    ):
        rest = [content for content in (figure, text, other) if content not in evidence]
        own = {"evidence_contents": evidence, "distractor_contents": rest, "evidence_modal": modal}
        (asked,) = load(tmp_path / str(number), {**row(), **own, "evidence_keys": []}).questions
        assert asked.groups["modality"] == modality


def test_what_the_data_does_not_name_has_a_name_all_the_same(tmp_path: Path) -> None:
    """An image is a table where its key says so; a name is never given twice."""
    bare = {"text_2_idx": {}, "image_2_idx": {}, "table_2_idx": {}}
    keyed = {**row(), **bare, "evidence_keys": ["Table 7", "line 12"]}
    (question,) = load(tmp_path, keyed).questions
    assert {i.name for i in items_of(question).values()} == {"[1]", "[2]", "[3]", "Table 7", "Figure 1"}
    twice = {**row(), "text_2_idx": {data_sets.MILL[0]: "1", data_sets.VAULT[0]: "1"}}
    found = load(tmp_path / "twice", twice, row("n"))
    assert [q.qid for q in found.questions] == ["n"]
    assert "two of its items have the same name" in found.problems[0]


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


def test_captions_are_shown_where_all_have_one_and_left_out_for_the_ablation(tmp_path: Path) -> None:
    """Table 14 compares with and without; the caption of the evidence alone would say which item it is."""
    for number, (captions, shown, wanted) in enumerate(
        [
            (CAPTIONS, True, {"Figure 4: Ferries at noon.", "Table 2: Taxes by year."}),
            (CAPTIONS, False, {"Figure 4", "Table 2"}),
            ({"images/ferry.png": "Ferries at noon."}, True, {"Figure 4", "Table 2"}),
            (None, True, {"Figure 4", "Table 2"}),
        ]
    ):
        gold = load(tmp_path / str(number), row(captions=captions))
        parts = mcitebench.message(gold.questions[0], lambda d, g=gold: picture(g.files[d]), captions=shown)  # type: ignore[misc]
        assert {p for p in parts if isinstance(p, str) and p[:3] in ("Fig", "Tab")} == wanted


def test_the_order_of_items_depends_on_question_and_seed_alone_and_says_nothing() -> None:
    """Over questions and over seeds each place is taken about as often: no place is a good guess."""
    items = [SourceItem(name, "text", name) for name in "xyz"]
    assert shuffled(items[::-1], "q", 1) == shuffled(items, "q", 1)
    for orders in ([shuffled(items, str(n), 0) for n in range(300)], [shuffled(items, "q", n) for n in range(300)]):
        places = [order.index(items[0]) for order in orders]
        assert min(places.count(place) for place in range(3)) > 70


# ---- what is said --------------------------------------------------------------------------------------------------


def test_the_worked_examples_are_right() -> None:
    assert doctest.testmod(inline_citations).failed == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("So it is [1][2].", ["[1]", "[2]"]),
        ("So it is [1, 3].", ["[1]", "[3]"]),
        ("So it is [2-4].", ["[2]", "[3]", "[4]"]),
        ("As shown in Image 3, it is.", ["Figure 3"]),
        ("According to Table 2(a) and fig. 4b.", ["Table 2", "Figure 4"]),
        ("Figures 3, 4 and 5 show it.", ["Figure 3", "Figure 4", "Figure 5"]),
        ("Figure 3 and 4 sacks show it.", ["Figure 3"]),
        ("Table 02 shows it.", ["Table 2"]),
        ("A stable 2 and [x] and [1234567].", []),
        ("Nothing.", []),
    ],
)
def test_names_in_a_sentence_by_hand(text: str, wanted: list[str]) -> None:
    assert cited_names(text) == wanted


def test_sentences_keep_the_marks_that_stand_behind_their_full_stop() -> None:
    said = "Oil burns. [1] [2] It smokes (Fig. 3).\nTar smells. (Table 2)\n- 12 [3]\nWhy?"
    assert [names_ for _, names_ in cited_sentences(said)] == [["[1]", "[2]"], ["Figure 3"], ["Table 2"], []]


@given(st.text(alphabet="[]1234567890,;- .figuretablFT()a\n", max_size=300))
def test_any_text_is_read_and_its_names_are_names(text: str) -> None:
    for sentence, found in cited_sentences(text):
        assert any(c.isalpha() for c in sentence)
        for name in found:
            assert cited_names(name) == [name]


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
        back = mcitebench.foreign(question, json.loads(mcitebench.written(question, each)))
        assert mcitebench.figures(question, back)["Source F1"] == mcitebench.figures(question, line)["Source F1"]


# ---- what is judged -----------------------------------------------------------------------------------------------


def test_a_sentence_that_cites_nothing_has_no_recall() -> None:
    said = {
        "cited": [{"document": "a"}],
        "sentences": [{"text": "Oil burns.", "citations": [0]}, {"text": "It smokes.", "citations": []}],
    }
    assert mcitebench.figures(JUDGED, said, {"recall:0": 1.0, "precision:0:0": 1.0})["Citation recall"] == 0.5


@pytest.mark.parametrize("kind", ["locating", "explanation"])
def test_answers_of_both_kinds_are_rated_0_1_or_2(kind: str) -> None:
    """The published prompts rate both kinds of question so; Acc is the sum of ratings / (2 x their number)."""
    asked = GoldQuestion("q", "What burns?", "Oil.", ("a",), groups={"question type": (kind,)}, more=JUDGED.more)
    said = {"answer": "Oil and tar."}
    (rubric,) = mcitebench.rubrics(asked, said)
    assert (rubric.key, rubric.prompt, rubric.scale) == ("Acc", f"plugins.research:mcite_{kind}", (0, 1, 2))
    assert [mcitebench.figures(asked, said, {"Acc": rating})["Acc"] for rating in (0, 1, 2)] == [0, 0.5, 1]
    assert mcitebench.figures(asked, {"answer": ""}, {})["Acc"] == 0
    assert mcitebench.figures(asked, said, {})["Acc"] is None


@pytest.mark.parametrize("name", ["mcite_locating", "mcite_explanation", "support", "support_single"])
def test_a_prompt_explains_every_grade_of_its_scale(name: str) -> None:
    scales = {"support": {"0", "0.5", "1"}, "support_single": {"0", "1"}}
    told = re.findall(r"^(\d[\d.]*) ", rubric_prompt(f"plugins.research:{name}").text, re.MULTILINE)
    assert (set(told), len(told)) == (scales.get(name, {"0", "1", "2"}), len(set(told)))


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
