"""Audit bibliographies: find out whether references exist and are what they claim to be."""
