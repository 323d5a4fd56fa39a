"""Audit a bibliography: find out whether its references exist and are what they claim to be (CiteAudit)."""

from plugins.audit.auditing.audit import audit_paper, pasted_name, stream_audit
from plugins.audit.auditing.judge import judge
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
