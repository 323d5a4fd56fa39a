"""IndexingSettings: every knob of indexing, documented where it is defined."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

OcrMode = Literal["auto", "always", "never"]


class IndexingSettings(BaseModel):
    """How files become elements and vectors. Limits are per file or per page and are named in the error they raise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: Literal["minilm"] = Field("minilm", description="who makes the vectors; recorded in the collection")
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 2, ge=1, le=64, description="processes that parse pages"
    )
    ocr: OcrMode = Field("auto", description="auto: pages without usable text, and pictures; always: every page; never")
    ocr_pixels: int = Field(
        1536, ge=256, le=4096, description="longer side of a page image handed to OCR, in pixels (40 s a page at 4096)"
    )
    page_seconds: float = Field(60.0, gt=0, description="a page that takes longer is given up, its worker killed")
    open_seconds: float = Field(300.0, gt=0, description="the same for opening (and, if not a PDF, converting) a file")
    worker_memory_mb: int = Field(
        2048, ge=900, description="address space that a worker may add to what it starts with, in MB (models take 800)"
    )
    max_file_mb: int = Field(2048, ge=1, description="largest file that is opened, in MB")
    max_pages: int = Field(20_000, ge=1, description="most pages a file may have")
    max_pixels: int = Field(120_000_000, ge=1, description="most pixels an image file may have")
    max_unpacked_mb: int = Field(1024, ge=1, description="most that a zipped file (EPUB, XPS) may unpack to, in MB")
    max_files: int = Field(100_000, ge=1, description="most files that one run takes from the folders it walks")


def default_home() -> Path:
    """The folder that holds the collections: $VOUCH_HOME, else ~/.local/share/vouch."""
    return Path(os.environ.get("VOUCH_HOME") or Path.home() / ".local" / "share" / "vouch")
