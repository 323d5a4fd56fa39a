"""Verify a pack: its files, signature and page; then each sentence with its quotes, boxes, crops and sums.

What a forger could have made consistent is not taken for a proof: a quote is proven by its document alone, and a pack
by the signature of somebody whose key is known.
"""

from __future__ import annotations

import ast
import contextlib
import operator
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from PIL import Image, ImageChops

from indexing import ExtraMissing, FileError
from indexing.workers import Workers
from plugins.evidence.container import (
    INDEX,
    Members,
    PackedAnswer,
    read_file,
    read_manifest,
    read_pack,
    this_program,
    wrong_files,
)
from plugins.evidence.errors import PackUnusable
from plugins.evidence.making import PAGE_WIDTH, evidence_crop, index_page
from plugins.evidence.places import SETTINGS, PageReader, ReadPage, find_documents, misplacement
from plugins.evidence.signature import PublicKey, check_signature
from rag import AnchorError, Answer, Citation, Sentence
from rag.anchors import comparable_text

MOST_CHARS = 2000
_NUMBER = r"[$€£¥]?\d[\d,]*(?:\.\d+)?%?"
_FIGURE = rf"(?:\({_NUMBER}\)|[-–−]?{_NUMBER})"
_ALONE, _LAST = re.compile(rf"(\(*)({_FIGURE})(\)*)"), re.compile(rf"()({_FIGURE})(\)*)")
_AVERAGE = "the average of "
_SIGN, _YEAR, _UNIT = re.compile(r" ([-+×/]) "), re.compile(r"(?:, |; )\d{4}: "), re.compile(r", in [a-z]+$")
_SCALE = re.compile(r"\d (?:thousand|million|billion)\b")
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def recompute(text: str, short: str) -> tuple[bool, str, list[str]] | None:
    """Return whether the formula in a sentence gives the value `short` at its start, the recomputed value, its numbers.

    None for a sentence without a formula in brackets, such as a count, or with numbers of several scales.
    """
    body = text.removeprefix(short).strip()
    is_working = len(text) <= MOST_CHARS and re.fullmatch(_FIGURE, short) and re.fullmatch(r"\(.*\)\.", body)
    if not is_working or _SCALE.search(body):
        return None
    figures: list[str] = []
    try:
        values = [_value(working, figures) for working in _YEAR.split(_UNIT.sub("", body[1:-2]))[1:]]
        value = sum(values) / len(values)
    except (ValueError, SyntaxError, ArithmeticError, RecursionError):
        return None
    if short.endswith("%") and not (len(figures) == 1 and "%" in figures[0]):
        value *= 100
    last_digit = 10.0 ** -len(short.rstrip("%)").partition(".")[2])
    return abs(value - _number(short)) <= 0.5000001 * last_digit, f"{value:,.6g}", figures


def _value(working: str, figures: list[str]) -> float:
    """Return the value of a formula, and append its numbers to `figures`. Raises an error unless it can be parsed."""
    expression, label = "", ""
    parts = _SIGN.split(working)
    for term, sign in zip(parts[::2], [*parts[1::2], ""], strict=True):
        operand = _operand(label + term)
        label = "" if operand else f"{label}{term} {sign} "  # the label of a row may have signs too
        if operand:
            opening, own, closing = operand
            figures += own
            value = sum(map(_number, own)) / len(own)
            expression += f"{opening}({value!r}){closing}{sign.replace('×', '*')}"
    return _evaluate(ast.parse(expression, mode="eval").body)


def _operand(text: str) -> tuple[str, list[str], str] | None:
    """Split `(Surplus 1,082` into opening brackets, numbers (two of an average), closing brackets; None without."""
    before, _, last = text.rpartition(" ")
    match = _LAST.fullmatch(last) if before else _ALONE.fullmatch(last)
    if match is None:
        return None
    words = before.lstrip("(")
    opening = match[1] or before[: len(before) - len(words)]
    first = words.removesuffix(" and").rpartition(" ")[2]
    is_average = words.startswith(_AVERAGE) and words.endswith(" and") and re.fullmatch(_FIGURE, first)
    return opening, [first, match[2]] if is_average else [match[2]], match[3]


def _number(figure: str) -> float:
    """Return the value of a number as written: brackets and minus signs make it negative."""
    value = float(re.sub(r"[^\d.]", "", figure))
    return -value if figure[0] in "(-–−" else value


def _evaluate(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=float(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
            return float(_SIGNS[type(sign)](_evaluate(left), _evaluate(right)))
    raise ValueError(ast.dump(node)[:80])


MOST_PIXELS = 300_000_000
"""The most pixels of all pictures of a pack together; one has at most a twentieth of that."""
State = Literal["holds", "open", "fails"]
"""The outcome of a check: it holds, it could not be done here (the text says why), or something is wrong."""


class PackFinding(NamedTuple):
    """A check, its state and an explanation (not HTML-escaped), of sentence n (from 1) or of the pack (0).

    `citation` is the number of the citation that was checked, from 1; 0 for none.
    """

    check: str
    state: State
    text: str
    sentence: int = 0
    citation: int = 0


class Report(NamedTuple):
    """The result of verifying a pack: when it was made, its answer, and the outcome of each check."""

    made_at: str
    answer: Answer
    findings: Sequence[PackFinding]

    def state(self, sentence: int | None = None) -> State:
        """Return the worst state of the checks of a sentence by its number (0: of the pack itself), or of all."""
        states = {each.state for each in self.findings if sentence in (None, each.sentence)}
        return "fails" if "fails" in states else "open" if "open" in states else "holds"


def verify_pack(path: Path, documents: Path | None = None, key: PublicKey | None = None) -> Report:
    """Verify a pack, against a folder of documents and its maker's key if given. Raises PackUnusable, OSError."""
    data = read_file(path)
    members = read_pack(path.name, data)
    packed_answer = read_manifest(path.name, members)
    paths = find_documents(documents, packed_answer.manifest.documents) if documents else {}
    with TemporaryDirectory(prefix="vouch-verify-") as folder, Workers(1, SETTINGS) as workers:
        checks = _Checks(packed_answer, members, PageReader(workers, Path(folder)), paths)
        findings = [_files_finding(members), _signature_finding(path, data, key), checks.compare_index_page()]
        for number, sentence in enumerate(packed_answer.answer.sentences, 1):
            findings += [each._replace(sentence=number) for each in checks.check_sentence(sentence)]
    return Report(packed_answer.manifest.made_at, packed_answer.answer, findings)


def _load_images(members: Members) -> dict[str, Image.Image]:
    images, remaining = {}, MOST_PIXELS
    for name in (name for name in members if name.endswith(".png")):
        try:
            with Image.open(BytesIO(members[name]), formats=("PNG",)) as image:
                remaining -= image.width * image.height
                if remaining < 0 or image.width * image.height > MOST_PIXELS // 20:
                    raise PackUnusable(f"{name} has too many pixels to be a picture of a pack: get it again")
                images[name] = image.convert("RGB")
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise PackUnusable(f"{name} is not a picture ({error!s:.60}): get the pack again") from None
    return images


def _files_finding(members: Members) -> PackFinding:
    if wrong := wrong_files(members):
        return PackFinding("files", "fails", f"not as SHA256SUMS lists them: {', '.join(wrong[:3])}")
    return PackFinding("files", "holds", f"{len(members) - 1} files, each with its SHA-256, and nothing else")


def _signature_finding(path: Path, data: bytes, key: PublicKey | None) -> PackFinding:
    """Return the finding on the signature file beside a pack; open without a key, or the package that checks it."""
    file = path.with_name(f"{path.name}.minisig")
    if not file.is_file():
        state: State = "fails" if key else "open"
        return PackFinding("signature", state, f"there is no {file.name}: anybody can have made this pack")
    try:
        good, signer = check_signature(read_file(file).decode("utf-8", "replace"), data, key)
    except (PackUnusable, ExtraMissing) as error:
        return PackFinding("signature", "open" if isinstance(error, ExtraMissing) else "fails", str(error))
    if key is None:
        return PackFinding("signature", "open", f"it says to be by the key {signer}: give that with --key")
    wrong = "" if good else "not of this file by this key; it says to be "
    return PackFinding("signature", "holds" if good else "fails", f"{wrong}by the key {signer}")


class _Checks:
    """The checks of one pack, which share its pictures and the pages read from its documents."""

    def __init__(self, pack: PackedAnswer, members: Members, reader: PageReader, paths: dict[str, Path]) -> None:
        self.pack, self.members, self.reader, self.images = pack, members, reader, _load_images(members)
        documents = pack.manifest.documents
        self.files = {one.id: reader.link_to(paths[one.sha256], one) for one in documents if one.sha256 in paths}
        self.read_page = lru_cache(maxsize=None)(self._read_page)
        self.check_picture = lru_cache(maxsize=None)(self._check_picture)

    def _difference(self, check: str, text: str) -> PackFinding:
        """Return the finding for a rendering or OCR that differs here: open if another version made the pack."""
        if self.pack.manifest.made_by == this_program():
            return PackFinding(check, "fails", text)
        return PackFinding(check, "open", f"{text}; another version of Vouch made the pack, which may be why")

    def compare_index_page(self) -> PackFinding:
        """Return the finding on index.html: it must equal the page that is made again from the manifest."""
        with contextlib.suppress(AnchorError, ValueError, LookupError):
            if index_page(self.pack, self.images) == self.members[INDEX]:
                return PackFinding("page", "holds", f"{INDEX} shows what the manifest says")
        return self._difference("page", f"{INDEX} is not the page of this manifest: trust this table, not the page")

    def check_sentence(self, sentence: Sentence) -> Iterator[PackFinding]:
        """Yield the findings on a sentence and its citations, as far as they need no model."""
        every = ((c, self.read_page(c.doc_id, c.page)) for c in sentence.citations)
        pages = [(c, page) for c, page in every if isinstance(page, ReadPage)]
        certain = len(pages) == len(sentence.citations) and all(page.certain for _, page in pages)
        if sentence.verdict == "quoted":
            yield _check_quoted_text(sentence, pages, certain)
        elif sentence.verdict == "computed":
            yield _check_computation(sentence, pages, certain)
        elif sentence.verdict != "remark":
            text = "that its places say it is not checked again" if sentence.checked_by else "it was not proven at all"
            yield PackFinding("verdict", "open", text)
        for number, citation in zip(self.pack.answer.numbers(sentence), sentence.citations, strict=True):
            findings = (self._check_crop(number, citation), self.check_picture(citation.doc_id, citation.page))
            yield from (each._replace(citation=number) for each in (*findings, self._check_quote(citation, sentence)))

    def _check_crop(self, number: int, citation: Citation) -> PackFinding:
        page, name = self.images.get(self.pack.picture(citation.doc_id, citation.page)), f"crops/{number}.png"
        if page is None:
            return PackFinding("crop", "open", "the page could not be drawn when the pack was made")
        if name in self.images and _same_pixels(evidence_crop(page, citation), self.images[name]):
            return PackFinding("crop", "holds", f"{name} is cut out of the picture of its page")
        return PackFinding("crop", "fails", f"{name} is not what the picture of its page has in the box")

    def _check_quote(self, citation: Citation, sentence: Sentence) -> PackFinding:
        """Return the finding on a citation: its page has the quote, inside the boxes."""
        page = self.read_page(citation.doc_id, citation.page)
        if isinstance(page, str):
            return PackFinding("quote", "open", page)
        source = "the document" if citation.doc_id in self.files else "the picture of the page"
        source = f"({source})" if page.certain else f"({source}, read by OCR)"
        if wrong := misplacement(citation, sentence.text, page):
            if page.certain and not citation.quote:
                return self._difference("quote", f"{wrong} {source}")
            return PackFinding("quote", "fails" if page.certain else "open", f"{wrong} {source}")
        right = "the quote stands in its boxes" if citation.quote else "nothing is quoted; what is framed stands there"
        return PackFinding("quote", "holds", f"{right} {source}")

    def _check_picture(self, doc_id: str, number: int) -> PackFinding:
        """Return the finding on a document: it is available, and its page looks like its picture in the pack."""
        path, image = self.files.get(doc_id), self.images.get(self.pack.picture(doc_id, number))
        if path is None:
            text = "no file with its SHA-256 is at hand: --documents names the folder that it is in"
            return PackFinding("document", "open", text)
        try:
            if image is None or _same_pixels(self.reader.draw(path, number, PAGE_WIDTH), image):
                return PackFinding("document", "holds", "the file with its SHA-256 has this page")
        except FileError as error:
            return PackFinding("document", "open", str(error))
        if path.suffix != ".pdf":
            return PackFinding("document", "open", "its page looks otherwise here, as where other fonts lay it out")
        return self._difference("document", "its page does not look like its picture in the pack")

    def _read_page(self, doc_id: str, number: int) -> ReadPage | str:
        """Return a page read from its document, else by OCR from its picture in the pack; or why it cannot be read."""
        path, picture = self.files.get(doc_id), self.pack.picture(doc_id, number)
        if path is None and not picture:
            return "neither the document nor a picture of its page is at hand"
        try:
            if path is not None:
                elements = self.reader.elements(path, number)
                return ReadPage(elements, any(element.source == "layer" for element in elements))
            image = self.reader.folder / picture.replace("/", "-")
            image.write_bytes(self.members[picture])
            return ReadPage(self.reader.elements(image, 1), certain=False)
        except FileError as error:
            return str(error)


Pages = Sequence[tuple[Citation, ReadPage]]
"""The citations of a sentence whose pages could be read, with these."""


def _check_quoted_text(sentence: Sentence, pages: Pages, certain: bool) -> PackFinding:
    """Return the finding on a quoted sentence: its words are those of its quotes, or of table headers in its boxes."""
    rest, quotes = comparable_text(sentence.text), [citation.quote for citation in sentence.citations]
    for quote in sorted(filter(None, map(comparable_text, quotes)), key=len, reverse=True):
        rest = rest.replace(quote, "", 1)
    if not any(char.isalnum() for char in rest):
        return PackFinding("text", "holds", "its words are those of its quotes")
    box_words = [word for c, page in pages for box in (*c.boxes, *c.context) for word in page.words_in(box)]
    vocabulary = set(map(_bare, " ".join((*box_words, *quotes)).replace("|", " ").split()))
    strange = [word for word in sentence.text.replace("|", " ").split() if _bare(word) not in vocabulary]
    if not strange:
        return PackFinding("text", "holds", "its words are those of its row and of the heads over it")
    return PackFinding("text", "fails" if certain else "open", f"neither quotes nor boxes say {strange[0]!r:.40}")


def _check_computation(sentence: Sentence, pages: Pages, certain: bool) -> PackFinding:
    """Return the finding on a computed value: it follows from its numbers, which are in the cited boxes."""
    result = recompute(sentence.text, sentence.text[slice(*sentence.short)] if sentence.short else "")
    if result is None:
        return PackFinding("sum", "open", "counted over whole documents, or without a written working: not repeated")
    agrees, value, figures = result
    if not agrees:
        return PackFinding("sum", "fails", f"its working gives {value}")
    numbers = {_bare(word) for c, page in pages for box in c.boxes or (c.bbox,) for word in page.words_in(box)}
    if missing := [figure for figure in figures if _bare(figure) not in numbers]:
        return PackFinding("sum", "fails" if certain else "open", f"{missing[0]} was not read in the cited boxes")
    return PackFinding("sum", "holds", f"{len(figures)} figures stand in its boxes and give the value")


def _bare(word: str) -> str:
    return comparable_text(word).strip(".,;:!?()[]\"'$€£¥-")


def _same_pixels(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and ImageChops.difference(one, other).getbbox() is None
