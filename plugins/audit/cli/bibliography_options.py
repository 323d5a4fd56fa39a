"""The options of `vouch bibliography`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

_ADD = """\
examples:
  vouch bibliography add thesis.bib
  vouch bibliography add dblp.xml.gz --name dblp
  vouch bibliography add arxiv-metadata.json.gz --name arxiv --complete-for arxiv

Formats: BibTeX (.bib), RIS (.ris), CSL-JSON (.json), DBLP's dump (.xml), and the dumps of Crossref, OpenAlex and arXiv
(.json, .jsonl), each also with .gz; from a folder, all such files are read. Works already there are not added again.
exit code: 0 all was read, 2 a file could not be read (what came before it is kept), 130 stopped by Ctrl-C
"""
_LIST = """\
examples:
  vouch bibliography list
  vouch bibliography list --json
"""
_REMOVE = """\
examples:
  vouch bibliography remove thesis
"""


def add_bibliography_options(bibliography: argparse.ArgumentParser) -> None:
    """Add the commands below `vouch bibliography`, each with its options."""
    below = bibliography.add_subparsers(dest="action", metavar="COMMAND", title="commands", required=True)
    told = "read files of records into a new or an existing bibliography"
    add = below.add_parser("add", help=told, description=f"{told.capitalize()}.", epilog=_ADD)
    add.add_argument("files", nargs="+", metavar="FILE", help="a bibliography, a dump of records, or a folder of them")
    add.add_argument("--name", metavar="N", help="the bibliography (default: named after the first file)")
    promise = add.add_mutually_exclusive_group()
    promise.add_argument(
        "--complete",
        action="store_true",
        help="promise that it has every work that your papers may cite: a reference that it lacks is questionable",
    )
    promise.add_argument(
        "--complete-for",
        choices=("doi", "arxiv", "nothing"),
        help="promise that it has every work with a DOI, or with an arXiv number; nothing takes a promise back",
    )
    told = "list the bibliographies, with their records and promises"
    listing = below.add_parser("list", help=told, description=f"{told.capitalize()}.", epilog=_LIST)
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    told = "delete a bibliography; the files that it was read from are kept"
    remove = below.add_parser("remove", help=told, description=f"{told.capitalize()}.", epilog=_REMOVE)
    remove.add_argument("name", metavar="NAME", help="the bibliography")
