"""Quotas: how many questions, pages and bytes each person and each collection may have."""

from ui.web.quotas.quota_book import QuotaBook, Room

__all__ = ["QuotaBook", "Room"]
