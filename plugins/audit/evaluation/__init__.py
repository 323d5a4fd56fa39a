"""Measure the audit on CiteAudit, make false references, and fit the reader of the fields of entries."""
