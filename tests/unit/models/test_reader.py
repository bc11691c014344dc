from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_onnx import reading_model, summing_model
from tokenizers import Tokenizer

from ascertain.core.documents.blocks import Span
from ascertain.core.errors import ConfigurationError, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.models.onnx import TOKENIZER
from ascertain.models.reader import (
    EVIDENCE_WINDOW,
    LEAST_SCORE,
    MAX_ANSWER_TOKENS,
    WINDOW,
    Reader,
    find_answer,
    score_sentences,
)
from ascertain.models.registry import open_reader

FILLER = "the " * (2 * WINDOW)
KNOWN = Tokenizer.from_file(str(TOKENIZER))


@pytest.fixture
def a_reader(tmp_path):
    """A reader whose words carry logits: ``span`` a start and an end, ``support`` the three verdicts, the others one."""

    def build(left_out: str = "", **words: dict[str, object]) -> Reader:
        sizes = {"span": (2,), "answerable": (), "relevance": (), "support": (3,)}
        tables = {name: np.zeros((KNOWN.get_vocab_size(), *size)) for name, size in sizes.items() if name != left_out}
        for name, logits in words.items():
            for word, value in logits.items():
                tables[name][KNOWN.token_to_id(word)] = value
        (tmp_path / "reader.onnx").write_bytes(reading_model(tables))
        return Reader.load(tmp_path / "reader.onnx", threads=1)

    return build


def test_the_answer_is_quoted_by_its_characters(a_reader):
    reader = a_reader(span={"four": (5, 0), "balls": (0, 4)})
    passage = "Naïve Norman intercepted FOUR  balls, and the others none."
    (reading,) = reader.read("How many?", [passage])
    assert reading.answer.of(passage) == "FOUR  balls"
    assert reading.score == pytest.approx(9)


def test_words_of_the_question_are_no_answer(a_reader):
    reader = a_reader(span={"four": (9, 9), "three": (1, 1)})
    (reading,) = reader.read("Why four?", ["It was three."])
    assert reading.answer == Span(7, 12)


def test_an_answer_counts_by_how_much_likelier_it_is_than_none(a_reader):
    reader = a_reader(span={"four": (2, 2), "[CLS]": (3, 4)})
    (reading,) = reader.read("How many?", ["It was four."])
    assert reading.score == pytest.approx(-3)


def test_an_end_before_the_start_is_no_answer(a_reader):
    reader = a_reader(span={"four": (5, -9), "one": (0, 4)})
    passage = "one two four two"
    (reading,) = reader.read("How many?", [passage])
    assert reading.answer.of(passage) == "four two"


def test_an_answer_is_no_longer_than_its_limit(a_reader):
    reader = a_reader(span={"four": (5, 0), "one": (0, 5)})
    between = MAX_ANSWER_TOKENS - 2
    near, far = (f"four {'two ' * count}one" for count in (between, between + 1))
    (whole, cut) = reader.read("How many?", [near, far])
    assert whole.answer.of(near) == near
    assert whole.score == pytest.approx(10)
    assert cut.score == pytest.approx(5)


def test_a_long_passage_is_read_to_its_end_and_the_best_window_counts(a_reader):
    reader = a_reader(span={"four": (5, 5)}, answerable={"four": 3, "the": -0.001}, relevance={"four": 2})
    passage = f"{FILLER}four {FILLER}"
    (reading,) = reader.read("How many?", [passage])
    assert reading.answer.of(passage) == "four"
    assert reading.relevance == pytest.approx(2)
    assert 2 < reading.answerable < 3
    assert len(reading.windows) > 3


def test_a_stretch_across_the_edge_of_a_window_is_whole_in_the_next(a_reader):
    reader = a_reader(span={"four": (5, 0), "one": (0, 5)})
    for before in range(240, 256):
        passage = "the " * before + "four two two one" + " the" * 100
        (reading,) = reader.read("How many?", [passage])
        assert reading.answer.of(passage) == "four two two one"


def test_a_question_longer_than_its_room_is_cut(a_reader):
    reader = a_reader(span={"four": (5, 5)})
    (reading,) = reader.read(FILLER, ["It was four."])
    assert reading.answer == Span(7, 11)


def test_what_a_passage_says_does_not_depend_on_the_others(a_reader):
    reader = a_reader(span={"four": (1.1, 2.3), "one": (0.7, 0.3)}, answerable={"four": 0.1, "the": 0.01})
    passages = ["four and one", f"one {FILLER}", "", "the one"]
    together = reader.read("How many?", passages)
    assert together == [reader.read("How many?", [passage])[0] for passage in passages]
    assert reader.read("How many?", []) == []


@pytest.mark.parametrize("passage", ["", " \n", "\u200b"])
def test_a_passage_without_words_has_no_answer(a_reader, passage):
    (reading,) = a_reader(answerable={"[SEP]": -2}).read("How many?", [passage])
    assert (reading.answer, reading.score, reading.answerable) == (None, LEAST_SCORE, -2)
    assert score_sentences(reading, [Span(0, len(passage))]) == [LEAST_SCORE]


def test_each_sentence_has_the_score_of_the_best_answer_inside_it(a_reader):
    reader = a_reader(span={"four": (5, 1), "one": (0, 4), "six": (1, 1)})
    passage = "They took six. There were four. One was lost."
    sentences = [Span(*found.span()) for found in re.finditer(r"\w[^.]*\.", passage)]
    (reading,) = reader.read("How many?", [passage])
    assert score_sentences(reading, sentences) == pytest.approx([2, 6, 4])
    assert find_answer(reading, sentences[2]) == (pytest.approx(4), Span(32, 35))
    assert find_answer(reading, Span(3, 3)) == (LEAST_SCORE, None)


def test_a_sentence_in_a_late_window_is_scored_too(a_reader):
    reader = a_reader(span={"four": (5, 1)})
    (reading,) = reader.read("How many?", [f"{FILLER}four"])
    assert score_sentences(reading, [Span(0, 40), Span(len(FILLER), len(FILLER) + 4)]) == pytest.approx([0, 6])


@given(st.text(st.characters(), max_size=300), st.data())
def test_answers_are_characters_of_the_passage_and_of_the_sentence(any_reader, passage, data):
    ends = st.integers(0, len(passage))
    sentence = Span(*sorted((data.draw(ends), data.draw(ends))))
    (reading,) = any_reader.read("a\ud800b?", [passage])
    score, found = find_answer(reading, sentence)
    assert LEAST_SCORE <= score <= reading.score
    assert reading.answer is None or Span(0, len(passage)).contains(reading.answer)
    assert found is None or (sentence.contains(found) and found.length)


@pytest.fixture(scope="module")
def any_reader(tmp_path_factory):
    random = np.random.default_rng(0)
    sizes = {"span": (2,), "answerable": (), "relevance": (), "support": (3,)}
    tables = {name: random.normal(size=(KNOWN.get_vocab_size(), *size)) for name, size in sizes.items()}
    path = tmp_path_factory.mktemp("reader") / "reader.onnx"
    path.write_bytes(reading_model(tables))
    return Reader.load(path, threads=1)


def test_evidence_supports_refutes_or_says_nothing_of_a_claim(a_reader):
    reader = a_reader(support={"yes": (4, 0, 0), "no": (0, 4, 0), "perhaps": (0, 0, 4)})
    said, denied, silent = reader.check("It is yes.", ["yes", "no", "perhaps"])
    assert said.entailed == pytest.approx(math.exp(4) / (math.exp(4) + 2))
    assert denied.contradicted > 0.9
    assert denied.entailed < 0.1
    assert denied.reason == "the evidence denies it"
    assert (said.reason, silent.reason) == ("", "")
    assert silent.entailed < 0.1 > silent.contradicted


def test_the_best_window_of_long_evidence_counts(a_reader):
    reader = a_reader(support={"yes": (9, 0, 0), "no": (0, 9, 0), "[SEP]": (0, 0, 3)})
    said, both = reader.check("It is so.", [f"{FILLER}yes {FILLER}", f"yes {FILLER} no"])
    assert said.entailed > 0.9
    assert said.contradicted < 0.1
    assert both.entailed > 0.9
    assert both.entailed + both.contradicted <= 1


def test_what_stands_far_around_the_support_of_a_claim_does_not_drown_it(a_reader):
    reader = a_reader(support={"yes": (4, 0, 0), "the": (0, 0, 3 / EVIDENCE_WINDOW)})
    (said,) = reader.check("It is so.", [f"{FILLER}yes {FILLER}"])
    assert said.entailed > 0.5


def test_a_long_claim_and_evidence_of_nothing_are_no_error(a_reader):
    assert len(a_reader().check(FILLER, ["", FILLER])) == 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"absent\.onnx: no such file"):
        Reader.load(tmp_path / "absent.onnx")


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "reader.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match=r"reader\.onnx: the reader could not be loaded"):
        Reader.load(tmp_path / "reader.onnx")


def test_another_model_is_no_reader(tmp_path):
    (tmp_path / "other.onnx").write_bytes(summing_model(np.zeros((3, 2))))
    with pytest.raises(ModelError, match="no output answerable, relevance, span, support"):
        Reader.load(tmp_path / "other.onnx")


def test_a_reader_that_lacks_an_output_is_refused(a_reader):
    with pytest.raises(ModelError, match="no output relevance"):
        a_reader(left_out="relevance")


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_what_is_no_number_is_an_error_and_no_answer(a_reader, broken):
    reader = a_reader(span={"four": (broken, 1)}, support={"four": (broken, 0, 0)})
    assert reader.read("How many?", ["three"])[0].answer is not None
    with pytest.raises(ModelError, match="not finite numbers"):
        reader.read("How many?", ["three", "four"])
    with pytest.raises(ModelError, match="not finite numbers"):
        reader.check("So many.", ["four"])


def test_outputs_of_another_shape_are_an_error(tmp_path):
    tables = {name: np.zeros((KNOWN.get_vocab_size(), 2)) for name in ("span", "answerable", "relevance", "support")}
    (tmp_path / "reader.onnx").write_bytes(reading_model(tables))
    with pytest.raises(ModelError, match="has the shape"):
        Reader.load(tmp_path / "reader.onnx", threads=1).read("How many?", ["four"])


@pytest.mark.parametrize("name", ["none", ""])
def test_none_reads_by_rules_alone(name):
    assert open_reader(ModelSettings(reader=name)) is None


def test_a_named_file_that_is_not_there_is_an_error():
    with pytest.raises(ConfigurationError, match=r"models\.reader = './nowhere\.onnx': no such file"):
        open_reader(ModelSettings(reader="./nowhere.onnx"))


def test_a_damaged_file_says_so_when_it_is_asked_to_read(tmp_path):
    damaged = tmp_path / "reader.onnx"
    damaged.write_bytes(b"no model")
    reader = open_reader(ModelSettings(reader=str(damaged)))
    with pytest.raises(ModelError, match="could not be loaded"):
        reader.read("Who?", ["Ada."])


def test_the_reader_that_ships_finds_an_answer_and_none_where_there_is_none():
    reader = open_reader(ModelSettings(threads=1))
    text = "The Elm Bridge stands in Oakford. It was built in 1912 by Ada Stone, an engineer."
    there, absent = reader.read("Who built the Elm Bridge?", [text, "Cats sleep for most of the day."])
    assert there.answer.of(text).startswith("Ada Stone")
    assert there.score > 0 > absent.score
    assert there.answerable > 0 > absent.answerable
    assert reader.read("Who built the Elm Bridge?", [text])[0] == there
