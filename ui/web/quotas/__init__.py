"""Limit the questions, pages and bytes of each person and each collection."""

from ui.web.quotas.quota_book import QuotaBook, Room

__all__ = ["QuotaBook", "Room"]
