"""What the plugin `audit` adds to Vouch, with the examples of its commands."""

from __future__ import annotations

from plugins.audit.check import EXAMPLES
from vouch.hooks import ApiRoutes, CitationFollower, Command, Plugin, Tab

AUDIT_EXAMPLES = """\
examples:
  vouch audit paper.pdf --bibliography mine.bib          check its references against your own bibliography
  vouch audit paper.pdf -b mine.bib --export seen.pdf    box every entry of the paper in colour, with a comment
  vouch audit paper.pdf -b mine.bib --export fixed.bib   correct the entries with errors from their records
  vouch audit paper.pdf -c papers                        also look among the documents of a collection
  vouch audit draft.bib -b mine.bib --fail-on invented,missing --json        fail in CI

verdicts: \u2713 real   \u2260 real, with errors (which, with both values)   ?! questionable (one sign against it)
          ! likely invented   ? unknown
Unknown does not mean fake: no source covers the work, or none could be reached. Nothing is looked up over the network
unless the section audit of a profile says so. Ctrl-C keeps what is done, in the report too.
exit code: 0 done, 1 an outcome of --fail-on was found, 2 nothing could be audited, 130 stopped by Ctrl-C
"""
BIBLIOGRAPHY_EXAMPLES = """\
examples:
  vouch bibliography add thesis.bib                  read a file into the bibliography thesis
  vouch bibliography add a.bib b.ris --name group    read several files into one
  vouch bibliography add crossref/                   read all files of a folder, such as a dump
  vouch bibliography add ours.bib --complete         promise that it has every work of its field
  vouch bibliography list --json                     list them, with their records and promises
  vouch bibliography remove thesis                   delete one; the files that it was read from are kept

vouch audit looks in all of them, or in those that a profile names in audit.bibliographies. A reference that is missing
from a bibliography is called questionable only if you promised that the bibliography has every such work
(--complete): docs/bibliographies.md says what to promise. Nothing leaves this machine.
"""


PLUGIN = Plugin(
    name="audit",
    summary="Check what texts say against your documents, and whether the references of papers exist.",
    commands=(
        Command(
            "check",
            "check each statement of a text against your documents",
            options="plugins.audit.options:add_check_options",
            run="plugins.audit.check.command:run",
            examples=EXAMPLES,
        ),
        Command(
            "audit",
            "check that the references of a paper exist and are what they say they are",
            options="plugins.audit.options:add_audit_options",
            run="plugins.audit.audit_command:run",
            examples=AUDIT_EXAMPLES,
        ),
        Command(
            "bibliography",
            "manage the bibliographies in which vouch audit looks up references",
            options="plugins.audit.options:add_bibliography_options",
            run="plugins.audit.bibliography_command:run",
            examples=BIBLIOGRAPHY_EXAMPLES,
        ),
        Command(
            "citeaudit",
            "audit real and invented citations, and compare the verdicts with their labels",
            options="plugins.audit.citeaudit:add_options",
            run="plugins.audit.citeaudit:citeaudit",
            group="eval",
        ),
    ),
    routes=(
        ApiRoutes(
            "plugins.audit.operations:router", ("plugins.audit.operations:check", "plugins.audit.operations:audit")
        ),
    ),
    tabs=(
        Tab("check", "Check", "plugins.audit.check.tab:check_tab"),
        Tab("audit", "Audit", "plugins.audit.web.tab:audit_tab"),
    ),
    citations=(CitationFollower("plugins.audit.citations:CitedSources"),),
)
