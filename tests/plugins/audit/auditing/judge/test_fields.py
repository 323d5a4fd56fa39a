"""Fields of an entry beside a record's: what makes no difference, and what does."""

import time

import pytest

from plugins.audit.auditing.judge.authors import compare_authors, same_person
from plugins.audit.auditing.judge.fields import (
    compare_arxiv,
    compare_dois,
    compare_titles,
    compare_urls,
    compare_venues,
    compare_years,
)
from plugins.audit.auditing.judge.normal_form import letters_of, words_of
from plugins.audit.references import BibliographicFields as Fields


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Smith, J.", "Jane Smith"),
        ("JA Smith", "John Albert Smith"),
        ('Sch\\"olkopf, B.', "Bernhard Schoelkopf"),
        ("Jian-Feng Li", "J.-F. Li"),
        ("Li Wei", "Wei Li"),
        ("van der Berg, A.", "Anna Berg"),
        ("Maria Garcia", "Maria Garcia Lopez"),
        ("Alex Holm", "Alexander Holm"),
        ("Sergey Antonov", "Sergei Antonov"),
        ("Vanden-Eij Eric", "Eric Vanden-Eij"),
        ("王伟", "Wang Wei"),
        ("F. Wolski", "Filip Wolski"),
        ("J. D. Kalb eisch", "John D. Kalbfleisch"),
        ("Doe, John, Jr.", "John Doe"),
        ("Wang XY", "Xiao-Yu Wang"),
    ],
)  # fmt: skip
def test_one_person_is_written_in_many_ways(one: str, other: str) -> None:
    assert same_person(one, other)
    assert same_person(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Li Wei", "Li Zhang"), ("Sergey Antonov", "Sergey Antonow"), ("Lukas Meier", "Lucas Meier"),
        ("Michael Holm", "Michelle Holm"), ("J. Holm", "Anna Holm"), ("Anna Holm", "Anna Lindholm"),
        ("", "Anna Holm"), ("Paulo Doura Silva", "Paulo Henrique Dourado Silva"),
    ],
)  # fmt: skip
def test_another_letter_is_another_person(one: str, other: str) -> None:
    assert not same_person(one, other)
    assert not same_person(other, one)


THREE = ("Anna Holm", "Per Lind", "Eva Berg")


@pytest.mark.parametrize(
    ("cited", "found", "agrees", "note"),
    [
        (Fields(authors=("A. Holm", "P. Lind", "E. Berg")), Fields(authors=THREE), True, "in another way"),
        (Fields(authors=("Anna Holm",), et_al=True), Fields(authors=THREE), True, "2 further names"),
        (Fields(authors=("Anna Holm", "and others")), Fields(authors=THREE), True, "2 further names"),
        (Fields(authors=("Anna Holm", "Per Lind")), Fields(authors=THREE), False, "lacks Eva Berg"),
        (Fields(authors=(*THREE, "Jo Katz")), Fields(authors=THREE), False, "Jo Katz is not among"),
        (
            Fields(authors=("Anna Holm", "Per Lind", "Eva Borg")), Fields(authors=THREE), False,
            "has Eva Berg, not Eva Borg",
        ),
        (
            Fields(authors=("Per Lind", "Anna Holm", "Eva Berg")),
            Fields(authors=THREE),
            False,
            "first author is Anna Holm",
        ),
        (Fields(authors=("Anna Holm", "Eva Berg", "Per Lind")), Fields(authors=THREE), False, "another order"),
        (Fields(authors=("Per Lind",), et_al=True), Fields(authors=THREE), False, "first author"),
        (Fields(authors=(*THREE, "Jo Katz")), Fields(authors=THREE, et_al=True), True, "another way"),
        (Fields(), Fields(authors=THREE), None, ""),
    ],
)  # fmt: skip
def test_lists_of_authors(cited: Fields, found: Fields, agrees: bool | None, note: str) -> None:
    verdict = compare_authors(cited, found).verdict
    assert verdict.agrees is agrees
    assert note in verdict.note
    assert not verdict.strict


@pytest.mark.parametrize(
    ("cited", "found", "agrees"),
    [
        ("Learning to Count Birds: A Field Study", "learning to count birds -- a field-study", True),
        ("Learning to Count Birds", "Learning to Count Birds: A Field Study", True),
        ("Learning to Count Birds: A Field Study", "Learning to Count Birds", True),
        ("Learning to Count Fish: A Field Study", "Learning to Count Birds: A Field Study", False),
        ("Counting of Birds Is Learnt", "Learning to Count Birds", False),
        ("A $\\beta$-Model of {Flight}", "A β-model of flight", True),
        ("Optimisation of Nests & Eggs", "Optimization of nests and eggs", True),
        ("Signi cant e ects of a nal act", "Significant effects of a final act", True),
        ("Birds", "Birds: A Handbook", False),
        ("", "Count of birds", None),
    ],
)
def test_titles_are_the_same_words(cited: str, found: str, agrees: bool | None) -> None:
    assert compare_titles(cited, found).verdict.agrees is agrees


SAME_VENUES = [
    ("NeurIPS", "Advances in Neural Information Processing Systems"),
    ("In NAACL", "North American Chapter of the Association for Computational Linguistics"),
    ("J. Chem. Phys.", "The Journal of Chemical Physics"),
    ("Proc. Natl. Acad. Sci. USA", "Proceedings of the National Academy of Sciences"),
    ("TPAMI", "IEEE Transactions on Pattern Analysis and Machine Intelligence"),
    ("CACM", "Communications of the ACM"),
    ("ICLR 2021", "International Conference on Learning Representations"),
    ("Proceedings of the 38th International Conference on Machine Learning, volume 139", "ICML"),
    ("Springer", "Lecture Notes in Computer Science, Springer"),
    ("arXiv preprint", "Journal of Field Ornithology"),
    ("Computational Statistics and Data Anlaysis", "Computational Statistics & Data Analysis"),
]


@pytest.mark.parametrize(("one", "other"), SAME_VENUES)
def test_a_venue_has_short_names(one: str, other: str) -> None:
    assert compare_venues(one, other).agrees is True
    assert compare_venues(other, one).agrees is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nature", "Nature Medicine"), ("Science", "Science Advances"),
        ("ICLR", "International Conference on Machine Learning"),
        ("Machine Learning", "Journal of Machine Learning Research"), ("Physical Review Letters", "Physical Review"),
        ("IEEE", "IEEE Access"),
        ("Journal of Genetics", "Journal of Genomics"),
    ],
)  # fmt: skip
def test_another_venue(one: str, other: str) -> None:
    assert compare_venues(one, other).agrees is False
    assert compare_venues(other, one).agrees is False


@pytest.mark.parametrize(
    ("cited", "found", "agrees"),
    [
        (Fields(year="2019"), Fields(year="2019"), True),
        (Fields(year="2019a"), Fields(year="2019"), True),
        (Fields(year="2019", venue="Ibis"), Fields(year="2020"), True),
        (Fields(year="2019", arxiv="1901.00001"), Fields(year="2020"), True),
        (Fields(year="2019"), Fields(year="2020"), False),
        (Fields(year="2019", venue="arXiv"), Fields(year="2021", venue="Ibis"), False),
        (Fields(year="n.d."), Fields(year="2020"), None),
    ],
)
def test_a_year_may_be_one_apart_for_preprints(cited: Fields, found: Fields, agrees: bool | None) -> None:
    assert compare_years(cited, found).agrees is agrees
    assert compare_years(found, cited).agrees is agrees


def test_identifiers() -> None:
    assert compare_dois(Fields(doi="https://doi.org/10.1/ABC"), Fields(doi="10.1/abc")).agrees is True
    assert compare_dois(Fields(doi="10.1/abc"), Fields(doi="10.1/abd")).agrees is False
    assert compare_dois(Fields(doi="10.1101/abc"), Fields(doi="10.1/abd")).agrees is None
    assert compare_arxiv(Fields(doi="10.48550/arXiv.1901.00001"), Fields(arxiv="1901.00001v3")).agrees is True
    assert compare_arxiv(Fields(arxiv="1901.00002"), Fields(arxiv="1901.00001")).agrees is False
    assert compare_urls(Fields(url="http://www.birds.example/a/"), Fields(url="https://birds.example/a")).agrees is True
    assert compare_urls(Fields(url="https://birds.example/b"), Fields(url="https://birds.example/a")).agrees is None


def test_normal_form_is_bounded_and_plain() -> None:
    assert words_of("Caf\\'e {\\textbf{Noir}} C++") == ("cafe", "noir", "c++")
    assert words_of("F# and N2+") == ("f#", "and", "n2")
    assert letters_of("Stra\\ss{}e") == letters_of("Straße")
    started = time.perf_counter()
    for hostile in ("\\" * 200_000, "{" * 200_000, "\\a" * 100_000, "x" * 300_000):
        assert len(letters_of(hostile)) <= 4_000
    ours = Fields(authors=tuple(f"Anna Holm{n}" for n in range(10_000)))
    theirs = Fields(authors=tuple(f"Per Lind{n}" for n in range(10_000)))
    assert compare_authors(ours, theirs).verdict.agrees is False
    assert time.perf_counter() - started < 7
