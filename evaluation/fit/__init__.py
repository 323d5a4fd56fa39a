"""Fit the labels of bibliography entries."""
