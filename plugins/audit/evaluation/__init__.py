"""Measure the audit on CiteAudit."""
