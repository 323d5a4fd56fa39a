"""Advice for collections with documents mostly in languages that their text embedder does not read."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from indexing import Collection, Document, IndexingError, IndexingSettings, list_collections
from plugins.models.advice import cost, suggestion
from plugins.models.library import installed_models
from rag import Profile
from ui.show import count_of


def languages_read(made_with: IndexingSettings) -> tuple[str, ...]:
    """Return the languages that a text embedder reads (ISO 639-1); () if unknown, as the user declared none."""
    return made_with.text_languages or (("en",) if made_with.embedder == "minilm" else ())


def unread_language(documents: Sequence[Document], made_with: IndexingSettings) -> str:
    """Return the most frequent language not read, if most documents are in such; "" otherwise, and if unknown."""
    languages = languages_read(made_with)
    codes = Counter(code for d in documents if (code := d.metadata.language.partition("-")[0].lower()))
    foreign = [code for code, _ in codes.most_common() if code not in languages]
    return foreign[0] if languages and 2 * sum(codes[code] for code in foreign) > codes.total() else ""


def advice_on(collection: Collection) -> str:
    """Return advice to use another text embedder for a collection, with the commands; "" if there is none."""
    language = unread_language(collection.documents(), collection.settings)
    best = suggestion("text", english=False)
    if not language or best is None:
        return ""
    is_here = any(manifest.name == best.name for manifest in installed_models())
    use = f"vouch models use {best.name} --collection {shlex.quote(collection.name)}"
    get = "" if is_here else f"vouch models get {best.name}, then "
    languages = ", ".join(languages_read(collection.settings))
    return (
        f"most documents of {collection.name} are in another language ({language}) than its text embedder reads "
        f"({languages}): {best.name} finds more across languages ({cost(best)}): {get}{use}"
    )


def notes_on(collection: Collection, before: Sequence[Document]) -> list[str]:
    """Return the advice once: at the end of the run after which most documents are in an unread language."""
    earlier = unread_language(before, collection.settings)
    advice = "" if earlier else advice_on(collection)
    return [advice] if advice else []


def findings(_: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield for `vouch doctor` one finding: the advice on all collections that can be opened, if there is any."""
    advice: list[str] = []
    for name in list_collections():
        with suppress(IndexingError):
            advice += filter(None, [advice_on(Collection.open(name))])
    if advice:
        others = f"; so it is with {count_of(len(advice) - 1, 'other collection')}" if len(advice) > 1 else ""
        yield "languages", "skipped", advice[0] + others
