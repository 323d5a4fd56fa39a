"""MAVIS data out of posts of a community and a collection (Song et al. 2025, section 3): questions that need a picture.

A post is kept when its question cannot be answered without the picture: models that are not shown it answer, four
times in all, a judge compares each answer with the forum's, and one that agrees with it drops the post. The best answer
is taken apart into facts, and a fact stays where a document of the collection entails it, by the checks and the judge
that answers are verified with. Documents are the texts and the figures of the collection. The result is in the form of
`evaluation.tasks.mavis`; for every question it has fields that people fill in, and a question that one of them says no
to is left out when the data are read.

A post is a line: `{"id", "title", "selftext", "image" (or "url"): file, "comments": [{"body", "score"}]}`,
the fields of a dump of reddit, where `url` is a file that lies beside the lines. `question` in place of `title`, and
`answers` with `text` in place of `comments` with `body`, are read as well. Names of people are not read.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from evaluation import ConstructedRows, Unshowable, say
from evaluation.harness import RubricJudge, picture, rubric_prompt
from evaluation.tasks import Rubric, of, rows_of, text_of
from indexing import Collection, IndexingError
from plugins.research.errors import Unjudged
from rag import Crops, Evidence, ModelError
from rag.attribution import Checker, ModelJudge
from rag.llm import ChatModel, Form, Message, complete_as, fenced

ASKS = frozenset("?？؟;՞")  # noqa: RUF001  the question marks of several scripts
LEAST_QUESTION, MOST_QUESTION = 8, 2000
LEAST_ANSWER, MOST_ANSWER = 80, 4000
"""The characters of a question and of an answer."""
LEAST_SCORE = 1
ANSWERS = 3
"""The most answers of a post, best first."""
GONE = frozenset({"[deleted]", "[removed]"})


@dataclass(frozen=True, slots=True)
class Post:
    """A question beside a picture; `answers`, best first, are long enough and not voted down."""

    name: str
    question: str
    image: Path
    answers: tuple[str, ...]


def read_posts(path: Path, skipped: Counter[str]) -> Iterator[Post]:
    """Yield the posts of a file that are a question, with a picture and answers; others are counted by reason.

    Raises GoldUnreadable.
    """
    root = path.parent.resolve()
    for where, row in rows_of(path, text_of(path)[0]):
        try:
            post = _post(row, where, root)
        except ValueError:
            post = "it is not a post: a field is missing or has the wrong type"
        if isinstance(post, str):
            skipped[post] += 1
        else:
            yield post


def _post(row: Any, where: str, root: Path) -> Post | str:
    """Return a post, or the reason why it cannot be used. Raises ValueError for another form."""
    title = of(row, "title", str, "question").strip()
    text = row.get("selftext") if isinstance(row.get("selftext"), str) else ""
    question = "\n".join(part for part in (title, text.strip()) if part and part not in GONE)
    if len(question) < LEAST_QUESTION or not ASKS.intersection(question):
        return "it asks nothing"
    if len(question) > MOST_QUESTION:
        return "the question is too long"
    if row.get("over_18"):
        return "it is marked as not for everyone"
    image = _image(row, root)
    if image is None:
        return "it has no picture in the folder"
    answers = _answers(row)
    if not answers:
        return "no answer is long enough and liked"
    return Post(str(row.get("id") or where), question, image, answers)


def _image(row: dict[str, Any], root: Path) -> Path | None:
    """Return the file of the picture, which lies in the folder of the posts; a name that leads out of it is none."""
    for key in ("image", "url"):
        name = row.get(key)
        if isinstance(name, str) and name and "\0" not in name and len(name) < 1000:
            path = (root / name).resolve()
            if path.is_relative_to(root) and path.is_file():
                return path
    return None


def _answers(row: Any) -> tuple[str, ...]:
    """Return the answers, the ones with the highest scores first. Raises ValueError."""
    found = []
    for said in of(row, "comments", list, "answers"):
        text, score = of(said, "body", str, "text").strip(), said.get("score", LEAST_SCORE)
        liked = isinstance(score, int | float) and score >= LEAST_SCORE and not said.get("stickied")
        if liked and text not in GONE and LEAST_ANSWER <= len(text) <= MOST_ANSWER:
            found.append((score, text))
    return tuple(text for _, text in sorted(found, key=lambda pair: -pair[0])[:ANSWERS])


TEXTS, PICTURES = ("text", "list", "table"), ("picture",)
LEAST_CHARS = 40
"""The least characters of a text that is a document."""
NEAR = 8
"""The best documents for a fact, among which those are looked for that entail it."""
WIDTH, SIDE = 1400, 1000
"""The width in pixels of a page from which figures are cut, and the longer side of a picture at most."""
SEVERAL = 0.7
"""The temperature of a model that answers more than once."""
MOST_FACTS = 12
ANSWER_TOKENS, FACT_TOKENS = 400, 900
CRITERIA = ("question_is_clear", "picture_is_needed", "answer_is_right", "documents_entail_facts")
"""The criteria for people: true, false, or null while nobody has looked."""


@dataclass(frozen=True, slots=True)
class PostRecipe:
    """The most questions, the answers to each without its picture, and the seed of their order."""

    count: int = 100
    attempts: int = 4
    seed: int = 0


class _Answer(Form):
    answer: str = Field(max_length=1500)


class _Facts(Form):
    facts: list[Annotated[str, Field(max_length=300)]] = Field(max_length=MOST_FACTS)


def construct(
    collection: Collection,
    model: ChatModel,
    answerers: Sequence[ChatModel],
    posts: Path,
    out: Path,
    recipe: PostRecipe,
) -> ConstructedRows:
    """Write `mavis.jsonl`, `all_docs.json`, `image2id.json` and their images into `out`.

    `model` writes facts and judges, the `answerers` answer in turn without the picture. What was made stands however it
    ends. Raises the errors of `HOPELESS`, GoldUnreadable, IndexingError.
    """
    made = ConstructedRows()
    chosen = list(read_posts(posts, made.skipped))
    random.Random(recipe.seed).shuffle(chosen)  # noqa: S311  no secret
    (out / "posts").mkdir(parents=True, exist_ok=True)
    crops = Crops(collection, WIDTH, SIDE)
    ids = _documents(collection, crops, out) if chosen else {}
    making = (recipe, made, ModelJudge(model, crops), ids)
    with (out / "mavis.jsonl").open("w", encoding="utf-8") as file:
        for number, post in enumerate(chosen, 1):
            if len(made.rows) == recipe.count:
                break
            say("posts", number, len(chosen), f"{len(made.rows)} questions")
            try:
                row = _row(collection, (model, answerers), post, out, making)
            except Unjudged:
                made.skipped["an answer without the picture could not be judged"] += 1
                continue
            except ModelError as error:
                made.skip(error)
                continue
            if row is not None:
                made.rows.append(row)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
    return made


def _documents(collection: Collection, crops: Crops, out: Path) -> dict[str, str | int]:
    """Write the texts and figures of the collection as documents; return their ids by those of the elements."""
    ids: dict[str, str | int] = {}
    texts: dict[str, str] = {}
    images: dict[str, int] = {}
    (out / "images").mkdir(exist_ok=True)
    pages = [(d.id, number) for d in collection.documents() for number in range(1, d.n_pages + 1)]
    with (out / "all_docs.json").open("w", encoding="utf-8") as file:
        for done, (doc_id, page) in enumerate(pages, 1):
            say("documents", done, len(pages), "pages")
            for element in collection.page_elements(doc_id, page):
                if element.kind in TEXTS and len(element.text) >= LEAST_CHARS:
                    if element.text not in texts:
                        texts[element.text] = element.id
                        file.write(json.dumps({"snippet_id": element.id, "fact": element.text}) + "\n")
                    ids[element.id] = texts[element.text]
                elif element.kind in PICTURES:
                    name = f"images/{len(images) + 1:06}.png"
                    try:
                        crops(element).save(out / name)
                    except IndexingError:
                        continue
                    ids[element.id] = images[name] = len(images) + 1
    (out / "image2id.json").write_text(json.dumps(images, indent=1) + "\n", encoding="utf-8")
    return ids


def _row(
    collection: Collection,
    models: tuple[ChatModel, Sequence[ChatModel]],
    post: Post,
    out: Path,
    making: tuple[PostRecipe, ConstructedRows, ModelJudge, Mapping[str, str | int]],
) -> dict[str, Any] | None:
    """Return the question of a post; None, and a reason counted, when it fails a check. Raises ModelError."""
    (recipe, made, judge, ids), (model, answerers) = making, models
    try:
        image = picture(post.image)
    except Unshowable:
        made.skipped["the picture cannot be read"] += 1
        return None
    if solved_without_picture(answerers, model, post, recipe.attempts):
        made.skipped["the question does without the picture"] += 1
        return None
    facts = facts_of(model, post)
    if not facts:
        made.skipped["the answer states no fact"] += 1
        return None
    proofs = {fact: found for fact in facts if (found := entailing(collection, fact, judge, ids))}
    if not proofs:
        made.skipped["no document entails a fact of the answer"] += 1
        return None
    name = f"posts/{len(made.rows):05}.png"
    image.thumbnail((SIDE, SIDE))
    image.save(out / name)
    return {
        "qid": f"made-{len(made.rows):05}",
        "Q": post.question,
        "A": list(post.answers),
        "image": name,
        "pos_documents": list(dict.fromkeys(number for found in proofs.values() for number in found)),
        "sub_answers": list(proofs),
        "left_out_facts": [fact for fact in facts if fact not in proofs],
        "wrong_without_picture": recipe.attempts,
        "people": dict.fromkeys(CRITERIA),
        "post": post.name,
    }


def solved_without_picture(models: Sequence[ChatModel], judge: ChatModel, post: Post, attempts: int) -> bool:
    """Return True if one of the answers that the models write in turn, without the picture, agrees with the forum's.

    Raises ModelError, Unjudged for an answer that cannot be compared.
    """
    text = rubric_prompt("plugins.research:construct_without_picture").filled(question=fenced(post.question))
    temperature = SEVERAL if attempts > len(models) else 0.0
    comparing = RubricJudge(judge)
    for turn in range(attempts):
        model = models[turn % len(models)]
        said, _ = complete_as(model, [Message("user", (text,))], _Answer, ANSWER_TOKENS, temperature=temperature)
        if not said.answer.strip():
            continue
        values = {"question": post.question, "gold": post.answers[0], "said": said.answer}
        score = comparing.judge(Rubric("solved", "plugins.research:construct_solved", values, (0.0, 1.0))).score
        if score is None:
            raise Unjudged
        if score == 1:
            return True
    return False


def facts_of(model: ChatModel, post: Post) -> tuple[str, ...]:
    """Return the facts that the best answer of a post states, each once. Raises ModelError."""
    text = rubric_prompt("plugins.research:construct_facts").filled(
        question=fenced(post.question), answer=fenced(post.answers[0])
    )
    said, _ = complete_as(model, [Message("user", (text,))], _Facts, FACT_TOKENS, temperature=0.0)
    return tuple(dict.fromkeys(" ".join(fact.split()) for fact in said.facts if fact.strip()))


def entailing(
    collection: Collection, fact: str, judge: ModelJudge, ids: Mapping[str, str | int]
) -> tuple[str | int, ...]:
    """Return the ids of the documents, of those that are found for a fact, that entail it whole."""
    check = Checker(judge)
    hits = [hit for hit in collection.search(fact, limit=NEAR).hits if hit.element.id in ids]
    found = [Evidence(f"E{n}", hit.element, "", hit.score) for n, hit in enumerate(hits, 1)]
    entail = [item.element.id for item in found if check(fact, [item], ()).verdict == "confirmed"]
    return tuple(dict.fromkeys(ids[element] for element in entail))
