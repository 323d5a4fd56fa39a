"""The commands `vouch audit` and `vouch bibliography`."""

from plugins.audit.cli.examples import AUDIT_EXAMPLES, BIBLIOGRAPHY_EXAMPLES
