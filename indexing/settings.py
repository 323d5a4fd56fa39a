"""Every setting of indexing and search, documented where it is defined."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from indexing.errors import BadSetting
from indexing.processors import cores
from indexing.storage import Home, is_remote

OcrMode = Literal["auto", "always", "never"]
Visual = Literal["none", "ocr_regions", "colpali", "mm_embed", "qwen3_vl_embedding"]
LOADED: tuple[Visual, ...] = ("colpali", "mm_embed", "qwen3_vl_embedding")
"""The visual embedders that are models with a checkpoint, look at drawn pages, and need the extra `visual`."""
TextEmbedderName = Literal["minilm", "colbert", "openai"]
Pixels = Literal["images", "pages"]
Mode = Literal["text", "image", "multi"]
MOST_SHARDS = 64


class IndexingSettings(BaseModel):
    """The settings of turning files into elements and vectors. Limits are per file or page; their errors name them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: TextEmbedderName = Field(
        "minilm",
        description="the embedder of the text. minilm: comes with Vouch, reads English. colbert: a late-interaction "
        "checkpoint in PyLate's form (`text_checkpoint`). openai: single vectors of an OpenAI-compatible server. "
        "Recorded in the collection, which refuses another",
    )
    text_checkpoint: str = Field(
        "",
        description="the weights of colbert, a folder or owner/name on the Hugging Face hub, from where they are "
        "fetched once; or the model of openai, as the server names it. Recorded in the collection",
    )
    text_base_url: str = Field(
        "",
        description="the address of the server of openai, which mostly ends in /v1; empty means that of "
        "OPENAI_BASE_URL. All text of the documents, and every question, is sent there",
    )
    text_key_env: str = Field(
        "",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="the environment variable that holds the key of that server; empty means OPENAI_API_KEY for the "
        "address in OPENAI_BASE_URL, and no key for another",
    )
    text_languages: tuple[Annotated[str, Field(pattern=r"^[a-z]{2}$")], ...] = Field(
        (),
        description="the languages that colbert or openai reads, as ISO 639-1 codes ([en, de]); none means that nobody "
        "has said. A question that is surely in another is told so. Recorded in the collection",
    )
    visual: Visual = Field(
        "ocr_regions",
        description="the visual embedder, which the modes image and multi search by. ocr_regions: reads the text in "
        "the pixels. colpali (a vector a patch: ColPali, ColQwen2 to 3.5, ColModernVBERT, ColIdefics3, ColGemma3), "
        "mm_embed and qwen3_vl_embedding (text and pixels in one space): look at drawn pages with the model of "
        "`checkpoint`. none: there is mode text only. Recorded in the collection",
    )
    checkpoint: str = Field(
        "",
        description="the weights of colpali, mm_embed, qwen3_vl_embedding: a folder, or owner/name on the Hugging "
        "Face hub, from where they are fetched once (nothing else is ever fetched). Mind the makers' licences: "
        "nvidia/MM-Embed is cc-by-nc-4.0, not for commercial use; ColPali and ColGemma3 build on weights under the "
        "Gemma terms, ColQwen2.5 of 3B on weights under the Qwen research licence; ColModernVBERT (MIT), ColQwen2 and "
        "Qwen3-VL-Embedding (Apache-2.0) are unencumbered. Recorded in the collection",
    )
    device: str = Field(
        "auto",
        description="the device of colbert and of the visual embedders, as torch names it: cuda, cuda:1, mps, cpu; "
        "auto takes cuda if there is one",
    )
    token_pooling: int = Field(
        1,
        ge=1,
        le=16,
        description="the number of patch vectors of colpali that are merged into one, alike with alike; 1 merges "
        "none. Each keeps some place on the page. Recorded in the collection",
    )
    query_instruction: str = Field(
        "",
        description="the instruction that mm_embed and qwen3_vl_embedding get with a question; empty tells them to "
        "find what answers it",
    )
    page_pixels: int = Field(
        1600,
        ge=256,
        le=4096,
        description="the longer side, in pixels, of the drawn pages that visual embedders are shown; models scale "
        "them down to what they take. ColModernVBERT and ColIdefics3 need half the time at 1024",
    )
    page_batch: int = Field(
        0,
        ge=0,
        le=256,
        description="the number of pages that they take at a time; 0 means as many as free memory holds",
    )
    pixels: Pixels = Field(
        "images",
        description="the pixels that ocr_regions reads. images: page images, and the pictures on other pages, which "
        "OCR reads anyway. pages: every page as it is drawn, which takes 5 s more a page and core",
    )
    workers: int = Field(default_factory=cores, ge=1, le=64, description="the number of processes that parse pages")
    ocr: OcrMode = Field(
        "auto",
        description="the pages that OCR reads. auto: those without usable text, and pictures. always: every page. "
        "never: none",
    )
    ocr_pixels: int = Field(
        1536,
        ge=256,
        le=4096,
        description="the longer side, in pixels, of a page image for OCR (4096 takes 40 s a page)",
    )
    page_seconds: float = Field(
        60.0,
        gt=0,
        description="the seconds of processor after which a page is given up and its worker killed; thirty times that "
        "by the clock",
    )
    open_seconds: float = Field(
        120.0,
        gt=0,
        description="the seconds of processor after which opening a file, or converting one to PDF, is given up; "
        "thirty times that by the clock",
    )
    worker_memory_mb: int = Field(
        2048,
        ge=900,
        description="the address space that a worker may add to what it starts with, in MB (models take 800); only "
        "Linux enforces it",
    )
    keep_decrypted: bool = Field(
        False,
        description="keep the copy of a locked document without its password, so that its pages can always be drawn; "
        "otherwise the copy stays locked, and the password is asked for again",
    )
    max_file_mb: int = Field(2048, ge=1, description="the largest file that is opened, in MB")
    max_pages: int = Field(20_000, ge=1, description="the most pages that a file may have")
    max_pixels: int = Field(120_000_000, ge=1, description="the most pixels that an image file may have")
    max_unpacked_mb: int = Field(
        1024, ge=1, description="the size that a zipped file (EPUB, XPS, Office) may unpack to, in MB"
    )
    libreoffice: str = Field(
        "",
        description="the path of LibreOffice (`soffice`, or the folder that it is in), which converts Office files; "
        "empty finds it",
    )
    chromium: str = Field("", description="the path of Chromium, which draws web pages; empty finds it")
    web_page_height: int = Field(
        1400,
        ge=400,
        le=4000,
        description="the height of a page that a web page is cut into, at most, in CSS pixels; its width is 980",
    )
    web_height: int = Field(
        0,
        ge=0,
        description="the height that is kept of a web page, in CSS pixels (VISA: 3920); 0 keeps all, up to max_pages",
    )
    web_scripts: bool = Field(
        False, description="let the scripts of web pages run; they can reach nothing but the gate"
    )
    web_hosts: tuple[str, ...] = Field(
        (),
        description="the hosts that may be asked for a web page at an address and what belongs to it; .example.org "
        "stands for all under it. Pages from files are never fetched for",
    )
    web_mb: int = Field(
        64, ge=1, le=1024, description="the most MB that a web page may have, with all that belongs to it"
    )
    web_requests: int = Field(200, ge=1, description="the most requests that are made for a web page at an address")
    web_seconds: float = Field(
        120.0, gt=0, description="the seconds by the clock after which drawing or fetching a web page is given up"
    )
    max_files: int = Field(100_000, ge=1, description="the most files that one run takes from the folders it walks")
    shards: int = Field(
        1,
        ge=1,
        le=MOST_SHARDS,
        description="the number of databases that a new collection is split into, by document: they are searched at "
        "the same time, on several machines with `vouch serve --on ray`. Recorded in the collection; `vouch reindex "
        "--shards` changes it",
    )
    shard_seconds: float = Field(
        30.0,
        gt=0,
        description="the seconds by the clock in which a shard on a node of a cluster has to answer a request of a "
        "question (`vouch serve --on ray`); one that does not is named in the answer",
    )
    cache_mb: int = Field(
        4096,
        ge=0,
        description="the disk, in MB, that copies of what is on an object store may take on this machine; the tables "
        "of a collection are searched there where they find room, and on the store itself where they do not",
    )

    def changed(self, **values: Any) -> IndexingSettings:
        """Return these settings with other values, None for none, held to the same limits. Raises BadSetting."""
        given = {key: value for key, value in values.items() if value is not None}
        try:
            checked = IndexingSettings.model_validate(given)
        except ValidationError as error:
            wrong = ((".".join(map(str, e["loc"])), e) for e in error.errors())
            raise BadSetting("; ".join(f"{key} {e['input']!r}: {e['msg']}" for key, e in wrong)) from None
        return self.model_copy(update={key: getattr(checked, key) for key in given})

    def reading_by(self, embedder: str | None) -> IndexingSettings:
        """Return these settings with a text embedder, None for the same. Raises BadSetting.

        A checkpoint is the text embedder's then, unless the visual embedder needs one: both are set in a profile.
        """
        chosen = self.changed(embedder=embedder)
        if embedder in (None, "minilm") or self.visual in LOADED or not self.checkpoint:
            return chosen
        return chosen.model_copy(update={"text_checkpoint": self.checkpoint, "checkpoint": ""})


class SearchSettings(BaseModel):
    """The settings of ranking. Weights are in units of MaxSim, a weighted mean of cosines: at most 1.

    The defaults are measured (docs/experiments/retrieval.md).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    code_candidates: int = Field(
        600,
        ge=1,
        description="the number of pages that codes choose to be looked at closely, per view; it grows where there "
        "are over 10,000",
    )
    exact_candidates: int = Field(
        200,
        ge=1,
        description="the number of those pages that are scored exactly, per view; it grows where there are over 10,000",
    )
    sketch_candidates: int = Field(
        350,
        ge=1,
        description="the number of pages that are scored exactly where there are sketches instead of codes, per view",
    )
    text_candidates: int = Field(40, ge=0, description="the number of pages that full text adds to them")
    element_weight: float = Field(
        0.6, ge=0, le=1, description="the share of an element's own MaxSim in its score; the rest is its page's"
    )
    full_text_weight: float = Field(
        0.06, ge=0, description="the amount that the best full-text match adds; others add in proportion to their BM25"
    )
    visual_weight: float = Field(
        0.5, ge=0, le=1, description="the share of the page's pixels in mode multi; the rest is the text's"
    )
    space_query: Literal["text", "averaged"] = Field(
        "text",
        description="the query that a universal embedder is asked in mode multi. text: the text-seeking form. "
        "averaged: the mean of the vectors of its text-seeking and image-seeking forms",
    )
    variant_weight: float = Field(
        0.5, ge=0, le=1, description="the share of the best further query in a score; the rest is the first query's"
    )
    document_weight: float = Field(
        0.5,
        ge=0,
        description="the share of its document's best page that is added to a page's score, if several documents "
        "compete",
    )
    page_bonus: float = Field(0.36, ge=0, description="the bonus of the page that the question names by its number")
    name_bonus: float = Field(0.18, ge=0, description="the bonus of the page with the figure, table, ... that it names")
    kind_bonus: float = Field(0.045, ge=0, description="the bonus of a page of pictures (tables) if it asks about one")
    front_bonus: float = Field(
        0.09, ge=0, description="the bonus of the first page if it asks for the title, the author, ..."
    )


def default_home() -> Home:
    """Return the home of the collections, a folder or an address: $VOUCH_HOME, else ~/.local/share/vouch.

    Raises BadSetting for an address that is none of an object store.
    """
    named = os.environ.get("VOUCH_HOME") or str(Path.home() / ".local" / "share" / "vouch")
    return named.rstrip("/") if is_remote(named) else Path(named)
