"""Documents that hold no longer, and sentences that take others back."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from ascertain.answering.composition import WritingRequest
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.units.candidates import gather_candidates
from ascertain.answering.units.versions import find_change, find_replaced, is_outdated
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import ENGLISH
from ascertain.models.vectors.sentences import SentenceModel, SentenceModels
from ascertain.questions.reading.question import read_question

A_RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))


@dataclass(frozen=True)
class A:
    title: str
    source: str = "a.md"
    published_at: datetime | None = None
    text: str = ""
    kind: DocumentKind = DocumentKind.PROSE


@pytest.mark.parametrize(
    ("title", "source", "expected"),
    [
        ("Travel policy (OUTDATED, see 2025)", "a.md", True),
        ("Travel policy [superseded]", "a.md", True),
        ("Obsolete: house rules of the yard", "a.md", True),
        ("House rules – withdrawn", "a.md", True),
        ("House rules, no longer valid", "a.md", True),
        ("Travel policy", "policy-travel-old.md", True),
        ("Travel policy", "/notes/policy_archived.pdf#3", True),
        # what is about old things is not old itself
        ("How to find outdated packages", "a.md", False),
        ("Deprecated features of Click", "a.md", False),
        ("The old town", "old-town.md", False),
        ("Troubadours of old", "notes/threshold.md", False),
        ("", "", False),
    ],
)
def test_a_document_is_outdated_by_its_own_word(title, source, expected):
    assert is_outdated(title, source) is expected


@pytest.mark.parametrize(
    ("titles", "replaced"),
    [
        (("Travel policy, version of 1 March 2023", "Travel policy, valid from 1 January 2025"), {0}),
        (("Price list v2.1", "Price list v2.10"), {0}),
        (("Price list, valid from summer 2025", "Price list, valid from winter 2024"), {1}),
        # other things, reports of a series, and what tells no version
        (("Travel policy, version of 2023", "Price list, version of 2025"), set()),
        (("Market wrap 14 June 2025", "Market wrap 15 June 2025"), set()),
        (("Email of Lotte, 12 May", "Email of Lotte, 14 May"), set()),
        (("Travel policy", "Travel policy, version of 2025"), set()),
    ],
)
def test_of_two_versions_the_older_holds_no_longer(titles, replaced):
    documents = {str(i): A(title) for i, title in enumerate(titles)}
    assert find_replaced(read_question("How much is the rate?"), documents) == {str(i) for i in replaced}


def test_of_versions_of_a_year_the_later_day_holds():
    days = [datetime(2025, month, 1, tzinfo=UTC) for month in (3, 6)]
    documents = {str(i): A("Policy, valid from 2025", published_at=day) for i, day in enumerate(days)}
    assert find_replaced(read_question("How much is the rate?"), documents) == {"0"}


@pytest.mark.parametrize(
    "question",
    [
        "How much was the rate under the old policy?",
        "How much did the rate change?",
        "How much was the rate in 2023?",
        "What did the allowance used to be?",
    ],
)
def test_a_question_about_the_past_replaces_nothing(question):
    documents = {"old": A("Policy, version of 2023 (outdated)"), "new": A("Policy, valid from 2025")}
    assert find_replaced(read_question(question), documents) == frozenset()


@pytest.fixture(scope="module")
def compose(embedder, a_passage):
    def run(question, *documents):
        stored = {document.id: document for document in documents}
        passages = tuple(a_passage(d, score=0.8 - 0.1 * i) for i, d in enumerate(documents))
        composer = ExtractiveComposer(SentenceModels(SentenceModel(embedder)), stored.get, AnswerSettings())
        return composer.compose(WritingRequest(read_question(question), passages, 80), A_RUN)

    return run


def test_the_valid_version_answers_though_the_old_one_was_found_first(compose, a_document):
    old = a_document("Private cars: 0.21 euros a kilometre.", "old", "Travel policy, version of 2023 (OUTDATED)")
    new = a_document("Private cars: 0.28 euros a kilometre.", "new", "Travel policy, valid from 2025")
    answer = compose("How many euros a kilometre are private cars?", old, new)
    assert answer.sentences[0].text == "Private cars: 0.28 euros a kilometre."
    assert "0.21" in compose("How many euros a kilometre were private cars in the old policy?", old, new).text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("In our report of May we said that the wall would protect 230 homes. The right number is 320. It is of stone.", "320"),
        ("We wrote that the wall would protect 230 homes. It should have read 320 homes.", "320"),
        ("An earlier version of this page wrongly gave 230 homes as protected by the wall. In fact the wall protects 320.", "320"),
        ("We said that the wall would protect 230 homes. It is of stone.", "230"),
        ("We wrote that the wall protects 230 homes. It protects 320.", "320"),
    ],
)  # fmt: skip
def test_a_correction_answers_with_what_it_puts_right_and_shows_what_was_said_before(compose, a_document, text, first):
    answer = compose("How many homes will the wall protect?", a_document(text, "c", "Correction: wall"))
    assert first in answer.sentences[0].text
    assert "230" in answer.text


GUIDE = "The reception is on the ground floor and opens at eight. Visitors sign the book at the desk. Bicycles stand behind the house."
OLD_GUIDE, NEW_GUIDE = f"The canteen is on floor two. {GUIDE}", f"The canteen is on floor five. {GUIDE}"
DAYS = datetime(2025, 2, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "old", "new", "replaced"),
    [
        ("On which floor is the canteen?", {}, {}, {"old"}),
        ("Is the canteen on floor two?", {}, {}, {"old"}),
        ("On which floor is the canteen in 2025?", {}, {}, {"new"}),
        ("On which floor was the canteen before?", {}, {}, set()),
        # each article holds for its day, and other things under one title or under titles of their own are no versions
        ("On which floor is the canteen?", {"kind": DocumentKind.ARTICLE}, {}, set()),
        ("On which floor is the canteen?", {"title": "House guide"}, {}, set()),
        ("On which floor is the canteen?", {"text": "Minutes of the spring meeting on sails."}, {}, set()),
        ("On which floor is the canteen?", {"published_at": None}, {}, set()),
        ("What is served on 3 March?", {"text": f"Served on 3 March. {GUIDE}"}, {"text": f"Served on 4 April. {GUIDE}"}, {"new"}),
    ],
)  # fmt: skip
def test_of_texts_that_are_nearly_the_same_the_later_one_holds(question, old, new, replaced):
    first, second = (
        A("Office guide", published_at=day, text=text) for day, text in zip(DAYS, (OLD_GUIDE, NEW_GUIDE), strict=True)
    )
    assert (
        find_replaced(read_question(question), {"old": replace(first, **old), "new": replace(second, **new)})
        == replaced
    )


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_near_equal_text_of_a_later_date_answers_and_the_older_is_named(compose, a_document, order):
    documents = [
        replace(a_document(text, str(day.year), "Office guide"), published_at=day, kind=DocumentKind.PROSE)
        for text, day in zip((OLD_GUIDE, NEW_GUIDE), DAYS, strict=True)
    ]
    answer = compose("On which floor is the canteen?", *(documents[place] for place in order))
    assert answer.sentences[0].text == "The canteen is on floor five."
    assert any("Office guide, 2025-02-01" in decision.reason for decision in answer.decisions)


SET = "The inventory count is set for 29 March."
MOVED = "The inventory count moves from 29 March to 5 April."
EARLY, LATE = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("quoted", "expected"),
    [
        ([(SET, None), (MOVED, None)], 1),
        ([(SET, EARLY), ("Cats sleep in the yard.", EARLY), (MOVED, LATE)], 2),
        ([(SET, LATE), (MOVED, EARLY)], None),
        ([(MOVED, None), (SET, None)], None),
        ([(SET, None), ("The lift moves from the yard to the roof.", None)], None),
        ([(SET, None)], None),
        ([], None),
    ],
)
def test_what_takes_the_first_sentence_back_is_found(a_document, a_passage, quoted, expected):
    documents = [replace(a_document(text, f"d{i}"), published_at=day) for i, (text, day) in enumerate(quoted)]
    stored = {document.id: document for document in documents}
    gathered = gather_candidates([a_passage(document) for document in documents], stored.get, ENGLISH)
    assert find_change(gathered.candidates) == expected


def test_of_one_document_what_stands_further_down_takes_back(a_document, a_passage):
    for text, expected in ((f"{SET} {MOVED}", 1), (f"{MOVED} {SET}", 1)):
        document = a_document(text)
        candidates = gather_candidates([a_passage(document)], {document.id: document}.get, ENGLISH).candidates
        ordered = sorted(candidates, key=lambda c: "moves" in c.text)
        assert find_change(ordered) == (expected if text.startswith(SET) else None)


def test_what_was_moved_is_told_by_where_it_moved_to(compose, a_document):
    answer = compose(
        "When are the inventory count and the audit?",
        a_document(SET, "d1", "Minutes"),
        a_document(MOVED, "d2", "More minutes"),
    )
    assert [sentence.text for sentence in answer.sentences] == [MOVED, SET]


@pytest.mark.parametrize(
    ("question", "days", "first"),
    [
        ("When is the inventory count?", (EARLY, LATE), MOVED),
        ("When was the inventory count before?", (EARLY, LATE), SET),
        ("When was the inventory count of 2024?", (EARLY, LATE), SET),
        ("When is the inventory count?", (LATE, EARLY), SET),
    ],
)
def test_what_a_newer_document_moved_comes_first_though_the_older_sentence_is_nearer(
    compose, a_document, question, days, first
):
    texts = (SET, "The works outing is on a Friday.", f"Cats sleep in the yard. {MOVED} Dogs do not.")
    documents = [
        replace(a_document(text, f"d{i}", "Minutes"), published_at=day)
        for i, (text, day) in enumerate(zip(texts, (days[0], days[0], days[1]), strict=True))
    ]
    answer = compose(question, *documents)
    assert answer.sentences[0].text == first


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("How long does the leader serve?", {"old"}),
        ("How long did the leader serve in version 1.4?", set()),
        ("How long did the leader serve under the old rules?", set()),
    ],
)
def test_a_text_that_says_it_is_superseded_holds_no_longer_unless_it_is_asked_for(question, replaced):
    documents = {"old": A("Rules (v1.4)", text="Rules (v1.4)\n\nSuperseded by version 1.5."), "new": A("Rules (v1.5)")}
    assert find_replaced(read_question(question), documents) == replaced
