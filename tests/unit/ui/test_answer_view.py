import pytest
from answers import a_citation, a_place, a_sentence, an_answer

from ascertain.core.answers import Form, VerdictLabel
from ascertain.core.forms import join_sentences
from ascertain.core.passages import Level
from ascertain.ui.answer_view import LEVELS, VERDICTS, answer_data


def test_every_verdict_and_every_level_has_words():
    assert set(VERDICTS) == {label.value for label in VerdictLabel}
    assert set(LEVELS) == {level.value for level in Level}


@pytest.mark.parametrize("verdict", list(VERDICTS))
def test_sentence_shows_its_verdict_by_mark_and_words(verdict):
    (shown,) = answer_data(an_answer(a_sentence("It is so.", verdict)), None)["paragraphs"][0]
    assert (shown["mark"], shown["meaning"]) == VERDICTS[verdict]


def test_marks_differ_without_colour():
    assert len({mark for mark, _ in VERDICTS.values()}) == len(VERDICTS)


def test_paragraphs_are_those_of_the_text():
    first, second, third = a_sentence("One."), a_sentence("Two."), a_sentence("One.")
    data = answer_data(an_answer(first, second, third, answer="One. Two.\n\nOne."), None)
    shown = [["".join(sentence["text"]) for sentence in each] for each in data["paragraphs"]]
    assert shown == [["One.", "Two."], ["One."]]


def test_who_says_a_sentence_and_when_stands_before_it():
    text = "Ana Flores (Rye)\n15:30  It wakes.\n16:00  It rises.\n\n(Shown: 2 of 3 places in 1 episode.)"
    data = answer_data(an_answer(a_sentence("It wakes."), a_sentence("It rises."), answer=text), None)
    shown = [(each["heading"], each["time"]) for paragraph in data["paragraphs"] for each in paragraph]
    assert shown == [(["Ana Flores (Rye)"], "15:30"), ([], "16:00")]
    assert data["plain"] == ["(Shown: 2 of 3 places in 1 episode.)"]


def test_citation_is_named_with_its_place():
    citation = a_citation(place=a_place(label="Ben Ito, 00:06"))
    (shown,) = answer_data(an_answer(a_sentence("So."), citations=[citation]), None)["paragraphs"][0]
    assert shown["citations"] == [{"n": 1, "label": "Refunds, Ben Ito, 00:06"}]


def test_the_words_that_answer_are_marked_in_the_sentence_and_its_source():
    cited = [a_citation(quote="Built\n in  1912 🦓 by Ada.", span=[10, 34], answer=[21, 25]), a_citation(n=2)]
    answer = an_answer(a_sentence("Built in 1912 🦓 by Ada."), a_sentence("In 1912.", citations=[2]), citations=cited)
    data = answer_data(answer, None)
    assert [each["text"] for each in data["paragraphs"][0]] == [
        ["Built in ", "1912", " 🦓 by Ada."],
        ["In 1912.", "", ""],
    ]
    assert [each["quote"] for each in data["sources"]] == [
        ["Built in ", "1912", " 🦓 by Ada."],
        ["Paid to the card.", "", ""],
    ]


def test_a_long_quote_is_cut_and_words_behind_the_cut_are_marked_in_the_sentence_only():
    quote = f"{'It was long ago. ' * 20}It was built in 1912."
    start = quote.index("1912")
    data = answer_data(
        an_answer(
            a_sentence(quote), citations=[a_citation(quote=quote, span=[0, len(quote)], answer=[start, start + 4])]
        ),
        None,
    )
    assert data["paragraphs"][0][0]["text"] == [quote[:start], "1912", "."]
    (source,) = data["sources"]
    assert source["quote"][0].endswith("…")
    assert source["quote"][1:] == ["", ""]


def test_rejection_shows_its_text_and_no_sources():
    data = answer_data(an_answer(answer="Nothing was found.\nTry other words.", type="rejection", citations=[]), None)
    assert (data["plain"], data["sources"]) == (["Nothing was found.", "Try other words."], [])
    assert data["label"] == "No answer in the documents"


def test_greeting_has_nothing_to_judge():
    data = answer_data(an_answer(answer="Hello.", type="greeting", citations=[]), None)
    assert (data["confidence"], data["can_judge"], data["facts"], data["steps"]) == (None, False, [], [])


def test_sentences_without_support_are_counted():
    data = answer_data(an_answer(a_sentence("So."), a_sentence("Not so.", "not_in_sources")), None)
    assert data["tally"] == "1 of 2 sentences supported by the sources"


def test_facts_name_time_search_and_cost():
    usage = {"calls": 3, "input_tokens": 1200, "output_tokens": 34, "cost_usd": 0.0021, "tasks": {}}
    data = answer_data(an_answer(a_sentence("So."), usage=usage, attempts=2, is_cached=True), None)
    assert data["facts"] == [
        "answered before",
        "0.3 s",
        "hybrid search, 2 rounds",
        "3 model calls, 1,234 tokens, $0.0021",
    ]


def test_way_of_an_answer_has_reasons_scores_and_seconds():
    (step,) = answer_data(an_answer(a_sentence("So.")), None)["steps"]
    assert step == {
        "name": "Judging what was found",
        "outcome": "quality 84",
        "reason": "enough",
        "detail": "quality 84 · 0.01 s",
    }


def test_items_steps_rows_and_code_are_paragraphs_of_their_own():
    sentences = [
        a_sentence("Do this:"),
        a_sentence("Stop.").model_copy(update={"form": Form.STEP}),
        a_sentence("Go.").model_copy(update={"form": Form.STEP}),
        a_sentence("Pro | 20 €").model_copy(update={"form": Form.ROW, "columns": ["Plan", "Price"]}),
        a_sentence("a\n  b").model_copy(update={"form": Form.CODE}),
    ]
    text = join_sentences([sentence.to_sentence() for sentence in sentences])
    data = answer_data(an_answer(*sentences, answer=text), None)
    shown = [(each["form"], each["time"], "".join(each["text"])) for (each,) in data["paragraphs"]]
    assert shown == [
        ("text", "", "Do this:"),
        ("step", "1.", "Stop."),
        ("step", "2.", "Go."),
        ("row", "•", "Plan: Pro | Price: 20 €"),
        ("code", "", "a\n  b"),
    ]
    assert not any(each["heading"] for (each,) in data["paragraphs"])
    assert data["plain"] == []
