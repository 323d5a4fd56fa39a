"""Build CiteVQA-style data: linked segments, evidence packages, checked questions, masked evidence."""

from evaluation.construct.citevqa.construction import PackageRecipe, construct
from evaluation.construct.citevqa.conversations import cited_request, export
from evaluation.construct.citevqa.templates import distilled, read_examples

__all__ = [
    "PackageRecipe",
    "cited_request",
    "construct",
    "distilled",
    "export",
    "read_examples",
]
