"""MCiteBench from a paper of our own: rows that the benchmark's own loader takes, kept replies, decisions of people."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from evaluation import cli as command
from evaluation.errors import RunRefused
from evaluation.tasks import mcitebench
from evaluation.tasks.items import items_of
from indexing import Collection
from plugins.research.construct.mcitebench import CiteRecipe, construct
from rag.errors import BadCredentials, RagError
from rag.llm.chat import Message
from rag.llm.images import images_of
from tests.support.fakes import ScriptedModel, text_of
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

TRIPLES = [
    {"question": question, "answer": answer, "evidence": evidence}
    for question, answer, evidence in (
        (
            "Do the moisture sensors stay accurate for a winter?",
            "Drift stayed below 0.1 points.",
            "Section 2.1, Lines 18-19",
        ),
        ("Do slower kiln fans spoil more barley?", "No: 2.0 percent beside 1.9.", "Table 1"),
        ("What does Table 1 show of kilns?", "Spoiled grain.", "Table 1"),
        ("Is there a proof of the kiln's bound?", "Yes.", "Appendix B"),
    )
]
PUBLISHED = {
    *("question_id", "pdf_id", "question_type", "question", "answer", "evidence_keys", "evidence_contents"),
    *("evidence_modal", "evidence_count", "distractor_count", "info_count", "distractor_contents"),
    *("text_2_idx", "idx_2_text", "image_2_idx", "idx_2_image", "table_2_idx", "idx_2_table"),
}


def reviews_of(kilns: Collection) -> Path:
    return kilns.path.parent.parent / "reviews"


def told(text: str, triples: Sequence[Any] = TRIPLES, alignment: str = "high") -> dict[str, Any]:
    """What a model says: triples of a rebuttal, an options question about a part, high labels."""
    if "The authors answered" in text:
        return {"triples": list(triples)}
    if "four options" in text:
        number = str(sum(map(ord, text)))
        refused = "halves the least speed" in text
        options = ["one", "two", "three", number] if not refused else []
        return {"refusal": refused, "question": f"How many kilns of {number}?", "options": options, "answer": "D"}
    return {"reason": "It fits.", "relevance": "high", "clarity": "medium", "alignment": alignment}


def writer(**said: Any) -> ScriptedModel:
    return ScriptedModel(lambda messages: json.dumps(told(text_of(messages), **said)))


def rows_in(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "data.jsonl").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.gate
def test_the_benchmarks_own_loader_takes_the_rows(kilns: Collection, tmp_path: Path) -> None:
    """Round trip: the published keys, five items, images that are there, gold sources that the loader finds."""
    out, model = tmp_path / "data", writer()
    made = construct(kilns, model, out, CiteRecipe(reviews_of(kilns), count=6))
    assert made.skipped["the question names a place of the paper"] == 1
    assert made.skipped["its evidence is outside the main body"] == 1
    rows = rows_in(out)
    assert [row["question_type"] for row in rows] == ["explanation"] * 2 + ["locating"] * 2
    gold = mcitebench.load(out, None, tmp_path / "material", None)
    assert (gold.problems, len(gold.questions)) == ((), 4)
    for row, question in zip(rows, gold.questions, strict=True):
        assert set(row) > PUBLISHED
        assert (row["info_count"], row["evidence_count"] + row["distractor_count"]) == (5, 5)
        items = items_of(question)
        assert len(items) == 5
        assert {items[document].name for document in question.more["gold"]} <= {item.name for item in items.values()}
        assert len(question.more["gold"]) == row["evidence_count"] == len(row["evidence_keys"])
        assert row["idx_2_text"] == {str(number): text for text, number in row["text_2_idx"].items()}
        for name in (*row["image_2_idx"], *row["table_2_idx"]):
            with Image.open(out / "visual_resources" / row["pdf_id"] / name) as image:
                assert min(image.size) > 40
    first, second = rows[:2]
    assert (first["evidence_keys"], first["evidence_modal"]) == (["Section 2.1"], ["text"]), "both lead to one part"
    assert "drift over a winter" in first["evidence_contents"][0]
    assert (second["evidence_keys"], second["table_2_idx"]) == (["Table 1"], {second["evidence_contents"][0]: 1})
    assert rows[2]["question"].splitlines()[1][:3] == "A. "
    assert rows[2]["answer"] in rows[2]["question"].splitlines()
    assert all(images_of(asked) for asked in model.asked if "a figure" in text_of(asked))


@pytest.mark.slow
def test_a_second_run_asks_nothing_and_makes_the_same(kilns: Collection, tmp_path: Path) -> None:
    recipe = CiteRecipe(reviews_of(kilns), count=4)
    construct(kilns, writer(), tmp_path, recipe)
    before = (tmp_path / "data.jsonl").read_text(), (tmp_path / "pairs.jsonl").read_text()
    silent = ScriptedModel(lambda _: BadCredentials("nobody is to be asked"))
    construct(kilns, silent, tmp_path, recipe)
    assert silent.asked == []
    assert ((tmp_path / "data.jsonl").read_text(), (tmp_path / "pairs.jsonl").read_text()) == before


@pytest.mark.slow
def test_what_was_made_before_a_stop_is_kept(kilns: Collection, tmp_path: Path) -> None:
    asked: list[str] = []

    def stops(messages: Sequence[Message]) -> str | RagError:
        asked.append(text_of(messages))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return json.dumps(told(asked[-1]))

    with pytest.raises(KeyboardInterrupt):
        construct(kilns, ScriptedModel(stops), tmp_path, CiteRecipe(reviews_of(kilns), count=6))
    assert len(rows_in(tmp_path)) == 1
    made = construct(kilns, writer(), tmp_path, CiteRecipe(reviews_of(kilns), count=6))
    assert len(made.rows) == 4


@pytest.mark.slow
def test_people_correct_drop_and_confirm(kilns: Collection, tmp_path: Path) -> None:
    recipe = CiteRecipe(reviews_of(kilns), count=3)
    construct(kilns, writer(), tmp_path, recipe)
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    assert [pair["reference"] for pair in pairs[:3]] == ["Section 2.1", "Lines 18-19", "Table 1"]
    assert all((tmp_path / choice["image"]).is_file() for pair in pairs for choice in pair["choices"])
    other = next(
        choice for choice in pairs[0]["choices"] if choice["kind"] == "text" and choice["id"] != pairs[0]["part"]
    )
    decisions = {
        pairs[0]["id"]: {"decision": "corrected", "part": other["id"]},
        pairs[1]["id"]: {"decision": "confirmed", "part": pairs[1]["part"]},
        pairs[2]["id"]: {"decision": "dropped", "part": ""},
    }
    (tmp_path / "decisions.json").write_text(json.dumps(decisions))
    made = construct(kilns, writer(), tmp_path, CiteRecipe(reviews_of(kilns), count=3, confirmed=True))
    (row,) = rows_in(tmp_path)
    assert made.skipped["people dropped it"] == made.skipped["people have not confirmed it yet"] == 1
    assert (row["confirmed"], row["evidence_keys"]) == (True, ["Section 2.1", "Lines 18-19"])
    assert row["evidence_contents"][0].startswith(other["text"][:50])
    assert not set(row["evidence_contents"]) & set(row["distractor_contents"])


@pytest.mark.slow
def test_low_labels_unusable_replies_and_too_few_parts_are_counted(kilns: Collection, tmp_path: Path) -> None:
    low = construct(kilns, writer(alignment="low"), tmp_path / "low", CiteRecipe(reviews_of(kilns), count=2))
    assert (low.rows, low.skipped["a model finds little alignment"]) == ([], 2)
    bad = construct(kilns, ScriptedModel(lambda _: "no"), tmp_path / "bad", CiteRecipe(reviews_of(kilns), count=2))
    assert (bad.rows, bad.skipped["the reply cannot be used"]) == ([], 1)
    many = construct(kilns, writer(), tmp_path / "many", CiteRecipe(reviews_of(kilns), count=2, items=40))
    assert (many.rows, many.skipped["the paper has too few parts for distractors"]) == ([], 2)


@pytest.mark.slow
def test_papers_without_reviews_are_refused_and_broken_files_named(
    kilns: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kilns.json").write_text("{")
    with pytest.raises(RunRefused, match=r"NAME\.json"):
        construct(kilns, writer(), tmp_path / "out", CiteRecipe(tmp_path))
    assert f"{tmp_path / 'kilns.json'}: it is not JSON" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_makes_data_that_the_benchmark_answers(
    kilns: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """`vouch eval construct mcitebench`, then `vouch eval mcitebench` over its folder."""

    def reply(asked: Asked) -> Script:
        if asked.schema is None:
            return says("The drift is small [1].")
        return says(told(asked.text))

    url = serve(reply).url
    profile = tmp_path / "profile.yaml"
    profile.write_text(f"indexing: {{visual: none}}\nrag: {{model: {{base_url: '{url}', name: writer}}}}\n")
    out = tmp_path / "data"
    words = [
        "construct",
        "mcitebench",
        "--collection",
        "kilns",
        "--home",
        str(kilns.path.parent),
        "--profile",
        str(profile),
    ]
    assert command.main([*words, "--reviews", str(reviews_of(kilns)), "--out", str(out), "--count", "2"]) == 0
    assert f"{out}/decisions.json" in capsys.readouterr().out
    words = [
        "mcitebench",
        "--data",
        str(out),
        "--profile",
        str(profile),
        "--method",
        "vanilla",
        "--home",
        str(tmp_path),
    ]
    assert command.main([*words, "--out", str(tmp_path / "run")]) == 0
    assert len((tmp_path / "run" / "predictions.jsonl").read_text().splitlines()) == 2
