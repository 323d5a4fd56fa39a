"""The options of `vouch bibliography`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  vouch bibliography add thesis.bib                  read a file; its bibliography is called thesis
  vouch bibliography add a.bib b.ris --name group    read several files into one
  vouch bibliography add dblp.xml.gz --name dblp     read a dump; Ctrl-C keeps what is done, the same command goes on
  vouch bibliography add crossref/ --complete-for doi    read all files of a folder; say that it has all DOIs
  vouch bibliography add ours.bib --complete         say that it has every work of its field
  vouch bibliography list --json                     name them, with their records and what they promise
  vouch bibliography remove thesis                   delete one; the files that it was read from stay

vouch audit looks in all of them, or in those that audit.bibliographies of a profile names. A reference that a
bibliography lacks is called likely invented only where you promised that it has every such work (--complete,
--complete-for): docs/bibliographies.md says what to promise. Nothing leaves this machine.
"""
_ADD = """\
examples:
  vouch bibliography add thesis.bib
  vouch bibliography add dblp.xml.gz --name dblp
  vouch bibliography add arxiv-metadata.json.gz --name arxiv --complete-for arxiv

Read are BibTeX (.bib), RIS (.ris), CSL-JSON (.json), DBLP's dump (.xml), and the dumps of Crossref, OpenAlex and arXiv
(.json, .jsonl); each also with .gz, and of a folder all such files. A work that is there already is not added again.
exit code: 0 all was read, 2 a file could not be read (what came before it is kept), 130 you stopped it
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
    told = "read files of records into a bibliography, made where there is none"
    add = below.add_parser("add", help=told, description=f"{told.capitalize()}.", epilog=_ADD)
    add.add_argument("files", nargs="+", metavar="FILE", help="a bibliography, a dump of records, or a folder of them")
    add.add_argument("--name", metavar="N", help="the bibliography (default: called as the first file is)")
    promise = add.add_mutually_exclusive_group()
    promise.add_argument(
        "--complete",
        action="store_true",
        help="promise that it has every work that your papers may cite: a reference that it lacks is likely invented",
    )
    promise.add_argument(
        "--complete-for",
        choices=("doi", "arxiv", "nothing"),
        help="promise that it has every work with a DOI, or with an arXiv number; nothing takes a promise back",
    )
    told = "name the bibliographies, with their records and what they promise"
    listing = below.add_parser("list", help=told, description=f"{told.capitalize()}.", epilog=_LIST)
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    told = "delete a bibliography; the files that it was read from stay"
    remove = below.add_parser("remove", help=told, description=f"{told.capitalize()}.", epilog=_REMOVE)
    remove.add_argument("name", metavar="NAME", help="the bibliography")
