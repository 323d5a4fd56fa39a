"""The values of a bibliography: an entry, its fields as they are printed, and where it stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from plugins.audit.manuscripts import PagePlace

FieldName = Literal["title", "authors", "venue", "year", "doi", "arxiv", "url"]
"""The fields of an entry that are compared with a record."""


@dataclass(frozen=True, slots=True)
class BibliographicFields:
    """The fields of a work as they are written: nothing is completed, corrected or put into another form.

    A field that is not there is empty. `authors` are names in their order, each as it is written ("Smith, J." or "Jane
    Smith"); `et_al` is True where the list says that there are more. `venue` is the journal, the proceedings or the
    publisher; `year` has four digits with its letter if there is one ("2020a"). `doi` and `arxiv` are bare identifiers
    ("10.1000/182", "2101.00001v2"), `url` any other address. `doubtful` names the fields that may be misread: where one
    of them ends is not clear, or it was broken when it was printed.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    et_al: bool = False
    venue: str = ""
    year: str = ""
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    doubtful: tuple[FieldName, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are there, as plain values."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items() if v}


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of a bibliography: `number` counts from 1 in its order, `text` is the entry as it is printed.

    `label` is the mark that the bibliography prints before it ("[12]", "12.", "Smi20"), or the key of a BibTeX entry;
    empty where it has none. `places` has a part for each page or column that the entry runs over; none for entries that
    come from no page.
    """

    number: int
    text: str
    fields: BibliographicFields
    label: str = ""
    places: tuple[PagePlace, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "number": self.number,
            "label": self.label,
            "text": self.text,
            "fields": self.fields.to_json(),
            "places": [place.to_json() for place in self.places],
        }
