"""Behind TLS, in Chromium: nothing that people, papers and records bring runs in checks, audits, conversations, shared
answers and the pages of accounts.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plugins.audit.auditing.sources import RecordIndex, index_path
from plugins.team.people import People
from tests.ui.browser.chromium import SHOTS, executable, flags_with
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_checking import check
from tests.ui.browser.test_checking import opened as opened_check
from tests.ui.browser.test_hostile import PAYLOADS, hostile_home, untouched
from tests.ui.browser.test_tls import _LOG_IN
from tests.ui.browser.tls_proxy import ADDRESS, tls_in_front_of
from tests.ui.served_page import serving
from ui.state import open_state

PASSWORD = "correct horse"
NAMES = ("ada", "bob")
ASKED = f"How many cranes has the harbour? {PAYLOADS[1]} {PAYLOADS[5]}"
Arrive = Callable[[str], Reader]


def records(folder: Path) -> Path:
    """A bibliography whose titles, names and places are payloads."""
    path = folder / "known.bib"
    fields = "@article{{k{0}, author={{{1}}}, title={{Cranes of harbour {0} {1}}}, journal={{{1}}}, year={{{2}}}}}"
    plain = [payload.replace("{", "").replace("}", "") for payload in PAYLOADS]
    path.write_text("\n".join(fields.format(n, payload, 1990 + n) for n, payload in enumerate(plain)))
    return path


@pytest.fixture(scope="module")
def arrive(playwright: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arrive]:
    """`arrive(NAME)`: somebody who has logged in to a page over hostile documents, in a browser of their own."""
    home = hostile_home(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("papers"))
    index = RecordIndex(index_path(home, "hostile"), make=True)
    index.add([records(tmp_path_factory.mktemp("records"))])
    index.close()
    folder = tmp_path_factory.mktemp("served")
    state = folder / "state.sqlite"
    with open_state(folder, str(state)) as store:
        for name in NAMES:
            People(store).add(name, PASSWORD, admin=True)
    options = {"collection": "hostile", "accounts": str(state), "root_path": ADDRESS}
    with (
        serving(folder, home, **options) as served,
        tls_in_front_of(served.address, tmp_path_factory.mktemp("proxy")) as proxy,
        playwright.chromium.launch(executable_path=executable(), args=flags_with(proxy.rules)) as browser,  # type: ignore[attr-defined]
    ):

        def logged_in(name: str) -> Reader:
            context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
            page = context.new_page()
            page.goto(f"{ADDRESS}/robots.txt")
            assert page.evaluate(_LOG_IN, {"username": name, "password": PASSWORD}) == 200
            page.close()
            return Reader(context, f"{ADDRESS}/")

        yield logged_in


@pytest.fixture
def reader(arrive: Arrive) -> Iterator[Reader]:
    """Somebody in front of the page; in the end no script ran, and nothing was asked of another machine."""
    came = arrive("bob")
    yield came
    untouched(came)
    assert came.problems == []
    came.context.close()


def test_nothing_of_a_checked_text_runs(reader: Reader, tmp_path: Path) -> None:
    page = opened_check(reader).page
    check(reader, "\n\n".join(f"- The harbour has {n} cranes. {payload}" for n, payload in enumerate(PAYLOADS, 1)))
    for chip in page.locator("#v-check-current .v-cite").all()[:12]:
        chip.click()
        chip.hover()
    untouched(reader)
    assert PAYLOADS[0] in page.locator("#v-check-current").inner_text()
    named = tmp_path / f"{PAYLOADS[1]}.md"
    named.write_text(
        f"# {PAYLOADS[0]}\n\n{PAYLOADS[2]} <s>{PAYLOADS[3]}</s> The harbour has 3 cranes [^1].\n\n[^1]: {PAYLOADS[5]}"
    )
    page.locator("#v-check-file input[type=file]").set_input_files(str(named))
    page.wait_for_selector("#v-check-said .v-quiet")
    untouched(reader)
    page.locator("#v-check-go").click()
    page.wait_for_selector("#v-check-current [data-run]:not([aria-busy])")
    page.screenshot(path=SHOTS / "hostile check.png", full_page=True)


def test_nothing_of_an_audited_paper_runs(reader: Reader, tmp_path: Path) -> None:
    page = reader.page
    page.get_by_role("tab", name="Audit").click()
    page.wait_for_selector("#v-audit-text textarea")
    changed = records(tmp_path).read_text().replace("year={19", "year={20")
    page.locator("#v-audit-text textarea").fill(changed)
    page.locator("#v-audit-go").click()
    page.wait_for_selector("#v-audit-current [data-run]:not([aria-busy])")
    heads = page.locator(".v-entry-head")
    assert heads.count() == len(PAYLOADS)
    for head in heads.all():
        head.click()
        untouched(reader)
    assert "Cranes of harbour 0 <script>window.pwned=1</script>" in page.locator("#v-audit-current").inner_text()
    page.screenshot(path=SHOTS / "hostile audit.png", full_page=True)


def test_nothing_of_a_conversation_or_a_shared_answer_runs(reader: Reader, arrive: Arrive) -> None:
    page = reader.page
    reader.ask(ASKED)
    page.get_by_role("button", name="Sentence 1: wrong place").focus()
    page.keyboard.press("Enter")
    with page.expect_response(lambda said: "queue/join" in said.url):
        page.get_by_role("textbox", name="Note on sentence 1").fill(PAYLOADS[3])
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Conversations").click()
    page.locator(".v-talk summary").first.click()
    page.get_by_role("button", name="Rename", exact=True).click()
    page.keyboard.type(PAYLOADS[1])
    page.keyboard.press("Enter")
    page.locator(".v-talk-name", has_text=PAYLOADS[1]).wait_for()
    page.get_by_label("Search conversations").fill(PAYLOADS[2])
    untouched(reader)
    reader.reload()
    reader.arrived()
    assert page.get_by_role("textbox", name="Note on sentence 1").input_value() == PAYLOADS[3]
    page.locator("#v-current .v-share summary").click()
    page.get_by_role("button", name="Create a link").click()
    page.locator("#v-current .v-share summary", has_text="Shared").click()
    link = page.locator("#v-current .v-share a").get_attribute("href")
    other = arrive("ada")
    shared = other.context.new_page()
    shared.goto(f"{ADDRESS}/{str(link).removeprefix(ADDRESS).lstrip('/')}")
    assert PAYLOADS[1] in shared.locator("h1").inner_text()
    assert shared.evaluate("window.pwned") is None
    assert shared.locator("iframe").count() == 0
    shared.screenshot(path=SHOTS / "hostile share.png", full_page=True)
    other.context.close()


def test_nothing_of_a_name_runs_in_the_pages_of_accounts(reader: Reader) -> None:
    page = reader.context.new_page()
    page.goto(f"{ADDRESS}/account")
    assert "You are bob" in page.locator("form").inner_text()
    page.locator("[name=password]").fill(PAYLOADS[0])
    page.locator("[name=new]").fill(PAYLOADS[0])
    page.get_by_role("button").click()
    assert "not your current password" in page.locator(".said").inner_text()
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=new]").fill(f"{PASSWORD}!")
    page.get_by_role("button").click()
    assert "Your password was changed" in page.locator(".said").inner_text(), "the form works"
    for payload in PAYLOADS:
        page.goto(f"{ADDRESS}/join?invitation={payload}#{payload}")
        page.locator("[name=username]").fill(payload[:64])
        page.locator("[name=password]").fill(PASSWORD)
        page.get_by_role("button").click()
        page.locator(".said").wait_for()
        assert page.evaluate("window.pwned") is None
        assert page.locator("iframe, img, svg").count() == 0
    page.close()
