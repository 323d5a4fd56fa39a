"""Build CiteVQA-style data: linked segments, evidence packages, checked questions, masked evidence."""

from plugins.research.construct.citevqa.construction import PackageRecipe, construct
from plugins.research.construct.citevqa.conversations import cited_request, export
from plugins.research.construct.citevqa.templates import distilled, read_examples

__all__ = [
    "PackageRecipe",
    "cited_request",
    "construct",
    "distilled",
    "export",
    "read_examples",
]
