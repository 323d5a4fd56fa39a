"""Trace the stages of a question as OpenTelemetry spans, where a collector is configured."""

from rag.tracing.spans import told, traced, traced_apart, traced_steps, traces_sent

__all__ = ["told", "traced", "traced_apart", "traced_steps", "traces_sent"]
