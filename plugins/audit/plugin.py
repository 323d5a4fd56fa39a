"""What the plugin `audit` adds to Vouch."""

from plugins.audit.cli import AUDIT_EXAMPLES, BIBLIOGRAPHY_EXAMPLES
from vouch.hooks import ApiRoutes, CitationFollower, Command, Plugin, Tab

_EVALUATION = "plugins.audit.evaluation"

PLUGIN = Plugin(
    name="audit",
    summary="Audit bibliographies: find out whether references exist and are what they claim to be.",
    commands=(
        Command(
            "audit",
            "check that the references of a paper exist and are what they say they are",
            options="plugins.audit.cli.options:add_audit_options",
            run="plugins.audit.cli.audit_command:run",
            examples=AUDIT_EXAMPLES,
        ),
        Command(
            "bibliography",
            "manage the bibliographies in which vouch audit looks up references",
            options="plugins.audit.cli.options:add_bibliography_options",
            run="plugins.audit.cli.bibliography_command:run",
            examples=BIBLIOGRAPHY_EXAMPLES,
        ),
        Command(
            "citeaudit",
            "audit real and invented citations, and compare the verdicts with their labels",
            options=f"{_EVALUATION}.citeaudit:add_options",
            run=f"{_EVALUATION}.citeaudit:citeaudit",
            group="eval",
        ),
        Command(
            "references",
            "print the works of a BibTeX file as citations, correct ones and ones with errors",
            options=f"{_EVALUATION}.construct.cli:add_options",
            run=f"{_EVALUATION}.construct.cli:run",
            group="construct",
        ),
    ),
    routes=(ApiRoutes("plugins.audit.web.operations:router", ("plugins.audit.web.operations:audit",)),),
    tabs=(Tab("audit", "Audit", "plugins.audit.web.tab:audit_tab"),),
    citations=(CitationFollower("plugins.audit.citations:CitedSources"),),
)
