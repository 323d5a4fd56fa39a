"""Pages of the web: fetched where a setting says so, bounded, and compared by title and date."""

from pathlib import Path

import pytest

from plugins.audit.auditing.judge import judge
from plugins.audit.auditing.online import WebPages, online_sources
from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.auditing.online.online_source import read_page
from plugins.audit.auditing.online.service import Pace
from plugins.audit.auditing.types import AuditedReference
from plugins.audit.errors import SourceUnreachable
from plugins.audit.references import BibliographicFields, Reference
from rag.settings import AuditSettings
from tests.plugins.audit.audits import entry
from tests.plugins.audit.record_service import Answer, RecordService

TITLE = "Counting Terns from the Old Pier"
PAGE = f"""<html><head><title>{TITLE} | Harbour Birds</title>
<meta property="article:published_time" content="2019-05-02T10:00:00Z"></head><body><h1>Terns</h1></body></html>"""


def audited(answer: Answer, title: str = TITLE, year: str = "2019", **limits: float) -> AuditedReference:
    with RecordService(answer) as server:
        client = GuardedClient(None, agent="test", loopback=True, resolve=lambda host, _: [host], **limits)  # type: ignore[arg-type]
        pages = WebPages("test", client, server.clock, Pace())
        fields = BibliographicFields(title, year=year, url=f"{server.address}/terns")
        found = judge(Reference(1, "an entry", fields), [pages.look_up(entry(fields))])
        pages.close()
    return found


@pytest.mark.parametrize(("year", "status"), [("2020", "real"), ("2024", "real"), ("2016", "errors")])
def test_a_later_year_may_be_that_of_a_visit_and_an_earlier_one_differs(year: str, status: str) -> None:
    assert audited(Answer(200, PAGE.encode()), year=year).status == status


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(404, b"gone"), "answers 404"),
        (Answer(200, PAGE.encode()), f"has the title “{TITLE} | Harbour Birds”"),
        (Answer(200, b"%PDF-1.7"), "is no page with a title"),
        (Answer(200, b""), "is no page with a title"),
        (Answer(200, b"x", endless=True), "could not be reached"),
        (Answer(302, b"", {"location": "https://10.0.0.1/"}), "could not be reached"),
    ],
)
def test_a_page_that_is_gone_or_another_is_no_sign(answer: Answer, said: str) -> None:
    found = audited(answer, "A Theory of Tides in Narrow Straits", most_bytes=100_000, seconds=5.0)
    assert found.status == "unknown"
    assert said in found.reason


def test_pages_are_fetched_only_where_a_setting_names_them_and_no_identifier_stands(tmp_path: Path) -> None:
    assert online_sources(AuditSettings(), tmp_path) == ()
    [pages] = online_sources(AuditSettings(network=("web",)), tmp_path)
    assert (
        pages.look_up(entry(BibliographicFields(TITLE, url="https://example.org", doi="10.1000/x"))).outcome
        == "not covered"
    )
    assert pages.look_up(entry(BibliographicFields(TITLE))).outcome == "not covered"


def test_pages_are_asked_by_no_proxy_and_at_public_addresses_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match="proxy"):
        GuardedClient(None, agent="test").get("http://pages.example/", "*/*")
    monkeypatch.setenv("no_proxy", "*")
    client = GuardedClient(None, agent="test", resolve=lambda _host, _port: ["10.0.0.1"])
    with pytest.raises(SourceUnreachable, match="no public address"):
        client.get("http://pages.example/", "*/*")


def test_hostile_pages_are_read_without_harm() -> None:
    assert read_page(b"<title>" + b"x" * 500_000) == (["x" * 400], "")
    assert read_page(b"<meta name=date content='soon'>" * 10_000)[1] == ""
    assert read_page(b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><title>&b;</title>")[0] in ([], ["&b;"])
