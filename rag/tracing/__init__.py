"""Tracing: the spans of a question, sent to a collector of OpenTelemetry where one is named."""

from rag.tracing.spans import told, traced, traced_apart, traced_steps, traces_sent

__all__ = ["told", "traced", "traced_apart", "traced_steps", "traces_sent"]
