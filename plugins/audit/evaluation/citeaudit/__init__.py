"""Run the reference audit on CiteAudit's real and fabricated citations and score its verdicts."""

from plugins.audit.evaluation.citeaudit.cli import add_options, citeaudit
