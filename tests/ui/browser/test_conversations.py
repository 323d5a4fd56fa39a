"""Conversations in the page: begun anew, opened again, renamed, searched, judged, shared, deleted; spoken names."""

from tests.ui.browser.conftest import Open

ON_TIME = "What delay still counts as an on-time ferry departure?"
DIESEL = "How much diesel did the ferry fleet burn in 2021?"


def test_a_conversation_is_found_again_with_what_was_said_of_it(visit: Open) -> None:
    reader = visit()
    page = reader.page
    reader.ask(ON_TIME)
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="New conversation").click()
    page.wait_for_selector("#v-current .v-message")
    reader.ask(DIESEL)
    page.locator(".v-talk >> nth=1").wait_for()
    assert page.locator("#v-past .v-turn").count() == 0
    page.locator(".v-talk-open", has_text=ON_TIME).click()
    page.locator("#v-current .v-asked", has_text=ON_TIME).wait_for()
    page.get_by_role("button", name="Sentence 1: wrong place").focus()
    with page.expect_response(lambda said: "queue/join" in said.url):
        page.keyboard.press("Enter")
    with page.expect_response(lambda said: "queue/join" in said.url):
        page.get_by_role("textbox", name="Note on sentence 1").fill("one line up")
        page.keyboard.press("Enter")
    page.locator(".v-talk", has_text=ON_TIME).locator("summary").click()
    page.get_by_role("button", name="Rename", exact=True).click()
    page.keyboard.type("Ferries")
    page.keyboard.press("Enter")
    page.locator(".v-talk-name", has_text="Ferries").wait_for()
    page.get_by_label("Search conversations").fill("five minutes")
    page.wait_for_function("document.querySelectorAll('.v-talk').length === 1")
    assert page.locator(".v-talk-name").inner_text() == "Ferries"
    reader.reload()
    reader.arrived()
    assert page.locator("#v-current .v-asked").inner_text() == DIESEL
    page.get_by_role("button", name="Conversations").click()
    page.locator(".v-talk-open", has_text="Ferries").click()
    page.locator("#v-current .v-asked", has_text=ON_TIME).wait_for()
    assert page.locator("#v-current .v-judge[aria-pressed=true]").get_attribute("data-judge") == "wrong place"
    assert page.get_by_role("textbox", name="Note on sentence 1").input_value() == "one line up"
    assert len(reader.chips) > 0


def test_a_link_shows_one_answer_to_another_until_it_is_taken_back(visit: Open) -> None:
    reader = visit()
    page = reader.page
    reader.ask(ON_TIME)
    page.locator("#v-current .v-share summary").click()
    page.get_by_role("button", name="Create a link").click()
    page.locator("#v-current .v-share summary", has_text="Shared").click()
    link = page.locator("#v-current .v-share a").get_attribute("href")
    other = visit().context.new_page()
    other.goto(f"{reader.address}/{link}")
    assert ON_TIME in other.locator("h1").inner_text()
    assert other.locator("img").count() > 0
    page.get_by_role("button", name="Delete the link").click()
    page.locator("#v-current .v-share summary", has_text="Share").wait_for()
    page.wait_for_function("!document.querySelector('#v-current .v-share a')")
    assert other.goto(f"{reader.address}/{link}").status == 404  # type: ignore[union-attr]
