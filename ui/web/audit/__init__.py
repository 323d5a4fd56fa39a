"""The tab that audits the references of a paper."""

from ui.web.audit.audits import Audits
from ui.web.audit.sources import events_of
from ui.web.audit.tab import audit_tab

__all__ = ["Audits", "audit_tab", "events_of"]
