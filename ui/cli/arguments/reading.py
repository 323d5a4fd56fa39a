"""The options of `vouch index`."""

from __future__ import annotations

import argparse

from configs import NO_VISUAL, embedders
from ui.cli import folders
from ui.cli.arguments.scale import add_scale_options
from ui.cli.arguments.shared import add_password, add_profile
from ui.cli.arguments.values import positive
from vouch.hooks import added, load, names


def add_index_options(index: argparse.ArgumentParser) -> None:
    """Add what is read, by what, and into which collection."""
    _add_sources(index)
    index.add_argument(
        "--collection", "-c", metavar="NAME", help="the collection (default: default; samples for --samples)"
    )
    add_profile(index)
    add_reading_options(index)
    index.add_argument(
        "--extract",
        action="store_true",
        help="also let the model take notes on all figures, and on tables that code cannot describe, for ask --extract",
    )
    add_scale_options(index)
    folders.add_tags(index)
    add_password(index)
    index.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")


def _add_sources(index: argparse.ArgumentParser) -> None:
    """Add PATH, --samples and the sources of plugins, one of which is needed."""
    which = index.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "paths",
        nargs="*",
        default=[],
        metavar="PATH",
        help="a document, a folder of them, or the address of a web page",
    )
    for source in added("sources"):
        load(source.options)(index, which)
    which.add_argument(
        "--samples",
        action="store_true",
        help="read the sample documents that come with Vouch (into the collection samples), to try it out",
    )


def add_reading_options(index: argparse.ArgumentParser) -> None:
    """Add how files are read, and by what they are searched."""
    index.add_argument("--workers", type=positive, metavar="N", help="the number of processes that read pages")
    index.add_argument(
        "--ocr",
        choices=("auto", "always", "never"),
        help="recognise text in pictures: where a page has no text of its own (auto), always, or never (default: from "
        "the profile)",
    )
    index.add_argument(
        "--text",
        choices=names(embedders("text")),
        help="the embedder of the text: minilm (the default; English), or a late-interaction model (colbert) or a "
        "server's model (openai), both with --checkpoint; a collection keeps its choice",
    )
    index.add_argument(
        "--visual",
        choices=(*names(embedders("visual")), NO_VISUAL),
        help="the content that the modes image and multi search: text read off the pixels (ocr_regions, the default), "
        "a "
        "model that looks at pages (colpali, mm_embed, qwen3_vl_embedding; needs --checkpoint), or nothing (none); a "
        "collection keeps its choice",
    )
    index.add_argument(
        "--checkpoint",
        metavar="C",
        help="the weights of the model of --text or --visual: a folder, or owner/name on the Hugging Face hub "
        "(openai: the name on the server); mind their licence (nvidia/MM-Embed is not for commercial use)",
    )
    index.add_argument("--device", metavar="D", help="the device of that model: cuda or cpu (default: the GPU, if any)")
    index.add_argument(
        "--token-pooling",
        type=positive,
        metavar="N",
        help="merge every N similar patch vectors of colpali into one",
    )
    index.add_argument(
        "--pixels",
        choices=("images", "pages"),
        help="the pixels to read text off: every page as it looks, after the texts of all files (pages, the default), "
        "or page images and pictures alone (images), in half the time",
    )
