"""What the plugin `audit` adds to Vouch."""

from plugins.audit.check import EXAMPLES
from plugins.audit.cli import AUDIT_EXAMPLES, BIBLIOGRAPHY_EXAMPLES
from vouch.hooks import ApiRoutes, CitationFollower, Command, Plugin, Tab

PLUGIN = Plugin(
    name="audit",
    summary="Check what texts say against your documents, and whether the references of papers exist.",
    commands=(
        Command(
            "check",
            "check each statement of a text against your documents",
            options="plugins.audit.check.options:add_check_options",
            run="plugins.audit.check.command:run",
            examples=EXAMPLES,
        ),
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
            options="plugins.audit.evaluation.citeaudit:add_options",
            run="plugins.audit.evaluation.citeaudit:citeaudit",
            group="eval",
        ),
    ),
    routes=(
        ApiRoutes("plugins.audit.check.operations:router", ("plugins.audit.check.operations:check",)),
        ApiRoutes("plugins.audit.web.operations:router", ("plugins.audit.web.operations:audit",)),
    ),
    tabs=(
        Tab("check", "Check", "plugins.audit.check.tab:check_tab"),
        Tab("audit", "Audit", "plugins.audit.web.tab:audit_tab"),
    ),
    citations=(CitationFollower("plugins.audit.citations:CitedSources"),),
)
