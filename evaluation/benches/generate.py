"""The prompt of a question in images and tokens: elements cut out of their pages, against whole documents.

    python -m evaluation.benches.generate --eval DIR [--home HOME --collection NAME] [--questions 20]

The reference is the prompt of CiteVQA: every page of the question's document as an image whose longer side has 1,024
pixels. Ours is the prompt of method vanilla in each mode, from the evidence that retrieval finds in the same document,
with elements cut out and with labels drawn into pages. Tokens are estimated as they are before every call (`rag.llm`),
for patches of 32 pixels; no model is asked. Questions are taken at even distances from the gold file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PIL import Image

from evaluation.benches.inputs import BenchQuestion, add_collection_options, home_of, indexed, parser, pdfs, questions
from evaluation.progress import say
from evaluation.tables import TableRow, median, print_rows
from indexing import Collection, Mode
from rag import Crops, Pipeline, RagSettings
from rag.llm import Message, ModelSettings, ServedModel, images_of
from rag.methods.write import WritingTask, evidence_views, messages_of

WHOLE_SIDE = 1024
"""The longer side, in pixels, of a page as CiteVQA shows it."""
AIM = 0.1
"""The largest share of the reference's tokens that ours may take."""
Pictures = Literal["crops", "pages"]
SHOWN: tuple[tuple[Mode, Pictures], ...] = (
    ("text", "crops"),
    ("image", "crops"),
    ("multi", "crops"),
    ("image", "pages"),
)


@dataclass(frozen=True, slots=True)
class Sent:
    """One prompt: its images and estimated tokens."""

    images: int
    tokens: int


def meter() -> ServedModel:
    """Return a model that is only asked for estimates, and has room for everything."""
    nowhere = ModelSettings(base_url="http://127.0.0.1:9/v1", name="none", context_tokens=100_000_000, images=256)
    return ServedModel(nowhere)


def ours(pipeline: Pipeline, model: ServedModel, question: BenchQuestion, mode: Mode, pictures: Pictures) -> Sent:
    """Measure the prompt from which a question is answered."""
    writing = pipeline.settings.writing.model_copy(update={"pictures": pictures})
    _, found = pipeline.retrieve(question.text, documents=[question.document], mode=mode)
    crops = Crops(pipeline.collection, writing.page_width, writing.picture_side)
    shown, _ = evidence_views(crops, found.evidence, mode, writing)
    return sent(model, messages_of(WritingTask(question.text, "vanilla", "schema", writing), shown))


def whole(collection: Collection, model: ServedModel, question: BenchQuestion) -> Sent:
    """Measure the reference: all pages, blank here, as only their sizes count; and the question."""
    document = collection.document(question.document)
    pages = [collection.page(document.id, number) for number in range(1, document.n_pages + 1)]
    scales = [WHOLE_SIDE / max(page.width, page.height) for page in pages]
    sizes = [(round(p.width * scale), round(p.height * scale)) for p, scale in zip(pages, scales, strict=True)]
    blank = {size: Image.new("RGB", size, "white") for size in set(sizes)}
    return sent(model, (Message("user", (*(blank[size] for size in sizes), question.text)),))


def sent(model: ServedModel, messages: Sequence[Message]) -> Sent:
    """Count the images and tokens of a prompt."""
    return Sent(len(images_of(messages)), model.tokens(messages))


def rows(shown: str, found: Sequence[Sent], reference: Sequence[Sent]) -> list[TableRow]:
    """Return images and tokens a question, on average, and the tokens' share of the reference's at the median."""
    n = len(found)
    images, tokens = sum(s.images for s in found) / n, sum(s.tokens for s in found) / n
    all_images, all_tokens = sum(s.images for s in reference) / n, sum(s.tokens for s in reference) / n
    shares = [s.tokens / r.tokens for s, r in zip(found, reference, strict=True)]
    return [
        TableRow(f"{shown}: images a question", images, "", all_images),
        TableRow(f"{shown}: tokens a question", tokens, "", all_tokens, AIM * all_tokens),
        TableRow(f"{shown}: share of the tokens, median question", 100 * median(shares), "%", 100, 100 * AIM),
    ]


def spread(asked: Sequence[BenchQuestion], count: int) -> list[BenchQuestion]:
    """Return `count` questions at even distances; all where there are fewer."""
    count = min(count, len(asked))
    return [asked[n * len(asked) // count] for n in range(count)]


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument("--questions", type=int, default=20, help="the number of questions (default: %(default)s)")
    asked = options.parse_args(argv)
    model = meter()
    with home_of(asked) as home, indexed(asked, home) as collection:
        chosen = spread(questions(asked, {path.name for path in pdfs(asked)}), asked.questions)
        pipeline = Pipeline(collection, RagSettings())
        reference = [whole(collection, model, question) for question in chosen]
        table: list[TableRow] = []
        for mode, pictures in SHOWN:
            found = []
            for number, question in enumerate(chosen, 1):
                found.append(ours(pipeline, model, question, mode, pictures))
                say(f"mode {mode}, {pictures}", number, len(chosen))
            what = f"mode {mode}" + ("" if mode == "text" else f", {pictures}")
            table += rows(what, found, reference)
    print()
    print_rows(f"What a model is sent, for {len(chosen)} questions of their own documents", table, "whole pages")


if __name__ == "__main__":
    main()
