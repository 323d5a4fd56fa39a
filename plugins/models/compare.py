"""`vouch models compare`: the person's own questions, answered by the profile in use and by another, side by side."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from indexing import Collection, default_home
from plugins.models.errors import ModelsError
from plugins.models.library import installed_models, write_manifest
from plugins.models.profile import uses
from rag import Pipeline, RagError, load_profile
from ui.show import clean
from ui.state import ConversationStore, open_state

_MOST_CHARS = 160


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question, and where it is known the page that answers it: the name of a document and its number, from 1."""

    text: str
    document: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer to compare: its text, "" where nothing was answered, its cited places, seconds, and the error if any.

    `right_page` is True where the known page is among the cited ones, None where no page is known.
    """

    text: str
    places: tuple[str, ...]
    seconds: float
    right_page: bool | None
    error: str = ""


def compare(args: Namespace) -> int:
    """Run `vouch models compare`; 0 when all questions were asked both ways."""
    collection = Collection.open(args.collection)
    every = read_questions(Path(args.questions)) if args.questions else _latest_questions(args.collection, args.limit)
    questions = every[: args.limit]
    if not questions:
        raise ModelsError(
            f"nobody has asked {args.collection!r} anything on the page yet: give a file with a question a line "
            "(after a tab the document and after another the page that answers it) with --questions"
        )
    pipelines = {name: Pipeline(collection, load_profile(name).rag) for name in (args.first, args.second)}
    rows = []
    for number, question in enumerate(questions, 1):
        outcomes = {name: ask(pipeline, question) for name, pipeline in pipelines.items()}
        rows.append({"question": asdict(question), "answers": {name: asdict(o) for name, o in outcomes.items()}})
        if not args.json:
            print(f"\n{number}. {clean(question.text)}")
            for name, outcome in outcomes.items():
                print(_line(name, outcome), flush=True)
        else:
            print(f"{number} of {len(questions)}", file=sys.stderr, flush=True)
    totals = {name: _total(name, [row["answers"][name] for row in rows]) for name in pipelines}
    for name, total in totals.items():
        keep_speed(name, total)
    print(json.dumps({"questions": rows, "totals": totals}, indent=2) if args.json else _summary(totals))
    return 0


def keep_speed(name: str, total: Mapping[str, object]) -> None:
    """Store the median time of a profile's answers in the manifest of its model, if that is installed here."""
    if not total["answered"]:
        return
    speed = f"{total['median_seconds']} s a question on this machine, the median of {total['asked']} of your own"
    for manifest in installed_models():
        if manifest.role == "writer" and uses(load_profile(name), manifest):
            write_manifest(manifest.model_copy(update={"speed": speed}))


def ask(pipeline: Pipeline, question: OwnQuestion) -> ComparedAnswer:
    """Answer a question; an error of answering is returned in the outcome."""
    began = time.perf_counter()
    try:
        answer = pipeline.answer(question.text)
    except RagError as error:
        return ComparedAnswer("", (), time.perf_counter() - began, None, str(error))
    citations = [citation for sentence in answer.sentences for citation in sentence.citations]
    names = {document.id: document.name for document in pipeline.collection.documents()}
    places = tuple(dict.fromkeys(f"{names.get(c.doc_id, c.doc_id)}, page {c.page}" for c in citations))
    gold = f"{question.document}, page {question.page}"
    return ComparedAnswer(
        " ".join(sentence.text for sentence in answer.sentences),
        places,
        time.perf_counter() - began,
        gold in places if question.page else None,
    )


def read_questions(path: Path) -> list[OwnQuestion]:
    """Read one question per line, with the document and the page that answers it after tabs. Raises ModelsError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelsError(f"{path} cannot be read ({error}): give a text file with a question a line") from None
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        text, *place = line.split("\t")
        if place and (len(place) != 2 or not place[1].strip().isdecimal()):
            raise ModelsError(f"{path}, line {number}: after the question come the document and its page, with tabs")
        document, page = (place[0].strip(), int(place[1])) if place else ("", 0)
        questions.append(OwnQuestion(text.strip(), document, page))
    return questions


def _latest_questions(collection: str, most: int) -> list[OwnQuestion]:
    """Return the latest questions that the page was asked about a collection, the latest first."""
    with open_state(default_home()) as state:
        return [OwnQuestion(text) for text in ConversationStore(state).latest_questions(collection, most)]


def _line(name: str, outcome: ComparedAnswer) -> str:
    text = outcome.error or outcome.text or "nothing was found that answers this"
    short = text if len(text) <= _MOST_CHARS else text[: _MOST_CHARS - 1] + "…"
    where = f" [{clean(outcome.places[0])}{' ...' * (len(outcome.places) > 1)}]" if outcome.places else ""
    mark = {True: " (the right page)", False: " (not the known page)", None: ""}[outcome.right_page]
    return f"   {clean(name)}, {outcome.seconds:.1f} s: {clean(short)}{where}{mark}"


def _total(name: str, outcomes: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return the totals of a profile: questions asked and answered, median seconds, right pages."""
    values = [outcome["right_page"] for outcome in outcomes if outcome["right_page"] is not None]
    seconds = sorted(float(str(outcome["seconds"])) for outcome in outcomes)
    return {
        "profile": name,
        "answered": sum(bool(outcome["text"]) for outcome in outcomes),
        "asked": len(outcomes),
        "median_seconds": round(seconds[len(seconds) // 2], 2) if seconds else None,
        "right_pages": f"{sum(map(bool, values))} of {len(values)}" if values else None,
    }


def _summary(totals: dict[str, dict[str, object]]) -> str:
    lines = []
    for total in totals.values():
        pages = f", right page cited {total['right_pages']}" if total["right_pages"] else ""
        lines.append(
            f"{clean(str(total['profile']))}: {total['answered']} of {total['asked']} answered, "
            f"{total['median_seconds']} s in the median{pages}"
        )
    return "\n" + "\n".join(lines)
