"""The graph in the browser: an entity found, its neighbours followed, the sentence behind a link opened, a path walked."""

import re

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, ask

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture
def graph(page, address):
    """A visitor on the page of the graph."""
    page.goto(f"{address}/graph")
    page.get_by_role("heading", name="Named most often").wait_for()
    return page


def find(page, typed, name, box="Find an entity"):
    """Type part of a name and take the suggestion."""
    page.get_by_role("combobox", name=box).fill(typed)
    page.get_by_role("option", name=name).click()


def neighbour(page, name):
    """A name in the drawing, as it is drawn where there is room."""
    return page.locator(".sheet.wide button.node").filter(has_text=name)


def test_entity_is_found_as_one_types_and_drawn_among_its_neighbours(graph):
    find(graph, "babb", "Charles Babbage")
    expect(graph.get_by_role("heading", name="Charles Babbage")).to_be_visible()
    expect(graph.locator(".sheet.wide .node.centre")).to_have_text("Charles Babbage")
    expect(neighbour(graph, "Ada Lovelace")).to_be_visible()
    expect(graph).to_have_url(re.compile("entity=charles"))


def test_neighbour_is_followed_and_the_sentence_behind_the_link_opens_with_its_words_marked(graph):
    find(graph, "ada", "Ada Lovelace")
    neighbour(graph, "Charles Babbage").click()
    expect(graph.get_by_role("heading", name="Charles Babbage", exact=True)).to_be_visible()
    expect(graph.get_by_role("combobox", name="Find an entity")).to_have_value("Charles Babbage")
    links = graph.get_by_role("list", name="Connections")
    row = links.locator(".row", has=graph.get_by_role("button", name="Go on to: Luigi Menabrea"))
    row.get_by_role("button", name="Open the source: Luigi Menabrea described").click()
    expect(graph.locator("mark")).to_have_text(
        "Luigi Menabrea described the Analytical Engine after Charles Babbage had lectured on it."
    )
    expect(graph.get_by_role("dialog").get_by_role("heading", name="A lecture in Turin")).to_be_visible()


def test_every_place_that_names_an_entity_is_listed(graph):
    find(graph, "babb", "Charles Babbage")
    graph.get_by_role("tab", name="Where it is named").click()
    places = graph.get_by_role("list", name="Where it is named")
    places.get_by_role("button", name="Open the source: Ada Lovelace worked").click()
    expect(graph.locator("mark")).to_have_text(
        "Ada Lovelace worked with Charles Babbage on the Analytical Engine in London."
    )


def test_path_leads_from_one_entity_to_another_and_each_step_has_its_sentence(graph, address):
    find(graph, "ada", "Ada Lovelace")
    graph.get_by_role("button", name="Find a path from here").click()
    expect(graph.get_by_role("combobox", name="From")).to_have_value("Ada Lovelace")
    find(graph, "mena", "Luigi Menabrea", box="To")
    ends = graph.locator(".sheet.wide .node.end")
    expect(ends).to_have_text(["Ada Lovelace", "Luigi Menabrea"])
    steps = graph.get_by_role("list", name="Steps")
    steps.get_by_role("button", name="Open the source: Luigi Menabrea described").first.click()
    expect(graph.locator("mark")).to_contain_text("Luigi Menabrea described")
    graph.keyboard.press("Escape")
    graph.reload()
    expect(ends).to_have_text(["Ada Lovelace", "Luigi Menabrea"])


def test_unknown_name_offers_what_is_near(graph):
    box = graph.get_by_role("combobox", name="Find an entity")
    box.fill("Charls Babage")
    box.press("Enter")
    expect(graph.get_by_text("Did you mean one of these?")).to_be_visible()
    graph.get_by_role("button", name="Charles Babbage").click()
    expect(graph.get_by_role("heading", name="Charles Babbage", exact=True)).to_be_visible()


def test_keyboard_alone_finds_an_entity_and_goes_on_to_a_neighbour(graph):
    graph.get_by_role("combobox", name="Find an entity").focus()
    graph.keyboard.type("lovel")
    expect(graph.get_by_role("option", name="Ada Lovelace")).to_be_visible()
    graph.keyboard.press("ArrowDown")
    graph.keyboard.press("Enter")
    node = neighbour(graph, "Charles Babbage")
    node.focus()
    assert node.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    graph.keyboard.press("Enter")
    expect(graph.get_by_role("heading", name="Charles Babbage", exact=True)).to_be_visible()


def test_themes_show_sentences_and_lead_to_entities(graph):
    graph.get_by_role("radio", name="Themes").click()
    themes = graph.get_by_role("list", name="Themes")
    expect(themes.locator(".sentence").first).to_be_visible()
    themes.get_by_role("button", name="Charles Babbage", exact=True).first.click()
    expect(graph.get_by_role("heading", name="Charles Babbage", exact=True)).to_be_visible()


def test_hostile_name_is_a_name(graph):
    title = "Zebra <img src=x onerror=window.hacked=1> **safe** :red[list]"
    find(graph, "zebra", title)
    expect(graph.get_by_role("heading", name=title)).to_be_visible()
    expect(graph.get_by_role("combobox", name="Find an entity")).to_have_value(title)
    assert graph.evaluate("[window.hacked, document.querySelectorAll('img[src=x]').length]") == [None, 0]


def test_drawing_on_a_phone_fits_and_its_names_do_not_touch(phone, address):
    phone.goto(f"{address}/graph?entity=Charles+Babbage")
    phone.locator(".sheet.tall .node.centre").wait_for()
    expect(phone.locator(".sheet.wide")).to_be_hidden()
    main = phone.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth") <= PHONE[0]
    boxes = [node.bounding_box() for node in phone.locator(".sheet.tall .node").all()]
    for place, one in enumerate(boxes):
        assert one["x"] >= 0
        assert one["x"] + one["width"] <= PHONE[0]
        for other in boxes[place + 1 :]:
            assert (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or one["y"] + one["height"] <= other["y"]
                or other["y"] + other["height"] <= one["y"]
            )


def test_answer_shows_how_the_graph_found_it_and_leads_to_the_entity(page):
    ask(page, "Which documents mention Charles Babbage?")
    page.get_by_text("How this was found").click()
    drawing = page.locator(".found .sheet.wide")
    expect(drawing.get_by_text("Your question")).to_be_visible()
    drawing.locator("button.passage").first.click()
    expect(page.locator("mark")).to_contain_text("Charles Babbage")
    page.keyboard.press("Escape")
    drawing.get_by_role("button", name="Look at Charles Babbage").click()
    expect(page.get_by_role("heading", name="Charles Babbage", exact=True)).to_be_visible()
