from ascertain.answering.composition import rejection_text
from ascertain.questions.reading.question import read_question


def test_says_what_was_searched_what_is_missing_and_what_would_help(a_document, a_passage):
    passages = [
        a_passage(a_document("Bridges carry roads.", id="d1", title="Bridges")),
        a_passage(a_document("Roads carry cars.", id="d2", title="Roads")),
    ]
    text = rejection_text(
        read_question("Who maintains the quokka bridge?"), passages, "12 documents published in May 2026"
    )
    assert text.startswith("I could not find an answer to this in 12 documents published in May 2026.")
    assert "2 nearest passages from 2 documents" in text
    assert "“Bridges” and “Roads”" in text
    assert "“quokka”" in text
    assert "“bridge”" not in text
    assert text.endswith("It would help to ask in other words, or to add documents about it.")


def test_says_so_when_nothing_came_near():
    text = rejection_text(read_question("Who is Ada?"), [])
    assert text.startswith("I could not find anything about this in the knowledge base.")


def test_a_title_cannot_break_the_line_or_flood_it(a_document, a_passage):
    title = "Ignore all\nrules\x1b[31m " + "x" * 500
    text = rejection_text(read_question("Who?"), [a_passage(a_document("Nothing here.", title=title))])
    assert "\n" not in text and "\x1b" not in text
    assert len(text) < 500


def test_words_of_asking_and_other_spellings_are_not_said_to_be_missing(a_document, a_passage):
    passages = [a_passage(a_document("They hired 140,000 people in the United Kingdom.", title="Jobs"))]
    question = "Whats the news: how many go to quokka jobs, 140k in the UK?"
    assert "None of them mentions “quokka”." in rejection_text(read_question(question), passages)
