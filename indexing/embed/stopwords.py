"""Words of a question that say little about where its answer stands, as MiniLM's tokenizer spells them (lower case)."""

from __future__ import annotations

_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each few for from further had has have having he her here hers him his how i if in
into is it its itself just many me more most much my no nor not now of off on once only or other our out over own please
same she should so some such tell than that the their them then there these they this those through to too under until
up us was we were what when where which while who whom whose why will with would you your
according mentioned shown given state stated list show document report paper page figure table answer following
"""
_GERMAN = """
aber als am an auch auf aus bei bis da das dass dem den der des die durch ein eine einem einen einer eines er es fur
hat ich im in ist ja kann man mit nach nicht noch nur oder sich sie sind so und uns unter vom von vor war was wann
warum welche welcher welches wenn wer wie wird wo wurde zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette combien comme comment dans de des du elle en est et il ils je la le les leur ne nous ou par
pas pour quand que quel quelle quelles quels qui sa se ses son sont sur un une vous
"""

STOPWORDS = frozenset((_ENGLISH + _GERMAN + _FRENCH).split())
"""English, German and French stop words, and the words with which people speak of documents."""
