"""MCiteBench: questions that reviewers' exchanges and papers answer, with five items each."""

from evaluation.construct.mcitebench.construction import CiteRecipe, construct

__all__ = ["CiteRecipe", "construct"]
