"""The posts of a community, as a user brings them: questions beside a picture, with the answers of people.

A post a line: `{"id", "title", "selftext", "image" (or "url"): file, "comments": [{"body", "score"}]}`, the fields of a
dump of reddit, where `url` is a file that lies beside the lines. `question` in place of `title`, and `answers` with
`text` in place of `comments` with `body`, are read as well. Names of people are not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.tasks import of, rows_of, text_of

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
