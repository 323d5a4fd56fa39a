"""The commands `vouch audit` and `vouch bibliography`."""

from plugins.audit.cli.options import AUDIT_EXAMPLES, BIBLIOGRAPHY_EXAMPLES

__all__ = ["AUDIT_EXAMPLES", "BIBLIOGRAPHY_EXAMPLES"]
