from dataclasses import dataclass, field

import numpy as np
import pytest

from ascertain.answering.composition import WritingRequest
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.judging.cascade import Readers, judge_candidates
from ascertain.answering.judging.reading import ReadingBounds, read_passages, reader_features, weigh_readings
from ascertain.answering.units.candidates import gather_candidates
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.errors import ModelError
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import ENGLISH
from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.onnx import OnnxEmbedder
from ascertain.models.reader import DamagedReader, Reading, WindowLogits
from ascertain.models.vectors.sentences import SentenceModel, SentenceModels
from ascertain.questions.reading.question import read_question

MOST = ReadingBounds(passages=6, candidates=8)
TEXT = "The Elm Bridge stands in Oakford. It is of stone. Ada Stone drew it in spring. Cats sleep there."


def no_signals(candidates):
    return np.zeros(len(candidates))


@dataclass
class MarkingReader:
    """Finds ``answer`` wherever it stands; every character is a token."""

    answer: str
    asked: list[str] = field(default_factory=list)

    def read(self, question, passages):
        self.asked += passages
        return [self._read(passage) for passage in passages]

    def _read(self, passage):
        tokens = tuple(Span(i, i + 1) for i in range(len(passage)))
        starts, ends = np.full(len(passage), -6.0), np.full(len(passage), -6.0)
        place = passage.find(self.answer)
        if place >= 0:
            starts[place], ends[place + len(self.answer) - 1] = 4.0, 4.0
        found = Span(place, place + len(self.answer)) if place >= 0 else Span(0, 1)
        score = 8.0 if place >= 0 else -12.0
        return Reading(found, score, score / 2, score / 2, (WindowLogits(tokens, starts, ends),))


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder.load(BUILT_IN)


@pytest.fixture
def compose(embedder, a_document, a_passage):
    def make(question, reader, *texts, second=None):
        documents = {f"d{i}": a_document(text, id=f"d{i}") for i, text in enumerate(texts)}
        composer = ExtractiveComposer(
            SentenceModels(SentenceModel(embedder)),
            documents.get,
            AnswerSettings(rejection_threshold=0),
            Readers.pair(reader, second),
        )
        passages = tuple(a_passage(document) for document in documents.values())
        return composer.compose(
            WritingRequest(read_question(question), passages, 80), Run(Budget(0, 0, float("inf"), 0))
        )

    return make


def test_the_sentence_that_the_reader_finds_comes_first_and_its_words_are_marked(compose):
    question = "Whose hand drew the plans?"
    made = compose(question, MarkingReader("Ada Stone"), TEXT)
    assert made.sentences[0].text == "Ada Stone drew it in spring."
    citation = made.citations[0]
    assert citation.answer.of(TEXT) == "Ada Stone"


def test_a_reader_that_fails_leaves_the_answer_to_the_rules_and_that_is_said(compose):
    plain = compose("Who drew the Elm Bridge?", None, TEXT)
    made = compose("Who drew the Elm Bridge?", DamagedReader("weights.onnx: the weights are damaged"), TEXT)
    assert made.text == plain.text
    assert made.confidence == plain.confidence
    assert "read by rules alone" in {decision.outcome for decision in made.decisions}
    assert any("the weights are damaged" in decision.reason for decision in made.decisions)


@pytest.mark.parametrize(
    "question", ["Wer hat die Brücke in Oakford gebaut und wann wurde sie eröffnet?", "誰がこの橋を建てたのですか"]
)
def test_questions_in_other_languages_are_left_to_the_rules(compose, question):
    reader = MarkingReader("Ada Stone")
    made = compose(question, reader, TEXT)
    assert reader.asked == []
    assert any(decision.reason == "the reader knows English only" for decision in made.decisions)


def test_only_the_first_passages_are_read_and_those_in_english(a_document, a_passage):
    german = "Die Brücke ist aus Stein und sie steht in der Stadt, die wir nicht kennen."
    documents = {f"d{i}": a_document(german if i == 1 else f"Bridge {i} is old.", id=f"d{i}") for i in range(9)}
    passages = [a_passage(document) for document in documents.values()]
    gathered = gather_candidates(passages, documents.get, ENGLISH)
    reader = MarkingReader("old")
    notes = read_passages(
        read_question("Which bridge is old?"), gathered.candidates, passages, reader, scores=np.zeros(9), bounds=MOST
    )
    assert reader.asked == [f"Bridge {i} is old." for i in range(6) if i != 1]
    assert [i for i in range(9) if np.isnan(notes.spans[i])] == [1, 6, 7, 8]


def test_features_of_what_was_not_read_are_those_of_the_worst(a_document, a_passage):
    documents = {f"d{i}": a_document(f"Bridge {i} is old.", id=f"d{i}") for i in range(7)}
    passages = [a_passage(document) for document in documents.values()]
    candidates = gather_candidates(passages, documents.get, ENGLISH).candidates
    notes = read_passages(
        read_question("Which is old?"), candidates, passages, MarkingReader("Bridge 2"), scores=np.zeros(7), bounds=MOST
    )
    features = reader_features(notes)
    assert features[:, 0].argmax() == 2
    assert features[:, 1].sum() == pytest.approx(1.0)
    assert features[-1].tolist() == [-1.0, 0.0, -1.0, 1.0]
    assert weigh_readings(notes.readings)["reader_best_answerable"] == pytest.approx(4 / 6)
    assert weigh_readings(()) == {}


def test_only_what_stands_around_the_best_candidates_is_read(a_document, a_passage):
    lines = [f"Bridge {i} of the long river was built by mason number {i}." for i in range(12)]
    document, other = a_document(" ".join(lines), id="d0"), a_document("Boats are made of wood by hand.", id="d1")
    passages = [a_passage(document), a_passage(other)]
    candidates = gather_candidates(passages, {"d0": document, "d1": other}.get, ENGLISH).candidates
    scores = np.full(len(candidates), -np.inf)
    scores[[4, 6]] = 1.0
    reader = MarkingReader("mason number 6")
    notes = read_passages(
        read_question("Who built bridge 6?"), candidates, passages, reader, scores=scores, bounds=MOST
    )
    assert reader.asked == [" ".join(lines[3:8])]
    assert notes.answers[6].of(document.text) == "mason number 6"
    assert np.isnan(notes.spans[-1])


def test_the_large_reader_reads_the_best_few_and_has_the_last_word(a_document, a_passage):
    documents = {f"d{i}": a_document(f"Bridge {i} was built by mason {i}.", id=f"d{i}") for i in range(8)}
    passages = [a_passage(document) for document in documents.values()]
    candidates = gather_candidates(passages, documents.get, ENGLISH).candidates
    small, large = MarkingReader("mason 1"), MarkingReader("mason 2")
    question = read_question("Who built the bridge?")
    alone = judge_candidates(question, candidates, passages, no_signals(candidates), readers=Readers(small))
    both = judge_candidates(question, candidates, passages, no_signals(candidates), readers=Readers(small, large))
    assert int(alone.scores.argmax()) == 1
    assert int(both.scores.argmax()) == 2
    assert len(large.asked) == 3
    assert both.best_notes.answers[2].of(documents["d2"].text) == "mason 2"


def test_a_large_reader_that_fails_leaves_the_choice_to_the_small_one(compose):
    question = "Whose hand drew the plans?"
    alone = compose(question, MarkingReader("Ada Stone"), TEXT)
    made = compose(question, MarkingReader("Ada Stone"), TEXT, second=DamagedReader("the weights are damaged"))
    assert made.text == alone.text == "Ada Stone drew it in spring."


def test_a_heading_alone_is_no_answer(a_document, a_passage):
    document = a_document(
        "# Who built the bridge\n\nThe bridge was built by Ada Stone.", id="d0", title="Who built the bridge"
    )
    passages = [a_passage(document)]
    candidates = gather_candidates(passages, {"d0": document}.get, ENGLISH).candidates
    judged = judge_candidates(
        read_question("Who built the bridge?"),
        candidates,
        passages,
        no_signals(candidates),
        readers=Readers(MarkingReader("Who built")),
    )
    best = candidates[int(judged.scores.argmax())]
    assert best.text == "The bridge was built by Ada Stone."
    assert [c.text for c, score in zip(candidates, judged.scores, strict=True) if score == -np.inf] == [
        "# Who built the bridge"
    ]


def test_the_name_of_who_speaks_alone_is_no_answer(a_document, a_passage):
    text = "**Ada Stone**:\n\nI drew the bridge in spring."
    turn = Block(BlockKind.TURN, Span(0, len(text)), place=Place(speaker="Ada Stone"))
    document = a_document(text, id="d0", blocks=(turn,))
    passages = [a_passage(document)]
    candidates = gather_candidates(passages, {"d0": document}.get, ENGLISH).candidates
    readers = Readers(MarkingReader("Ada Stone"))
    judged = judge_candidates(
        read_question("Who drew the bridge?"), candidates, passages, no_signals(candidates), readers=readers
    )
    assert candidates[int(judged.scores.argmax())].text == "I drew the bridge in spring."


def test_a_damaged_reader_says_why():
    with pytest.raises(ModelError, match="no such file"):
        DamagedReader("no such file").read("Who?", ["Ada."])


def test_where_no_passage_is_in_english_that_is_said(compose):
    german = "Die Brücke ist aus Stein und sie steht in der Stadt, die wir nicht kennen."
    reader = MarkingReader("Stein")
    made = compose("Is the Brücke of stone?", reader, german)
    assert reader.asked == []
    assert any("no passage is in English" in decision.reason for decision in made.decisions)
