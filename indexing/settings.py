"""Every setting of indexing and search, documented where it is defined."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from configs import NO_VISUAL, embedders, known_name, loads_checkpoint
from indexing.errors import BadSetting
from indexing.processors import cores
from indexing.storage import Home
from vouch.hooks import names

OcrMode = Literal["auto", "always", "never"]
Visual = Annotated[str, AfterValidator(lambda name: known_name(name, (NO_VISUAL, *names(embedders("visual")))))]
TextEmbedderName = Annotated[str, AfterValidator(lambda name: known_name(name, names(embedders("text"))))]
Pixels = Literal["images", "pages"]
Mode = Literal["text", "image", "multi"]


class IndexingSettings(BaseModel):
    """The settings of turning files into elements and vectors. Limits are per file or page; their errors name them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: TextEmbedderName = Field(
        "minilm",
        description="the text embedder. minilm: comes with Vouch, reads English. colbert: a late-interaction "
        "checkpoint in PyLate's format (`text_checkpoint`). openai: single vectors from an OpenAI-compatible "
        "server. Recorded in the collection, which cannot be used with another",
    )
    text_checkpoint: str = Field(
        "",
        description="for colbert, the weights: a folder, or owner/name on the Hugging Face hub, from which they are "
        "downloaded once; for openai, the name of the model on the server. Recorded in the collection",
    )
    text_base_url: str = Field(
        "",
        description="the address of the server for openai, which usually ends in /v1; empty means the value of "
        "OPENAI_BASE_URL. All text of the documents, and every question, is sent there",
    )
    text_key_env: str = Field(
        "",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="the environment variable that holds the key of that server; empty means OPENAI_API_KEY if the "
        "address comes from OPENAI_BASE_URL, and no key otherwise",
    )
    text_languages: tuple[Annotated[str, Field(pattern=r"^[a-z]{2}$")], ...] = Field(
        (),
        description="the languages that colbert or openai reads, as ISO 639-1 codes ([en, de]); an empty list means "
        "unknown. A question that is clearly in another language gets a warning. Recorded in the collection",
    )
    visual: Visual = Field(
        "ocr_regions",
        description="the visual embedder, which the modes image and multi search with. ocr_regions: reads the text in "
        "the pixels. colpali (one vector per patch: ColPali, ColQwen2 to 3.5, ColModernVBERT, ColIdefics3, "
        "ColGemma3), mm_embed and qwen3_vl_embedding (text and pixels in one space): look at rendered pages "
        "with the model of `checkpoint`. none: only mode text is available. Recorded in the collection",
    )
    checkpoint: str = Field(
        "",
        description="the weights of colpali, mm_embed, qwen3_vl_embedding: a folder, or owner/name on the Hugging Face "
        "hub, from which they are downloaded once (nothing else is ever downloaded). Mind the licences: "
        "nvidia/MM-Embed is cc-by-nc-4.0, not for commercial use; ColPali and ColGemma3 build on weights "
        "under the Gemma terms, ColQwen2.5 of 3B on weights under the Qwen research licence; ColModernVBERT "
        "(MIT), ColQwen2 and Qwen3-VL-Embedding (Apache-2.0) have no such restrictions. Recorded in the "
        "collection",
    )
    device: str = Field(
        "auto",
        description="the device of colbert and of the visual embedders, as torch names it: cuda, cuda:1, mps, cpu; "
        "auto uses a GPU if there is one",
    )
    token_pooling: int = Field(
        1,
        ge=1,
        le=16,
        description="the number of similar patch vectors of colpali that are merged into one; 1 merges none. Each "
        "merged vector keeps a position on the page. Recorded in the collection",
    )
    query_instruction: str = Field(
        "",
        description="the instruction that mm_embed and qwen3_vl_embedding get with a question; empty asks them to find "
        "what answers it",
    )
    text_instruction: str = Field(
        "",
        description="the same with the text-seeking half of an averaged query (rag: search: space_query); empty asks "
        "for passages",
    )
    image_instruction: str = Field(
        "",
        description="the same with the image-seeking half of an averaged query, and with the queries of mode image; "
        "empty asks for pictures and page images",
    )
    page_pixels: int = Field(
        1600,
        ge=256,
        le=4096,
        description="the longer side, in pixels, of the rendered pages that visual embedders see; models scale them "
        "down to the size they take. ColModernVBERT and ColIdefics3 need half the time at 1024",
    )
    page_batch: int = Field(
        0,
        ge=0,
        le=256,
        description="the number of pages that a visual embedder processes at a time; 0 means as many as fit in free "
        "memory",
    )
    pixels: Pixels = Field(
        "pages",
        description="the pixels that ocr_regions reads. pages: every page as it looks, after the texts of all files "
        "are there: letters are compared with the text layer, and OCR reads what differs, which takes about a second "
        "per page and core. images: page images, and the pictures on other pages, which OCR reads anyway",
    )
    workers: int = Field(default_factory=cores, ge=1, le=64, description="the number of processes that parse pages")
    drawing_workers: int = Field(
        2,
        ge=1,
        le=64,
        description="the most processes that draw pages and compare them with their text for questions: all open "
        "collections of a server share them",
    )
    drawing_idle_seconds: float = Field(
        300.0, gt=0, description="the seconds without a page to draw or compare after which these processes end"
    )
    ocr: OcrMode = Field(
        "auto",
        description="the pages that OCR reads. auto: pages without usable text, and pictures. always: every page. "
        "never: none",
    )
    ocr_pixels: int = Field(
        1536,
        ge=256,
        le=4096,
        description="the longer side, in pixels, of a page image for OCR (4096 takes 40 s per page)",
    )
    page_seconds: float = Field(
        60.0,
        gt=0,
        description="the processor time, in seconds, after which a page is given up and its worker killed; also "
        "given up after thirty times that by the clock",
    )
    open_seconds: float = Field(
        120.0,
        gt=0,
        description="the processor time, in seconds, after which opening a file, or converting it to PDF, is given up; "
        "also given up after thirty times that by the clock",
    )
    worker_memory_mb: int = Field(
        2048,
        ge=900,
        description="the address space, in MB, that a worker may use beyond what it starts with (models take 800); "
        "enforced on Linux only",
    )
    keep_decrypted: bool = Field(
        False,
        description="keep a copy of a locked document without its password, so that its pages can always be rendered; "
        "otherwise the copy remains locked, and the password is asked for again",
    )
    max_file_mb: int = Field(2048, ge=1, description="the largest file that is opened, in MB")
    max_pages: int = Field(20_000, ge=1, description="the most pages that a file may have")
    max_pixels: int = Field(120_000_000, ge=1, description="the most pixels that an image file may have")
    max_unpacked_mb: int = Field(
        1024, ge=1, description="the size that a zipped file (EPUB, XPS, Office) may unpack to, in MB"
    )
    libreoffice: str = Field(
        "",
        description="the path of LibreOffice (`soffice`, or the folder that contains it), which converts Office files; "
        "empty means search for it",
    )
    max_files: int = Field(100_000, ge=1, description="the most files that one run takes from folders")

    @property
    def reads_pages(self) -> bool:
        """True if ocr_regions is set to read the pixels of every page."""
        return self.visual == "ocr_regions" and self.pixels == "pages" and self.ocr != "never"

    def with_values(self, **values: Any) -> IndexingSettings:
        """Return these settings with new `values`, None to keep the old one. Raises BadSetting for one not allowed."""
        new = {key: value for key, value in values.items() if value is not None}
        try:
            valid = IndexingSettings.model_validate(new)
        except ValidationError as error:
            wrong = ((".".join(map(str, e["loc"])), e) for e in error.errors())
            raise BadSetting("; ".join(f"{key} {e['input']!r}: {e['msg']}" for key, e in wrong)) from None
        return self.model_copy(update={key: getattr(valid, key) for key in new})

    def reading_by(self, embedder: str | None) -> IndexingSettings:
        """Return these settings with another text embedder, None for the same. Raises BadSetting.

        `checkpoint` becomes the text embedder's, unless the visual one needs it: then a profile has to set both.
        """
        settings = self.with_values(embedder=embedder)
        if embedder in (None, "minilm") or loads_checkpoint(self.visual) or not self.checkpoint:
            return settings
        return settings.model_copy(update={"text_checkpoint": self.checkpoint, "checkpoint": ""})


class SearchSettings(BaseModel):
    """The settings of ranking. Weights are in units of MaxSim, a weighted mean of cosines: at most 1.

    The defaults are measured (docs/experiments/retrieval.md).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    code_candidates: int = Field(
        600,
        ge=1,
        description="the number of pages that the codes select for a closer look, per view; it grows in collections of "
        "more than 10,000 pages",
    )
    exact_candidates: int = Field(
        200,
        ge=1,
        description="the number of those pages that are scored exactly, per view; it grows in collections of more than "
        "10,000 pages",
    )
    sketch_candidates: int = Field(
        350,
        ge=1,
        description="the number of pages that are scored exactly if the collection has sketches instead of codes, per "
        "view",
    )
    text_candidates: int = Field(40, ge=0, description="the number of pages that full-text search adds to them")
    element_weight: float = Field(
        0.6, ge=0, le=1, description="the weight of an element's own MaxSim in its score; the rest is its page's"
    )
    full_text_weight: float = Field(
        0.06,
        ge=0,
        description="the amount that the best full-text match adds to a score; others add in proportion to their BM25",
    )
    visual_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        description="the weight of the page's pixels in mode multi, as a model sees them; the rest is that of its text",
    )
    read_weight: float = Field(
        0.3,
        ge=0,
        le=1,
        description="the weight of the page's pixels in mode multi where ocr_regions read them",
    )
    space_query: Literal["text", "averaged"] = Field(
        "text",
        description="the query that a universal embedder gets in mode multi. text: the text-seeking form. averaged: "
        "the mean of the vectors of its text-seeking and image-seeking forms, each made with an instruction of its own",
    )
    variant_weight: float = Field(
        0.5, ge=0, le=1, description="the weight of the best further query in a score; the rest is the first query's"
    )
    document_weight: float = Field(
        0.5,
        ge=0,
        description="the fraction of the score of a document's best page that is added to each of its pages, if "
        "several documents compete",
    )
    page_bonus: float = Field(0.36, ge=0, description="the bonus of a page whose number the question names")
    name_bonus: float = Field(
        0.18, ge=0, description="the bonus of the page with the figure, table, ... that the question names"
    )
    kind_bonus: float = Field(
        0.045, ge=0, description="the bonus of a page with pictures (tables) if the question asks about one"
    )
    front_bonus: float = Field(
        0.09, ge=0, description="the bonus of the first page if the question asks for the title, the author, ..."
    )


def default_home() -> Home:
    """Return the home of the collections, a folder: $VOUCH_HOME, else ~/.local/share/vouch. Raises BadSetting."""
    home = os.environ.get("VOUCH_HOME") or str(Path.home() / ".local" / "share" / "vouch")
    if "://" in home:
        raise BadSetting("VOUCH_HOME is an address, and collections are kept in folders only: give a folder")
    return Path(home)
