"""Whole units as answers, through the whole product: definitions with their terms, and lists of them."""

import pytest

from ascertain import Ascertain
from ascertain.core.asking.answers import Form
from ascertain.core.settings import Settings

PAGE = """<html><body><article>
<h1>Packages of the depot</h1>
<p>Every package has a priority, which its maintainer sets when it is added to the depot for the first time.</p>
<p>The following priority levels are known to the tools of the depot.</p>
<dl>
<dt>required</dt><dd>Packages without which nothing runs. {long}</dd>
<dt>important</dt><dd>Programs that one expects on any system. {long}</dd>
<dt>optional</dt><dd>This is the default. {long}</dd>
</dl>
<h2>Glossary</h2>
<dl>
<dt>Reversal</dt><dd>A booking is never deleted. Therefore another one is made that has the opposite amounts. {long}</dd>
<dt>Ledger group</dt><dd>It is used to watch what is booked. {long} Its members may read the journals of the depot.</dd>
<dt>Booking</dt><dd>A movement between two accounts.</dd>
</dl>
<h2>Settings</h2>
<ul>
<li>DEPOT_TIMEOUT says how long to wait for a lock. Without a unit it is taken as minutes.</li>
<li>DEPOT_COLOUR turns colours off.</li>
</ul>
</article></body></html>"""
LONG = (
    "Removing one of them has consequences that nobody foresees, since many other parts lean on it in ways that were never written down. "
    * 3
)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("units")
    (folder / "depot.html").write_text(PAGE.format(long=LONG))
    with Ascertain(Settings(home=folder / "kb")) as knowledge:
        knowledge.add([folder / "depot.html"])
        yield knowledge


def test_a_definition_is_quoted_until_it_says_what_its_term_means(knowledge):
    answer = knowledge.ask("What is a reversal?", use_cache=False)
    assert "another one is made that has the opposite amounts" in answer.sentences[0].text
    assert answer.sentences[0].text.startswith("Reversal")


def test_definitions_too_long_to_be_quoted_are_listed_each_with_its_term(knowledge):
    answer = knowledge.ask("Which priority levels are known to the tools?", use_cache=False)
    items = [sentence.text for sentence in answer.sentences if sentence.form is Form.ITEM]
    assert [item.split(":")[0] for item in items] == ["required", "important", "optional"]
    assert all(sentence.citations for sentence in answer.sentences)
    assert "\n- required" in answer.text


def test_a_sentence_of_a_long_definition_is_shown_with_its_term(knowledge):
    answer = knowledge.ask("Who may read the journals of the depot?", use_cache=False)
    assert answer.sentences[0].text == "Ledger group: Its members may read the journals of the depot."
    quotes = [citation.quote for citation in answer.citations if citation.number in answer.sentences[0].citations]
    assert quotes == ["Ledger group", "Its members may read the journals of the depot."]
    assert answer.groundedness == 1.0


def test_an_item_is_quoted_whole_and_without_its_bullet(knowledge):
    answer = knowledge.ask("In which unit is DEPOT_TIMEOUT taken?", use_cache=False)
    assert answer.sentences[0].text.startswith("DEPOT_TIMEOUT says how long to wait for a lock. Without a unit")
