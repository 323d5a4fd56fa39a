"""Bibliographies and dumps as people have them: every form is read, whole, broken and hostile."""

import gzip
import json
from pathlib import Path

import pytest

from plugins.audit.auditing.sources import read_records
from plugins.audit.auditing.types import Record
from plugins.audit.errors import BibliographyUnreadable
from plugins.audit.references import plain_latex

BIB = r"""
@string{joh = "Journal of Harbours"}
@article{mueller19,
  title = {The {K}eeper of {H}arbour Lights},
  author = {M{\"u}ller, Hans and Smith, Jane A. and {Board and Council of Quays} and others},
  journal = joh # " and Quays", year = 2019, doi = {https://doi.org/10.1000/xyz1},
}
@article{broken, title={never closed
@inproceedings{orsted, title="Quays \& Co", author={\'{E}tienne Dupont}, booktitle={Proc. of Ports},
  year={2020}, eprint={2001.01234v2}, archivePrefix={arXiv}}
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["some.bib", "some.bib.gz"])
def test_bibtex_is_read_around_what_is_broken(tmp_path: Path, name: str) -> None:
    first, second = (record.fields for record in read_records(written(tmp_path, name, BIB)))
    assert (first.title, first.year, first.doi) == ("The Keeper of Harbour Lights", "2019", "10.1000/xyz1")
    assert first.authors == ("M\u00fcller, Hans", "Smith, Jane A.", "Board and Council of Quays")
    assert first.et_al
    assert first.venue == "Journal of Harbours and Quays"
    assert (second.title, second.arxiv, second.venue) == ("Quays & Co", "2001.01234v2", "Proc. of Ports")
    assert second.authors == ("\u00c9tienne Dupont",)


def test_latex_becomes_characters() -> None:
    for latex, said in (
        (r"{\'E}tienne {\O}rsted", "\u00c9tienne \u00d8rsted"),
        (r"\v{S}imi\'c and \L{}ukasz", "\u0160imi\u0107 and \u0141ukasz"),
        (r"G\"odel{\ss}tra{\ss}e", "G\u00f6del\u00dftra\u00dfe"),
        (r"$\alpha$-decay of \emph{U}~238", "\u03b1-decay of U 238"),
        (r"\'{\i}ndice 50\% --- \input{/etc/passwd}", "\u00edndice 50% \u2014 /etc/passwd"),
        (r"a price of \$5 and {\ae}ther", "a price of $5 and \u00e6ther"),
    ):
        assert plain_latex(latex) == said


CSL = {
    "id": "x", "type": "article-journal", "title": "On <i>Lamps</i> &amp; light", "container-title": "Lamps",
    "author": [{"family": "Berg", "given": "Ann", "non-dropping-particle": "van den"}, {"literal": "The Lamp Board"}],
    "issued": {"date-parts": [[2011, 3]]}, "DOI": "10.1000/abc",
}  # fmt: skip
CROSSREF = CSL | {"title": ["On Lamps"], "container-title": ["Lamps"], "subtitle": ["a study"]}
OPENALEX = {
    "id": "https://openalex.org/W1", "title": "On Lamps", "publication_year": 2012, "doi": "https://doi.org/10.1000/d",
    "authorships": [{"author": {"display_name": "Ann Berg"}, "raw_author_name": "A. Berg"}],
    "primary_location": {"source": {"display_name": "Lamps"}},
}  # fmt: skip
ARXIV = {
    "id": "2101.00001", "title": "On\n  Lamps", "authors": "Ann Berg and Bo Li", "categories": "cs.CL",
    "authors_parsed": [["Berg", "Ann", ""], ["Li", "Bo", ""]],
    "versions": [{"created": "Fri, 1 Jan 2021 10:00:00 GMT"}],
}  # fmt: skip


def test_csl_json_and_the_dumps_are_told_by_their_keys(tmp_path: Path) -> None:
    lines = "\n".join(map(json.dumps, (CSL, CROSSREF, OPENALEX, ARXIV, {"a": 1}, [1]))) + "\n{broken\n"
    csl, crossref, openalex, arxiv = (r.fields for r in read_records(written(tmp_path, "all.jsonl.gz", lines)))
    assert (csl.title, csl.authors) == ("On Lamps & light", ("van den Berg, Ann", "The Lamp Board"))
    assert (crossref.title, crossref.venue, crossref.year) == ("On Lamps: a study", "Lamps", "2011")
    assert (openalex.authors, openalex.doi, openalex.venue) == (("A. Berg",), "10.1000/d", "Lamps")
    assert (arxiv.title, arxiv.authors, arxiv.arxiv) == ("On Lamps", ("Berg, Ann", "Li, Bo"), "2101.00001")
    assert arxiv.year == "2021"


@pytest.mark.parametrize("text", [json.dumps([CSL]), json.dumps({"items": [CSL]}, indent=1), json.dumps(CSL, indent=1)])
def test_json_that_is_no_lines_is_read_whole(tmp_path: Path, text: str) -> None:
    assert [r.fields.title for r in read_records(written(tmp_path, "some.json", text))] == ["On Lamps & light"]
    with pytest.raises(BibliographyUnreadable, match="is not complete JSON"):
        list(read_records(written(tmp_path, "cut.json", text[:-2])))


RIS = """TY  - JOUR
TI  - On Lamps
AU  - Berg, Ann
AU  - Li, Bo
JO  - Lamps
PY  - 2014
DO  - 10.1000/ris
ER  -

TY  - BOOK
TI  - Light
A1  - Cy, Di
PB  - Quay Press
PY  - 1999/05
ER  -
"""


def test_ris_is_read(tmp_path: Path) -> None:
    paper, book = (record.fields for record in read_records(written(tmp_path, "some.ris", RIS)))
    assert (paper.title, paper.authors, paper.doi) == ("On Lamps", ("Berg, Ann", "Li, Bo"), "10.1000/ris")
    assert (book.title, book.year, book.venue) == ("Light", "1999", "Quay Press")


def test_a_cut_file_gives_what_came_before(tmp_path: Path) -> None:
    whole = gzip.compress("\n".join(json.dumps(CSL | {"DOI": f"10.1000/{n}"}) for n in range(20_000)).encode())
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    seen: list[Record] = []
    with pytest.raises(BibliographyUnreadable, match="the records before that are kept"):
        seen.extend(read_records(path))
    assert len(seen) > 1_000


@pytest.mark.parametrize("name", ["notes.txt", "some.bib.zip", "nothing"])
def test_other_files_are_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(BibliographyUnreadable, match=r"\.bib"):
        list(read_records(written(tmp_path, name, "x")))
