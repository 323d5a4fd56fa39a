"""Audit a bibliography: find out whether its references exist and are what they claim to be (CiteAudit)."""

from plugins.audit.auditing.audit import AuditedPaper, AuditOptions, audit_of, stream_audit
from plugins.audit.auditing.cited_claims import CitedClaims, claims_checked, documents_of
from plugins.audit.auditing.judge import Arbiter, ModelArbiter, judge
from plugins.audit.auditing.paper import audit_paper
from plugins.audit.auditing.types import (
    Audit,
    Audited,
    AuditedReference,
    AuditEvent,
    FieldVerdict,
    Lookup,
    LookupOutcome,
    Record,
    RecordSource,
    ReferenceAudited,
    ReferenceFinding,
    ReferencesFound,
    ReferenceStatus,
)

__all__ = [
    "Arbiter",
    "Audit",
    "AuditEvent",
    "AuditOptions",
    "Audited",
    "AuditedPaper",
    "AuditedReference",
    "CitedClaims",
    "FieldVerdict",
    "Lookup",
    "LookupOutcome",
    "ModelArbiter",
    "Record",
    "RecordSource",
    "ReferenceAudited",
    "ReferenceFinding",
    "ReferenceStatus",
    "ReferencesFound",
    "audit_of",
    "audit_paper",
    "claims_checked",
    "documents_of",
    "judge",
    "stream_audit",
]
