"""Measure how much of a document's text survives conversion and OCR, and how well rotated scans are detected."""
