import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ascertain.core.asking.answers import AnswerSentence, Form, Verdict, VerdictLabel
from ascertain.core.asking.forms import join_sentences, place_sentences

COLUMNS = ("Plan", "Price")


def a_sentence(text, form=Form.TEXT, columns=(), language=""):
    return AnswerSentence(
        text, Verdict(VerdictLabel.SUPPORTED, 1.0), (1,), form=form, columns=columns, language=language
    )


def steps(*texts):
    return [a_sentence(text, Form.STEP) for text in texts]


def items(*texts):
    return [a_sentence(text, Form.ITEM) for text in texts]


def rows(*texts):
    return [a_sentence(text, Form.ROW, COLUMNS) for text in texts]


def code(text, language=""):
    return a_sentence(text, Form.CODE, language=language)


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ([a_sentence("One."), a_sentence("Two.")], "One. Two."),
        (items("Red", "Blue"), "- Red\n- Blue"),
        (
            [a_sentence("Do this:"), *steps("Stop.", "Go."), a_sentence("Done.")],
            "Do this:\n\n1. Stop.\n2. Go.\n\nDone.",
        ),
        ([*steps("Stop."), a_sentence("Then:"), *steps("Go.")], "1. Stop.\n\nThen:\n\n1. Go."),
        (rows("Basic | 10 €", "Pro | 20 €"), "| Plan | Price |\n| --- | --- |\n| Basic | 10 € |\n| Pro | 20 € |"),
        ([*steps("Run:"), code("make\nmake install", "bash")], "1. Run:\n\n```bash\nmake\nmake install\n```"),
        ([code("a = 1"), code("b = 2")], "```\na = 1\n```\n\n```\nb = 2\n```"),
        ([code("```\nx\n```")], "````\n```\nx\n```\n````"),
    ],
)
def test_lays_out_the_sentences_as_markdown(sentences, text):
    assert join_sentences(sentences) == text


def test_a_table_of_other_columns_is_another_table():
    other = [a_sentence("May | 3", Form.ROW, ("Month", "Days"))]
    assert join_sentences([*rows("Pro | 20 €"), *other]).count("| --- | --- |") == 2


def test_programs_that_read_markdown_see_the_forms():
    text = join_sentences([*steps("Stop."), *rows("Pro | 20 €"), *items("Red"), code("x", "python")])
    html = MarkdownIt().enable("table").render(text)
    assert "<ol>\n<li>Stop.</li>" in html
    assert "<th>Plan</th>" in html
    assert "<td>20 €</td>" in html
    assert "<ul>\n<li>Red</li>" in html
    assert '<code class="language-python">x\n</code>' in html


def test_a_row_states_each_cell_with_its_column():
    [row] = rows("Pro | 20 €")
    assert row.statement == "Plan: Pro | Price: 20 €"
    assert a_sentence("It is red.").statement == "It is red."


FORMS = st.sampled_from(list(Form))


@given(st.lists(st.tuples(st.text("ab |`\n.", min_size=1, max_size=12), FORMS), max_size=6))
def test_every_sentence_is_found_again_and_nothing_is_lost(parts):
    sentences = [a_sentence(text, form, COLUMNS if form is Form.ROW else ()) for text, form in parts]
    text = join_sentences(sentences)
    placed, rest = place_sentences(text, sentences)
    assert [part.sentence for part in placed] == sentences
    whole = "".join(f"{part.between}{part.opening}{part.sentence.text}{part.closing}" for part in placed) + rest
    assert whole == text
    assert rest == ""


def test_what_stands_around_the_sentences_is_told_apart_from_their_markup():
    sentences = items("Red", "Blue")
    placed, rest = place_sentences(f"Nothing of May.\n\n{join_sentences(sentences)}\n\nAsk on.", sentences)
    assert [(part.between, part.opening) for part in placed] == [("Nothing of May.\n\n", "- "), ("", "\n- ")]
    assert rest == "\n\nAsk on."


def test_plain_sentences_keep_what_stands_between_them():
    sentences = [a_sentence("One."), a_sentence("Two.")]
    placed, _ = place_sentences("Ana, 03:46\nOne.\n\nBen\nTwo.", sentences)
    assert [part.between for part in placed] == ["Ana, 03:46\n", "\n\nBen\n"]
