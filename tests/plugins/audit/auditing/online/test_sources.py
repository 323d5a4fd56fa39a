"""The sources of the network: what each finds, what it says when there is nothing, and when anything goes wrong."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plugins.audit.auditing.online import Crossref, DoiRegistry, OpenAlex
from plugins.audit.auditing.online.cache import ResponseCache
from plugins.audit.auditing.online.service import Caller
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.auditing.online.services import (
    CITED,
    CSL,
    DATACITE,
    OPENALEX,
    PREPRINT,
    SERVICES,
    TITLE,
)
from tests.plugins.audit.audits import entry
from tests.plugins.audit.record_service import Answer, RecordService

NAMES = tuple(SERVICES)
UNTITLED = {name: replace(known.cited, title="", authors=()) for name, known in SERVICES.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_work_is_found_by_its_identifier_with_one_request(name: str) -> None:
    known = SERVICES[name]
    with RecordService(known.found) as server:
        lookup = known.source(server.service(known.terms)).look_up(entry(known.cited))
    assert lookup.outcome == "found"
    assert lookup.source == known.terms.name
    [record] = lookup.records
    assert record.fields.title == TITLE
    assert len(record.fields.authors) == 2
    assert "Brandt" in record.fields.authors[0]
    assert record.fields.year == "2019"
    assert len(server.asked) == 1
    assert (known.cited.doi or known.cited.arxiv)[:10] in lookup.searched


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("crossref", "not covered"),
        ("openalex", "not covered"),
        ("arXiv", "nothing"),
        ("doi", "nothing"),
    ],
)
def test_only_a_registry_denies_its_identifiers(name: str, outcome: str) -> None:
    known = SERVICES[name]
    with RecordService(known.none) as server:
        lookup = known.source(server.service(known.terms)).look_up(entry(UNTITLED[name]))
    assert lookup.outcome == outcome
    assert lookup.records == ()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(500), "answers 500, also after 3 tries"),
        (Answer(429, headers={"retry-after": "7"}), "answers 429, also after 3 tries"),
        (Answer(429, headers={"retry-after": "86400"}), "asks to wait 86,400 s"),
        (Answer(403), "answers 403"),
        (Answer(200, b"<html>log in to this network</html>"), "answers what cannot be read"),
        (Answer(200, b'{"message": [], "results": 3, "data": null}'), "answers what cannot be read"),
        (Answer(200, b"[" * 100_000), "answers what cannot be read"),
        (Answer(200, b"\xff\xfe\x00"), "answers what cannot be read"),
        (Answer(200, b"{}"), "answers what cannot be read"),
        (Answer(200, endless=True), "sends more than 100,000 bytes"),
        (Answer(200, b"{", stuck=True), "gave no whole answer in 0.3 s"),
        (Answer(200, headers={"content-encoding": "gzip"}, body=b"\x1f\x8b"), "answers what cannot be read"),
        (Answer(302, headers={"location": "/again"}), "redirects more than 4 times"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whatever_goes_wrong_is_not_reachable_with_the_reason(name: str, answer: Answer, said: str) -> None:
    known = SERVICES[name]
    with RecordService(answer) as server:
        service = server.service(known.terms, seconds=0.3 if answer.stuck else 20, most_bytes=100_000)
        lookup = known.source(service).look_up(entry(UNTITLED[name]))
    assert lookup.outcome == "not reachable"
    assert lookup.records == ()
    assert said in lookup.searched


def test_a_redirect_to_a_private_address_is_not_followed() -> None:
    known = SERVICES["crossref"]
    with RecordService(Answer(302, headers={"location": "http://169.254.169.254/latest/meta-data"})) as server:
        lookup = known.source(server.service(known.terms)).look_up(entry(known.cited))
    assert lookup.outcome == "not reachable"
    assert "answers 302, a redirect to http://169.254.169.254" in lookup.searched
    assert len(server.asked) == 1


def test_a_busy_service_is_asked_again_when_it_says() -> None:
    known = SERVICES["crossref"]
    with RecordService(Answer(429, headers={"retry-after": "7"}), Answer(503), known.found) as server:
        lookup = known.source(server.service(known.terms)).look_up(entry(known.cited))
    assert lookup.outcome == "found"
    assert server.clock.waits == [7.0, max(2.0, known.terms.pause)]


@pytest.mark.parametrize(
    ("source", "terms", "answer", "path"),
    [
        (Crossref, Crossref.terms, {"message": {"items": [CSL]}}, "/works"),
        (OpenAlex, OpenAlex.terms, {"results": [OPENALEX]}, "/works"),
    ],
)
def test_a_title_alone_is_searched_for(source: Any, terms: Any, answer: Any, path: str) -> None:
    with RecordService(Answer(200, answer)) as server:
        lookup = source(server.service(terms)).look_up(entry(BibliographicFields(title=TITLE)))
    assert lookup.outcome == "found"
    assert [asked.path for asked in server.asked] == [path]


def test_signs_of_a_title_are_no_operators() -> None:
    hostile = BibliographicFields(title='Mills" OR all:* AND (ti:"x") & id_list=1')
    with RecordService(Answer(200, {"results": []})) as server:
        OpenAlex(server.service(OpenAlex.terms)).look_up(entry(hostile))
    assert server.asked[0].query["search"] == "Mills OR all AND ti x id list 1"


def test_a_new_preprint_is_not_denied_and_one_of_a_time_to_come_is() -> None:
    now = dt.datetime.now(dt.UTC)
    for year, outcome in ((now.year, "not covered"), (now.year + 1, "nothing"), (now.year - 1, "nothing")):
        number = f"{year % 100:02}{now.month:02}.01234"
        with RecordService(Answer(404, {"responseCode": 100})) as server:
            lookup = DoiRegistry(server.service(DoiRegistry.terms)).look_up(entry(replace(PREPRINT, arxiv=number)))
        assert (lookup.outcome, server.asked[0].path) == (outcome, f"/10.48550/arXiv.{number}")


def test_the_subject_of_an_old_number_is_no_part_of_its_doi() -> None:
    with RecordService(Answer(200, DATACITE)) as server:
        DoiRegistry(server.service(DoiRegistry.terms)).look_up(entry(replace(PREPRINT, arxiv="math.GT/0309136v1")))
    assert server.asked[0].path == "/10.48550/arXiv.math/0309136"


@pytest.mark.parametrize(
    "fields",
    [
        BibliographicFields(),
        BibliographicFields(doi="10.5555/../../api/handles/x"),
        BibliographicFields(doi="not a doi"),
        BibliographicFields(doi="10.5555/a b"),
        BibliographicFields(doi="10.5555/a\nHost: x"),
        BibliographicFields(arxiv="1901.01234&x=1"),
        BibliographicFields(doi="10.5555/" + "a" * 5000),
        BibliographicFields(title="!?! ..."),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_identifier_is_not_asked_for(name: str, fields: BibliographicFields) -> None:
    known = SERVICES[name]
    with RecordService(known.found) as server:
        lookup = known.source(server.service(known.terms)).look_up(entry(fields))
    assert (lookup.outcome, server.asked) == ("not covered", [])


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (Answer(404), Answer(404, {"responseCode": 100}), "nothing"),
        (Answer(404), Answer(200, {"responseCode": 1}), "not covered"),
        (Answer(404), Answer(404, b"<html>no such page here</html>"), "not reachable"),
        (Answer(404), Answer(200, {"responseCode": 100}), "not reachable"),
        (Answer(404), Answer(404, {"responseCode": 2}), "not reachable"),
        (Answer(404), Answer(500), "not reachable"),
        (Answer(302, headers={"location": "https://publisher.example/page"}), Answer(500), "not covered"),
        (Answer(302, headers={"location": "http://10.0.0.1/"}), Answer(500), "not covered"),
    ],
)
def test_a_doi_is_denied_by_the_registry_in_its_own_words_alone(first: Answer, second: Answer, outcome: str) -> None:
    with RecordService(first, second) as server:
        assert DoiRegistry(server.service(DoiRegistry.terms)).look_up(entry(CITED)).outcome == outcome


def test_answers_are_kept_and_told_with_their_date(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.sqlite", days=30)
    with RecordService(Answer(200, {"message": CSL}), Answer(500)) as server:
        first = Crossref(server.service(Crossref.terms, cache)).look_up(entry(CITED))
        second = Crossref(server.service(Crossref.terms, cache)).look_up(entry(CITED))
    assert first.records == second.records
    assert len(server.asked) == 1
    assert "(as of 20" in second.searched
    assert "(as of" not in first.searched


def test_who_asks_is_said_and_a_key_stays_out_of_addresses(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.sqlite", days=30)
    caller = Caller("ilse@example.org", ("authorization", "Bearer k3y-of-mine"))
    with RecordService(Answer(200, OPENALEX)) as server:
        OpenAlex(server.service(OpenAlex.terms, cache, caller)).look_up(entry(CITED))
    assert "mailto:ilse@example.org" in server.asked[0].headers["user-agent"]
    assert server.asked[0].headers["authorization"] == "Bearer k3y-of-mine"
    cache.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"k3y-of-mine" not in kept
    assert b"ilse@example" not in kept


def test_a_service_that_fails_again_and_again_is_left_alone_for_a_minute() -> None:
    with RecordService(Answer(500)) as server:
        source = Crossref(server.service(Crossref.terms))
        told = [source.look_up(entry(replace(CITED, doi=f"10.5555/{n}", title=""))).searched for n in range(5)]
        assert len(server.asked) == 9
        assert "left alone for a minute after 3 failures: answers 500" in told[3]
        server.clock.wait(61)
        source.look_up(entry(CITED))
        assert len(server.asked) == 12


def test_an_audit_that_is_stopped_waits_no_more() -> None:
    with RecordService(Answer(200, {"message": CSL})) as server:
        source = Crossref(server.service(Crossref.terms))
        source.close()
        lookup = source.look_up(entry(CITED))
    assert lookup.outcome == "not reachable"
    assert "stopped" in lookup.searched
