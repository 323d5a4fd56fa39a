"""Build MCiteBench-style data from papers and their reviews: questions with five items each."""

from plugins.research.construct.mcitebench.construction import CiteRecipe, construct

__all__ = ["CiteRecipe", "construct"]
