"""MAVIS data of one's own: which posts stay, what answers and facts decide, and that the benchmark reads the result."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from evaluation import ConstructedRows
from evaluation import cli as command
from evaluation.tasks.registry import TASKS
from indexing import Collection, IndexingSettings, build_index
from plugins.research.construct import mavis as construct_mavis
from plugins.research.construct.mavis import Post, read_posts
from plugins.research.construct.sft import size_of
from plugins.research.errors import Unjudged
from rag.errors import BadCredentials, RagError, ReplyUnusable
from rag.llm.chat import Message
from tests.support import documents
from tests.support.fakes import ScriptedModel, text_of
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says

MILL = "The mill at Harrow grinds nine sacks of barley every day."
VAULT = "The vault under the town hall of Merrow holds forty barrels of cider."
SAID = f"That is the old mill at Harrow, you can tell it by its tower. {MILL} My aunt lives in that street, too."


def post(name: str = "p1", **other: Any) -> dict[str, Any]:
    row = {"id": name, "title": "What does this building do?", "selftext": "I took it on Sunday.", "image": "mill.png"}
    return row | {"comments": [{"body": SAID, "score": 12}]} | other


def posts(folder: Path, *rows: object) -> Path:
    """A file of posts beside a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    documents.picture(["MILL"]).save(folder / "mill.png")
    path = folder / "posts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def left_out(path: Path) -> tuple[list[Post], Counter[str]]:
    skipped: Counter[str] = Counter()
    return list(read_posts(path, skipped)), skipped


def test_a_post_is_a_question_with_a_picture_and_good_answers(tmp_path: Path) -> None:
    """Best first, long enough, not voted down, not deleted; the question is title and text."""
    longer = SAID + " It was built in 1844."
    said = [
        {"body": "Nice!", "score": 90},
        {"body": SAID, "score": 3},
        {"body": longer, "score": 7},
        {"body": "x" * 200, "score": -4},
        {"body": "y" * 200, "score": 9, "stickied": True},
    ]
    (found,), skipped = left_out(posts(tmp_path, post(comments=said)))
    assert (found.question, found.answers) == ("What does this building do?\nI took it on Sunday.", (longer, SAID))
    assert found.image == (tmp_path / "mill.png").resolve()
    assert skipped == {}
    plain = {"question": "¿Qué es esto?", "url": "mill.png", "answers": [{"text": SAID, "score": 1}]}
    ((found,), _) = left_out(posts(tmp_path, plain))
    assert (found.name, found.answers) == ("posts.jsonl, line 1", (SAID,))


def test_posts_left_out_are_counted_by_reason(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    Image.new("RGB", (9, 9)).save(secret)
    rows = [
        post(title="Look at this!", selftext=""),
        post(title="Why? " * 500),
        post(over_18=True),
        post(image="none.png"),
        post(image="../secret.png"),
        post(image=str(secret)),
        post(image="https://pictures.example/mill.png"),
        post(image="mill.png\0"),
        post(comments=[{"body": "[deleted]", "score": 5}, {"body": "Short.", "score": 5}]),
        post(comments=None),
        post(comments=["a mill"]),
        {"id": "p"},
        [1],
    ]
    found, skipped = left_out(posts(tmp_path / "posts", *rows))
    assert found == []
    assert skipped == {
        "it asks nothing": 1,
        "the question is too long": 1,
        "it is marked as not for everyone": 1,
        "it has no picture in the folder": 5,
        "no answer is long enough and liked": 1,
        "it is not a post: a field is missing or has the wrong type": 4,
    }


POST = Post("p", "What is this?", Path("mill.png"), (SAID, "another"))


def answerer(*said: str | RagError) -> ScriptedModel:
    """A model that answers so, time after time."""
    left = list(said)

    def reply(_: Sequence[Message]) -> str | RagError:
        answer = left.pop(0)
        return answer if isinstance(answer, RagError) else json.dumps({"answer": answer})

    return ScriptedModel(reply)


def comparer(right: str = "") -> ScriptedModel:
    """A judge that finds one answer right, and every other wrong; none where it is unsure."""

    def reply(asked: Sequence[Message]) -> str:
        if "unsure" in text_of(asked):
            return "I cannot tell."
        return json.dumps({"reason": "so", "score": float(bool(right) and right in text_of(asked))})

    return ScriptedModel(reply)


def test_one_answer_of_four_that_the_forum_gave_drops_the_post() -> None:
    """MAVIS (arXiv 2511.12142), section 3: four models answer without the picture, a judge compares each answer."""
    models = [answerer(said) for said in ("A barn.", "A church.", "A mill at Harrow.", "A shed.")]
    judge = comparer("A mill at Harrow.")
    assert construct_mavis.solved_without_picture(models, judge, POST, 4)
    assert [len(model.asked) for model in models] == [1, 1, 1, 0], "what is decided is not asked for"
    assert [SAID in text_of(asked) for asked in judge.asked] == [True] * 3, "beside the forum's answer"
    assert all(isinstance(part, str) for model in models for m in model.asked for part in m[0].parts)
    assert not any(SAID in text_of(asked) for model in models for asked in model.asked)
    assert models[0].temperatures == [0.0]
    assert not construct_mavis.solved_without_picture([answerer("A barn.", "", "A shed.", "A den.")], judge, POST, 4)


def test_an_answer_that_cannot_be_read_or_judged_decides_nothing() -> None:
    with pytest.raises(ReplyUnusable):
        construct_mavis.solved_without_picture([answerer(*[ReplyUnusable("no JSON")] * 2)], comparer(), POST, 1)
    with pytest.raises(Unjudged):
        construct_mavis.solved_without_picture([answerer("unsure")], comparer(), POST, 1)
    with pytest.raises(BadCredentials):
        construct_mavis.solved_without_picture([answerer(BadCredentials("no key"))], comparer(), POST, 3)


def test_facts_are_single_lines_each_once() -> None:
    model = ScriptedModel(lambda _: json.dumps({"facts": [MILL, " ", f"The  mill\nat Harrow{MILL[18:]}"]}))
    assert construct_mavis.facts_of(model, POST) == (MILL,)
    assert SAID in text_of(model.asked[0])
    assert "another" not in text_of(model.asked[0])


# ---- with a collection ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A document that says what the mill does, and one with a picture in it."""
    import pymupdf  # brings ONNX Runtime in, which must find the environment as `indexing` sets it

    folder = tmp_path_factory.mktemp("town")
    documents.pdf(folder / "mill.pdf", [MILL], size=(800, 300))
    documents.pdf(folder / "vault.pdf", [VAULT])
    Image.effect_noise((400, 300), 90).convert("RGB").save(folder / "noise.png")
    with pymupdf.open(folder / "vault.pdf") as document:
        document[0].insert_image((50, 150, 350, 375), filename=folder / "noise.png")
        document.save(folder / "cider.pdf")
    made = Collection.create("town", folder / "home", IndexingSettings(workers=1, visual="none"))
    build_index(made, [folder / "mill.pdf", folder / "cider.pdf"])
    return made


def writer(facts: Sequence[str], knows: Callable[[int], bool] = lambda _: False, grade: str = "0") -> ScriptedModel:
    """A model that answers without the picture, compares, takes answers apart, and judges all alike."""
    count = iter(range(1000))

    def reply(asked: Sequence[Message]) -> str:
        text = text_of(asked)
        if "Answer of the forum" in text:
            return json.dumps({"reason": "so", "score": float("I know" in text)})
        if "You are not shown the picture" in text:
            return json.dumps({"answer": "I know." if knows(next(count)) else "A barn."})
        return json.dumps({"facts": list(facts)} if '"facts"' in text else {"reason": "so", "score": grade})

    return ScriptedModel(reply)


def made_of(town: Collection, model: ScriptedModel, file: Path, out: Path, **recipe: int) -> ConstructedRows:
    return construct_mavis.construct(town, model, [model], file, out, construct_mavis.PostRecipe(**recipe))


@pytest.mark.slow
def test_what_is_made_is_what_the_benchmark_reads(town: Collection, tmp_path: Path) -> None:
    """The fact that the collection entails stays with its document; the one about an aunt does not."""
    aunt = "The aunt of the writer lives in a street of Harrow."
    out = tmp_path / "data"
    model = writer([MILL, aunt])
    made = made_of(town, model, posts(tmp_path, post()), out)
    (row,) = made.rows
    assert (row["sub_answers"], row["left_out_facts"]) == ([MILL], [aunt])
    assert row["wrong_without_picture"] == 4
    assert set(row["people"].values()) == {None}
    assert made.skipped == {}
    gold = TASKS["mavis"].load(out, None, tmp_path / "material", None)
    assert gold.problems == ()
    (question,) = gold.questions
    assert (question.text, question.answer, question.more["facts"]) == (row["Q"], SAID, (MILL,))
    assert question.image == out / "posts" / "00000.png"
    items = question.more["items"]
    assert [items[document].text for document in question.more["gold"]] == [MILL]
    assert sorted(item.kind for item in items.values()) == ["image", "text", "text"]
    assert size_of(out / "images" / "000001.png")[0] > 300
    assert "p1" not in json.dumps({k: v for k, v in row.items() if k != "post"})


@pytest.mark.slow
def test_answers_facts_and_documents_decide_and_are_counted(town: Collection, tmp_path: Path) -> None:
    file = posts(tmp_path, post())
    once = writer([MILL], knows=lambda turn: turn == 3)
    assert made_of(town, once, file, tmp_path / "1").skipped == {"the question does without the picture": 1}
    assert len(made_of(town, writer([MILL]), file, tmp_path / "2").rows) == 1
    assert made_of(town, writer([]), file, tmp_path / "3").skipped == {"the answer states no fact": 1}
    lies = writer(["The mill at Harrow grinds 90 sacks of barley every day."], grade="1")
    reason = "no document entails a fact of the answer"
    assert made_of(town, lies, file, tmp_path / "4").skipped == {reason: 1}, "no judge finds another number in a text"
    assert not any("nine sacks" in text_of(asked) for asked in lies.asked if "Place 1" in text_of(asked))
    (tmp_path / "mill.png").write_bytes(b"no image")
    assert made_of(town, writer([MILL]), file, tmp_path / "5").skipped == {"the picture cannot be read": 1}
    assert len((tmp_path / "5" / "all_docs.json").read_text().splitlines()) == 2


@pytest.mark.slow
def test_the_command_makes_data_with_the_models_of_profiles(
    town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer], capsys: pytest.CaptureFixture[str]
) -> None:
    def reply(asked: Asked) -> Script:
        model = writer([MILL])
        return says(model.complete([Message("user", (asked.text,))]).text)

    def knows(asked: Asked) -> Script:
        assert not asked.images
        return says({"answer": "I know."})

    profiles = []
    for name, script in (("writer", reply), ("finder", reply), ("knower", knows)):
        path = tmp_path / f"{name}.yaml"
        path.write_text(
            f"indexing: {{visual: none}}\nrag: {{model: {{base_url: '{serve(script).url}', name: {name}}}}}\n"
        )
        profiles.append(str(path))
    where = ["--collection", "town", "--home", str(town.path.parent), "--posts", str(posts(tmp_path, post()))]
    words = ["construct", "mavis", *where, "--profile", profiles[0], "--out", str(tmp_path / "data")]
    assert command.main([*words, "--answerers", profiles[1]]) == 0
    assert "1 questions" in capsys.readouterr().out
    assert command.main([*words, "--answerers", *profiles[1:], "--attempts", "1"]) == 0
    assert command.main([*words, "--answerers", *profiles[1:], "--attempts", "2"]) == 1
    assert "left out, the question does without the picture: 1" in capsys.readouterr().err
