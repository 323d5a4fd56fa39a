"""`vouch eval construct questions`: a test set of your own collection, written by a model and checked by code.

Pages are chosen evenly over documents and over prose, tables and figures. The model of the profile is shown each page
whole, as a picture if it sees, and writes a question, a short answer, and the words of the page that prove it. The
question is kept where these words stand on the page, by the comparison that verifies answers, and the answer stands in
them. For a share of the questions a second one is made with a year, entity or measure replaced; it is kept where the
model finds its answer neither on the same page nor on those that search ranks best for it.

--out is a folder. `questions.jsonl` has a line a question: `id`, `question`, `answer` (null for one that no page
answers), `quote`, `document`, `document_id`, `kind`, `boxes` in fractions of the displayed page; read it and delete the
lines that you do not like. `left-out.jsonl` has the pages that gave no question, or none that no page answers, with the
reason. Each line is written as it is made: Ctrl-C keeps them all, and the same command continues. Documents are not
copied: measure with the collection.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import Field

from evaluation import RunRefused, positive, print_progress
from evaluation.errors import HOPELESS
from evaluation.harness import INTERRUPTED, JsonLines, model_of
from indexing import BBox, Collection, Element, IndexingError
from plugins.research.arguments import share
from plugins.research.errors import LeftOut
from rag import ModelError, ReplyCutOff, ReplyUnusable, load_profile
from rag.attribution.words import find_quotes
from rag.llm import ChatModel, Form, Message, complete_as, fence, in_line, load_prompt

if TYPE_CHECKING:
    from PIL import Image

KINDS = {"prose": ("text", "list"), "table": ("table",), "figure": ("picture",)}
"""The kinds of question, and of the elements that answer them."""
NAMED = {"prose": "its running text", "table": "a table", "figure": "a figure, chart or picture"}
LEAST_CHARS = 120
"""The least characters of a text or table from which its page is asked about."""
LEAST_AREA, MOST_AREA = 0.03, 0.9
"""The share of the page that a picture has: smaller ones are icons, larger ones scans."""
MOST_CHARS = 6000
"""The most characters of a page's text that the model is shown."""
WIDTH = 1200
"""The width in pixels of the picture of a page."""
NEAR = 5
"""The pages, best first, on which the answer to a changed question is looked for besides that of the first one."""
REPLY_TOKENS = 500
DIGITS = 4

F = TypeVar("F", bound=Form)
PageKey = tuple[str, int]
"""A page: the id of its document, and its number from 1."""


class _QuestionForm(Form):
    question: str = Field(max_length=300)
    answer: str = Field(max_length=120)
    quote: str = Field(max_length=400)


class _ChangedForm(Form):
    changed: Literal["year", "entity", "measure"]
    question: str = Field(max_length=300)


class _AnsweredForm(Form):
    answered: bool


@dataclass(slots=True)
class ConstructedRows:
    """The rows made so far, and the number of rows that could not be made, by reason."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def skip(self, error: ModelError) -> None:
        """Count a row as left out. Raises the error instead if every further request would fail too (`HOPELESS`)."""
        if isinstance(error, HOPELESS):
            raise error
        unusable = isinstance(error, ReplyUnusable | ReplyCutOff)
        self.skipped["the reply cannot be used" if unusable else f"no reply ({type(error).__name__})"] += 1

    def report(self, what: str, out: Path) -> int:
        """Print what was made and what was left out, by reason; return the exit code: 1 where nothing was made."""
        print(f"{len(self.rows)} {what}: {out}")
        for reason, count in self.skipped.most_common():
            print(f"left out, {reason}: {count}", file=sys.stderr)
        return 0 if self.rows else 1


@dataclass(slots=True)
class QuestionWriter:
    """A model that writes questions about a collection, and the files of the questions that it has written.

    `collected` has the rows, also those of earlier runs, and counts the reasons for pages that were left out.
    """

    collection: Collection
    model: ChatModel
    out: Path
    collected: ConstructedRows = field(default_factory=ConstructedRows)
    pages: set[PageKey] = field(default_factory=set)
    _rows: JsonLines = field(init=False)
    _left_out: JsonLines = field(init=False)

    def __post_init__(self) -> None:
        """Read the files of earlier runs. Raises RunRefused for those of another collection, or without access."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            self._rows, self._left_out = (JsonLines(self.out / f"{name}.jsonl") for name in ("questions", "left-out"))
        except OSError as error:
            raise RunRefused(f"{self.out}: cannot be written ({error.strerror}): give another --out") from None
        self._rows.read(self._load_row, "question")
        self._left_out.read(self._load_reason, "page that was left out")

    def _load_row(self, row: dict[str, Any]) -> None:
        if row["collection"] != self.collection.name:
            raise RunRefused(f"{self.out} has questions about collection {row['collection']!r}: give another --out")
        self.collected.rows.append(row)
        self.pages.add((row["document_id"], row["page"]))

    def _load_reason(self, row: dict[str, Any]) -> None:
        self.collected.skipped[row["reason"]] += 1
        self.pages.add((row["document_id"], row["page"]))

    @property
    def unanswerable(self) -> int:
        """The number of questions that no page answers."""
        return sum(row["answer"] is None for row in self.collected.rows)

    def write(self, count: int, unanswerable: float, seed: int) -> None:
        """Write questions until `count` have an answer, and for that share of them one that no page answers.

        Raises the errors of `HOPELESS`, IndexingError.
        """
        dice = random.Random(seed)  # noqa: S311  no secret
        for kind, page in pages_in_turn(self.collection, self.pages, dice):
            answerable = len(self.collected.rows) - self.unanswerable
            print_progress("questions", answerable, count, f"{sum(self.collected.skipped.values())} left out")
            if answerable >= count:
                break
            try:
                row = self._question(kind, page)
                self._add_row(row)
                if self.unanswerable < unanswerable * (answerable + 1):
                    self._add_row(self._make_unanswerable(row, page))
            except LeftOut as reason:
                self._left_out.add({"document_id": page[0], "page": page[1], "reason": str(reason)})
                self.collected.skipped[str(reason)] += 1
            except ModelError as error:
                self.collected.skip(error)
            except IndexingError:
                self.collected.skipped["a page cannot be drawn"] += 1
        else:
            print("\nall pages that have enough text, a table or a figure were asked about", end="", file=sys.stderr)
        print(file=sys.stderr)

    def _add_row(self, row: dict[str, Any]) -> None:
        self._rows.add(row)
        self.collected.rows.append(row)

    def _question(self, kind: str, page: PageKey) -> dict[str, Any]:
        """Return the question about a page. Raises LeftOut, ModelError, IndexingError."""
        document, elements = self.collection.document(page[0]), self.collection.page_elements(*page)
        form = self._reply("question_of_page", _QuestionForm, page, document=_clean(document.name), kind=NAMED[kind])
        element, box = proof(form, elements)
        if any(row["question"].casefold() == form.question.casefold() for row in self.collected.rows):
            raise LeftOut("the question was asked before")
        return {
            "id": f"{page[0]}-{page[1]}",
            "question": form.question,
            "answer": form.answer,
            "quote": form.quote,
            "document": document.name,
            "document_id": page[0],
            "page": page[1],
            "kind": next((name for name, kinds in KINDS.items() if element.kind in kinds), kind),
            "boxes": [{"page": page[1], "bbox": [round(v, DIGITS) for v in box.as_tuple()]}],
            "collection": self.collection.name,
        }

    def _make_unanswerable(self, row: dict[str, Any], page: PageKey) -> dict[str, Any]:
        """Return the question with one thing replaced, so that no page answers it. Raises as `_question` does."""
        values = {"question": fence(row["question"]), "answer": fence(row["answer"])}
        form = self._reply("question_changed", _ChangedForm, None, **values, document=_clean(row["document"]))
        if not form.question.strip() or form.question.casefold() == row["question"].casefold():
            raise LeftOut("nothing could be replaced in the question")
        best = [(p.doc_id, p.number) for p in self.collection.search(form.question, limit=2 * NEAR).pages]
        for near in dict.fromkeys([page, *best[:NEAR]]):
            if self._reply("page_answers", _AnsweredForm, near, question=fence(form.question)).answered:
                raise LeftOut("a page answers the changed question")
        own = {"id": f"{row['id']}-{form.changed}", "question": form.question, "answer": None, "kind": "unanswerable"}
        return {**row, **own, "quote": "", "boxes": []}

    def _reply(self, prompt: str, form: type[F], page: PageKey | None, **values: str) -> F:
        """Return the model's reply to a prompt, with a page if one is given. Raises ModelError, IndexingError."""
        picture: tuple[Image.Image, ...] = ()
        if page is not None:
            texts = [e.text for e in self.collection.page_elements(*page) if not e.parts]
            values["text"] = fence("\n".join(texts)[:MOST_CHARS]) or "(none)"
            picture = (self.collection.draw_page(*page, WIDTH),) if self.model.capacity.images else ()
        text = load_prompt(f"plugins.research:{prompt}", *values).fill(**values)
        reply, _ = complete_as(self.model, [Message("user", (*picture, text))], form, REPLY_TOKENS)
        return reply


def pages_in_turn(
    collection: Collection, done: Iterable[PageKey], dice: random.Random
) -> Iterator[tuple[str, PageKey]]:
    """Yield (kind of question, page): kinds alternate, and the document with the fewest questions comes first.

    Each page comes once, and pages in `done` do not come.
    """
    complete, used = {document.id for document in collection.documents()}, set(done)
    counts = Counter(doc_id for doc_id, _ in used)
    queues: dict[str, dict[str, list[int]]] = {}
    for name, kinds in KINDS.items():
        fit: dict[str, set[int]] = {}
        for element in (e for kind in kinds for e in collection.outlines(kind=kind) if _worth_asking(e)):
            fit.setdefault(element.doc_id, set()).add(element.page)
        doc_ids = sorted(fit.keys() & complete)
        queues[name] = {d: dice.sample(sorted(fit[d]), len(fit[d])) for d in dice.sample(doc_ids, len(doc_ids))}
    while any(queues.values()):
        for name, by_document in queues.items():
            while by_document:
                doc_id = min(by_document, key=lambda d: counts[d])
                page = (doc_id, by_document[doc_id].pop())
                if not by_document[doc_id]:
                    del by_document[doc_id]
                if page not in used:
                    used.add(page)
                    counts[doc_id] += 1
                    yield name, page
                    break


def _worth_asking(element: Element) -> bool:
    """Return True for a picture that is neither icon nor scan, and for other elements with enough text."""
    if element.kind == "picture":
        return LEAST_AREA <= element.bbox.area <= MOST_AREA
    return len(element.text) >= LEAST_CHARS


def proof(form: _QuestionForm, elements: Sequence[Element]) -> tuple[Element, BBox]:
    """Return the element that has the quote, and the box of its lines; of a table or picture, the element's box.

    Raises LeftOut unless the quote is at exactly one place and contains the answer, which the question must not.
    """
    if not (form.question.strip() and form.answer.strip() and form.quote.strip()):
        raise LeftOut("nothing to ask about")
    if not find_quotes(form.quote, form.answer):
        raise LeftOut("the answer is not in the quote")
    if find_quotes(form.question, form.answer):
        raise LeftOut("the question holds its answer")
    matches = [(e, span) for e in elements if not e.parts for span in find_quotes(e.text, form.quote)]
    if len(matches) != 1:
        raise LeftOut("the quote is at several places of the page" if matches else "the quote is not on the page")
    ((element, span),) = matches
    lines = () if element.kind in ("table", "picture") else element.words.line_boxes(*span)
    return element, BBox.union(lines) if lines else element.bbox


def _clean(name: str) -> str:
    """Return the name of a document, made safe for a prompt and cut to 120 characters."""
    return in_line(name)[:120]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--collection", required=True, metavar="NAME", help="the collection to ask about")
    add("--profile", required=True, metavar="P", help="the profile whose model writes (`vouch connect` makes one)")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the questions, or one to continue")
    add("--count", type=positive, default=50, metavar="N", help="how many questions with an answer (default: 50)")
    add("--unanswerable", type=share, default=0.25, metavar="SHARE", help="for which share of them to make one "
        "that no page answers, 0 to 1 (default: 0.25)")  # fmt: skip
    add("--seed", type=int, default=0, help="the random seed for the choice of pages (default: 0)")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections (default: the one that vouch uses)")


def run(args: argparse.Namespace) -> int:
    """Make the questions; return 0, 1 without any, 130 when stopped. Raises RunRefused, IndexingError, RagError."""
    profile = load_profile(args.profile)
    model, stopped = model_of(args.profile, profile), False
    with Collection.open(args.collection, args.home, profile.indexing) as collection:
        writer = QuestionWriter(collection, model, args.out)
        try:
            writer.write(args.count, args.unanswerable, args.seed)
        except KeyboardInterrupt:
            stopped = True
            print("\nstopped: the same command continues", file=sys.stderr)
    code = writer.collected.report(f"questions, {writer.unanswerable} of which no page answers", args.out)
    if code == 0:
        home = f" --home {args.home}" if args.home else ""
        print(f"measure: vouch eval questions --data {args.out} --collection {args.collection}{home} --out RUN")
    return INTERRUPTED if stopped else code
