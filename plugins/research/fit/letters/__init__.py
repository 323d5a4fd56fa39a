"""Train the network that recognizes letters (`indexing/parse/likeness/letters.npz`) on glyphs of open fonts.

    python -m plugins.research.fit letters --fonts FOLDER --out indexing/parse/likeness/letters.npz

FOLDER holds fonts (.ttf, .otf, .t1, .pfb) in any folders, such as `apt-get download fonts-... && dpkg -x *.deb FOLDER`
gives; docs/experiments/letters.md names those of the network that is shipped. Every eighth family is held out for the
figures. Nothing of a document is learnt from.
"""

from plugins.research.fit.letters.command import main

__all__ = ["main"]
