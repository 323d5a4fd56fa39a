"""The audit: every entry of a bibliography -> if it exists, and if it is what it says it is (after CiteAudit)."""

from rag.audit.audit import AuditedPaper, AuditOptions, audit_of, stream_audit
from rag.audit.cited_claims import CitedClaims, claims_checked, documents_of
from rag.audit.judge import Arbiter, ModelArbiter, judge
from rag.audit.paper import audit_paper
from rag.audit.types import (
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
