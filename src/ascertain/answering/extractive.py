"""Answers made of sentences quoted from the sources: offline, without any model-written text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition, WritingRequest, rejection_text
from ascertain.answering.confidence import confidence_of, evidence_confidence
from ascertain.answering.evidence import CHOICE, WeighedEvidence, read_evidence, weigh_choice
from ascertain.answering.judging.cascade import Readers
from ascertain.answering.judging.reading import PassageNotes
from ascertain.answering.matching.kinds import offers_kind
from ascertain.answering.overviews.reports import compose_report
from ascertain.answering.units.candidates import (
    Candidate,
    Gathered,
    collapse_spaces,
    find_author,
    find_entry,
    find_missing_names,
    find_unmentioned_codes,
    gather_candidates,
    is_bare,
    is_code_asked_for,
    quote_whole,
    restates_question,
    stands_in_works,
)
from ascertain.answering.units.referents import find_referent, insert_referent
from ascertain.answering.units.rows import match_rows
from ascertain.answering.units.tree import complete_steps, complete_unit, list_entries
from ascertain.answering.units.versions import (
    describe_replaced,
    find_change,
    find_later_change,
    find_put_right,
    find_replaced,
    show_version,
)
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Form, Verdict, VerdictLabel
from ascertain.core.asking.passages import Confidence, Passage
from ascertain.core.asking.runs import Run
from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.core.settings import AnswerSettings
from ascertain.language.equivalents import held_terms
from ascertain.language.tokens import fold_words, may_name
from ascertain.models.entail.alignment import is_negation
from ascertain.models.logistic_model import share_chances
from ascertain.models.vectors.sentences import SentenceModels
from ascertain.questions.reading.kinds import FACTS, AnswerKind
from ascertain.questions.reading.question import Question
from ascertain.questions.reading.signs import Sign

# Sentences are chosen greedily: the best sentence first, then the next best that says something else, while it is likely
# enough to hold the answer. One that opens with a pronoun is quoted together with the one before it where its meaning
# cannot be given in brackets.

Matrix = NDArray[np.float64]

LIKELY, LIKELY_PART = 0.1, 0.05
"""Chance of a further sentence to hold the answer, from which it is worth reading; lower where several things are requested
(asked, dev: of 150 second and third sentences below 0.2, 12 held anything that the first did not; with these bounds
two of 148 right answers are lost, and 153 instead of 119 of 178 are as short as a person would write them).
"""
ENOUGH = 0.8
"""Chance that one of the sentences holds the answer, from which a question for one thing needs no further one:
on xquad_en 94 of 100 questions have it among 1.6 sentences in the mean by rules, 96 among 1.4 with the reader.
"""
ENOUGH_OF_PARTS = 0.97
"""The same for a question that asks for several things, each sentence may contain one."""
SAME_WORDS = 0.8
"""Jaccard similarity of content terms from which two sentences say the same."""
SAME_SUMMARY, SAME_SHARE = 0.5, 0.75
"""The same for two sentences of one document, which says most things twice: in its summary and its text. Jaccard
similarity, and share of the shorter one's terms, that both must reach (by eye on the news of the development set).
"""
FEWEST_SAME = 4
"""Content terms of a sentence from which it may be the summary of another."""


TIED = 0.05
"""Log-odds within which sentences are as good as each other: they are ordered by document and place. Scores of passages that
differ by 0.002, as those of two stores do, move a sentence by about as much.
"""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of the answer: its candidate and those that repeat its words exactly in other documents."""

    candidate: int
    echoes: tuple[int, ...] = ()


def choose_sentences(
    candidates: Sequence[Candidate],
    scores: Matrix,
    limit: int,
    language: str,
    *,
    offers_fact: Callable[[Candidate], bool] = lambda _: True,
    enough: float = 1.0,
    likely: float = 0.0,
    offers_kind_asked: Callable[[Candidate], bool] = lambda _: True,
) -> list[Chosen]:
    """At most ``limit`` candidates, in the order a reader should see them: the best one first.

    ``scores`` holds log-odds that a sentence belongs to the answer; no more are chosen once one of those that offer the
    requested kind of thing has the chance ``enough``, and none with less than ``likely``. The
    others follow grouped by document, in text order within one.
    Where no chosen sentence offers the fact (a year, a name), another one that does replaces the weakest:
    in speech the fact is often a sentence of its own.
    """
    order = _rank_candidates(candidates, scores)
    sentences = [i for i in order if np.isfinite(scores[i])] or order
    shares = share_chances(scores)
    before = _find_predecessors(candidates)
    taken: list[int] = []
    together: set[int] = set()
    sure = 0.0
    for i in sentences:
        if taken and (shares[i] < likely or sure >= enough):
            break
        sure += float(shares[i]) * offers_kind_asked(candidates[i])
        same = [rank for rank, j in enumerate(taken) if _says_same(candidates[i], candidates[j], language)]
        if same:
            if len(same) == 1 and _says_more(candidates[i], candidates[taken[same[0]]]):
                taken[same[0]] = i
            continue
        if len(taken) >= limit:
            continue
        taken.append(i)
    if taken and not any(offers_fact(candidates[i]) for i in taken):
        after = {left: right for right, left in before.items()}
        beside = (near.get(i) for i in taken for near in (before, after))
        fact = next((i for i in beside if i is not None and offers_fact(candidates[i])), None)
        if fact is not None:
            taken = [*taken[: limit - 1], fact]
            together.add(fact)
    for i in taken[: limit - 1]:
        author = find_author(candidates, i)
        if author is not None and author not in taken:
            taken = [*taken[: limit - 1], author]
            break
    return [Chosen(i, _find_echoes(candidates, i)) for i in _reading_order(candidates, taken, together)]


def _rank_candidates(candidates: Sequence[Candidate], scores: Matrix) -> list[int]:
    """Best first; those within ``TIED`` of the best of them by document and place."""
    left = [int(i) for i in np.argsort(-scores, kind="stable")]
    order: list[int] = []
    while left:
        tied = [i for i in left if scores[i] >= scores[left[0]] - TIED]
        order += sorted(
            tied, key=lambda i: (candidates[i].document.source, candidates[i].document.id, candidates[i].span)
        )
        left = left[len(tied) :]
    return order


def _find_predecessors(candidates: Sequence[Candidate]) -> dict[int, int]:
    """For each candidate the sentence right before it in its document, where that is a candidate and reads as one."""
    order = sorted(range(len(candidates)), key=lambda i: (candidates[i].document.id, candidates[i].span))
    predecessors: dict[int, int] = {}
    for left, right in pairwise(order):
        a, b = candidates[left], candidates[right]
        between = a.document.text[a.span.end : b.span.start] if a.document.id == b.document.id else "apart"
        if not between.strip() and not a.is_fragment:
            predecessors[right] = left
    return predecessors


def _says_same(one: Candidate, other: Candidate, language: str) -> bool:
    if fold_words(one.text) == fold_words(other.text):
        return True
    a, b = set(one.terms), set(other.terms)
    if not a or not b or not _agrees(one, other, language):
        return False
    shared, jaccard = len(a & b), len(a & b) / len(a | b)
    if jaccard >= SAME_WORDS:
        return True
    shorter = min(len(a), len(b))
    if one.document.id != other.document.id or shorter < FEWEST_SAME:
        return False
    return shared == shorter or (jaccard >= SAME_SUMMARY and shared / shorter >= SAME_SHARE)


def _says_more(one: Candidate, other: Candidate) -> bool:
    """Whether ``one``, of the same document, contains all that ``other`` says, and more."""
    return one.document.id == other.document.id and set(one.terms) > set(other.terms)


def _agrees(one: Candidate, other: Candidate, language: str) -> bool:
    """Whether no figure and no negation of the one conflicts with the other."""
    figures = [{term for term in each.terms if any(map(str.isdigit, term))} for each in (one, other)]
    negations = [
        sum(1 for word in fold_words(each.text).split() if is_negation(word, language)) for each in (one, other)
    ]
    return negations[0] == negations[1] and (figures[0] <= figures[1] or figures[1] <= figures[0])


def _find_echoes(candidates: Sequence[Candidate], index: int) -> tuple[int, ...]:
    """The first candidate of each other document that reads the same."""
    text, found = fold_words(candidates[index].text), dict[str, int]()
    for i, candidate in enumerate(candidates):
        if candidate.document.id != candidates[index].document.id and fold_words(candidate.text) == text:
            found.setdefault(candidate.document.id, i)
    return tuple(found.values())


def _reading_order(candidates: Sequence[Candidate], taken: Sequence[int], together: Collection[int]) -> list[int]:
    """The best first, ``together`` with those that have its fact in text order; the rest by document and
    place.
    """
    documents: dict[str, int] = {}
    for i in taken:
        documents.setdefault(candidates[i].document.id, len(documents))

    def place(i: int) -> tuple[int, Span]:
        return documents[candidates[i].document.id], candidates[i].span

    first = sorted({*taken[:1], *(i for i in taken if i in together)}, key=place)
    return [*first, *sorted((i for i in taken if i not in first), key=place)]


def _put_change_first(candidates: Sequence[Candidate], chosen: Sequence[Chosen], asked: Question) -> list[Chosen]:
    """``chosen``, preceded by the sentence that says that the first of them is outdated."""
    quoted = [candidates[choice.candidate] for choice in chosen]
    right = find_put_right(quoted[0], candidates) if quoted else None
    if right is not None:
        return [Chosen(right), *(each for each in chosen if each.candidate != right)]
    change = find_change(quoted)
    if change is not None and _offers_fact(asked, quoted[change]):
        return [chosen[change], *chosen[:change], *chosen[change + 1 :]]
    # of a question for no fact it cannot be seen whether the other sentence is about what is asked
    offering = [i for i, each in enumerate(candidates) if asked.kind in FACTS and _offers_kind(asked, each)]
    later = find_later_change(asked, quoted[0], [candidates[i] for i in offering]) if quoted else None
    if later is None:
        return list(chosen)
    return [Chosen(offering[later]), *(each for each in chosen if each.candidate != offering[later])]


class ExtractiveComposer:
    """Chooses the sentences of the passages that answer a question and cites them."""

    def __init__(
        self,
        models: SentenceModels,
        document: Callable[[str], Document | None],
        settings: AnswerSettings,
        readers: Readers | None = None,
    ) -> None:
        self._models = models
        self._document = document
        self._settings = settings
        self._readers = readers

    def compose(self, request: WritingRequest, run: Run) -> Composition:
        """Answer from ``request.passages`` with quoted sentences; ``run`` is not charged.

        Composes whenever there is a sentence to quote, however uninformative: whether the answer is shown is decided
        by its confidence, whose level may be NONE. A rejection only where nothing can be quoted or no passage contains a
        code or an option of the question. Sentences that were unsupported in an earlier draft are not chosen again while there are
        others. Raises ModelError when the embedder fails.
        """
        asked = request.question
        if request.report is not None:
            told = compose_report(
                request.report, self._document, self._settings.rejection_threshold, request.question.language
            )
            if told.sentences:
                return told
            return _compose_rejection(asked, request.passages, request.searched, told.decisions)
        considered = request.passages[: self._settings.passages]
        gathered = _of_speaker(
            request.speaker, gather_candidates(considered, self._document, request.question.language)
        )
        gathered = _drop_unsupported(request.unsupported, keep_answering(asked, gathered))
        if not gathered.candidates:
            return _compose_rejection(asked, considered, request.searched, (*gathered.decisions, _NOTHING_TO_QUOTE))
        absent = find_unmentioned_codes((*asked.codes, *asked.names.options), considered)
        if absent:
            decision = Decision("compose", "rejected", f"no passage mentions {', '.join(absent)}")
            return _compose_rejection(asked, considered, request.searched, (*gathered.decisions, decision))
        asks_parts = Sign.PARTS in asked.signs
        rows = match_rows(asked, gathered.candidates, considered)
        replaced = find_replaced(asked, {c.document.id: c.document for c in gathered.candidates})
        gathered = replace(gathered, decisions=(*gathered.decisions, *describe_replaced(replaced, gathered.candidates)))
        rows = [row for row in rows if gathered.candidates[row].document.id not in replaced] or rows
        rows = rows[: self._settings.max_sentences]
        if asks_parts and asked.codes and not rows:
            rows = find_entry(gathered.candidates, asked.codes)
        languages = [passage.chunk.language for passage in considered]
        compared = self._models.describe_choice(asked.language, languages)
        gathered = replace(gathered, decisions=(*gathered.decisions, *compared))
        reading = self._read_evidence(asked, gathered.candidates, considered, rows, replaced=replaced)
        sure = evidence_confidence(
            reading.evidence, find_missing_names(asked, considered), self._settings, request.question.language
        )
        chosen = [Chosen(row) for row in rows] or choose_sentences(
            gathered.candidates,
            reading.scores,
            self._settings.max_sentences,
            request.question.language,
            offers_fact=lambda c: _offers_fact(asked, c),
            enough=ENOUGH_OF_PARTS if asks_parts else ENOUGH,
            likely=LIKELY_PART if asks_parts else LIKELY,
            offers_kind_asked=lambda c: asked.kind in _LOOSE or _offers_kind(asked, c),
        )
        if Sign.PAST not in asked.signs:
            chosen = _put_change_first(gathered.candidates, chosen, asked)
        if reading.notes.reason:
            gathered = replace(gathered, decisions=(*gathered.decisions, _by_rules(reading.notes.reason)))
        return _compose_answer(asked, gathered, chosen, sure, reading=reading)

    def weigh_citations(self, request: WritingRequest, citations: Sequence[Citation]) -> Mapping[str, float]:
        """What the cited sentences by themselves say for and against an answer, as ``Composition.evidence``.

        Empty where none of them is a sentence of the passages. Raises ModelError when the embedder fails.
        """
        considered = request.passages[: self._settings.passages]
        places = [(citation.document_id, citation.span) for citation in citations]
        asked, candidates = (
            request.question,
            gather_candidates(considered, self._document, request.question.language).candidates,
        )
        own = [
            i
            for i, candidate in enumerate(candidates)
            if any(key == candidate.document.id and candidate.span.overlap(span) for key, span in places)
        ]
        if not own:
            return {}
        cited = self._read_evidence(asked, [candidates[i] for i in own], considered).evidence
        every = self._read_evidence(asked, candidates, considered).scores
        return {**cited, CHOICE: weigh_choice(every, own)}

    def _read_evidence(
        self,
        asked: Question,
        candidates: Sequence[Candidate],
        passages: Sequence[Passage],
        matched: Collection[int] = (),
        *,
        replaced: Collection[str] = (),
    ) -> WeighedEvidence:
        return read_evidence(
            asked,
            candidates,
            passages,
            self._models.choose(asked.language, [passage.chunk.language for passage in passages]),
            matched=matched,
            replaced=replaced,
            readers=self._readers,
        )


def keep_answering(question: Question, gathered: Gathered) -> Gathered:
    """What may answer: nothing that only repeats the question, no entry of a list of works where the question is not for a work, and of
    code what it names, like a sentence.
    """
    asks_works = Sign.WORK in question.signs
    kept = [
        each
        for each in gathered.candidates
        if not restates_question(question, each) and (asks_works or not stands_in_works(each))
    ]
    says_what = question.kind is AnswerKind.DEFINITION
    kept = [each for each in kept if not is_bare(each) and not (says_what and _is_code_beside(question, each))] or kept
    fitted = (_with_terms_asked(question, each) for each in kept)
    return replace(
        gathered,
        candidates=tuple(replace(c, is_fragment=False) if is_code_asked_for(question, c) else c for c in fitted),
    )


def _is_code_beside(question: Question, candidate: Candidate) -> bool:
    """Whether a candidate is code without what the question names in the spelling of code: an example does not define anything."""
    around = candidate.document.tree.around(candidate.span.start)
    is_code = candidate.is_fragment and bool(around) and around[-1].kind is BlockKind.CODE
    return is_code and not is_code_asked_for(question, candidate)


def _with_terms_asked(question: Question, candidate: Candidate) -> Candidate:
    """The candidate with those terms of the question that it contains in another spelling."""
    more = held_terms(candidate.text, question.language).intersection(question.weights).difference(candidate.terms)
    return replace(candidate, terms=(*candidate.terms, *sorted(more))) if more else candidate


def _drop_unsupported(unsupported: Sequence[str], gathered: Gathered) -> Gathered:
    dropped = {collapse_spaces(text) for text in unsupported}
    # what was shown may be more than the sentence: the quotation it is part of
    kept = tuple(each for each in gathered.candidates if not any(each.text in text for text in dropped))
    return replace(gathered, candidates=kept) if kept else gathered


def _of_speaker(asked: str, gathered: Gathered) -> Gathered:
    """What the requested speaker says; everything where none of it is known to be theirs."""
    if not asked:
        return gathered
    own = tuple(
        each
        for each in gathered.candidates
        if (speaker := each.document.place_of(each.span).speaker) and may_name(speaker, asked)
    )
    return replace(gathered, candidates=own) if own else gathered


_LOOSE = frozenset({AnswerKind.REASON, AnswerKind.DEFINITION})
"""Kinds that are often given without a word that marks them."""


def _offers_fact(question: Question, candidate: Candidate) -> bool:
    return question.kind not in (*FACTS, AnswerKind.REASON) or _offers_kind(question, candidate)


def _offers_kind(question: Question, candidate: Candidate) -> bool:
    return offers_kind(question.kind, candidate.text, question.weights.keys(), question.language)


def _by_rules(reason: str) -> Decision:
    return Decision("compose", "read by rules alone", reason)


_NOTHING_TO_QUOTE = Decision("compose", "rejected", "no passage that can be quoted was found")


def _compose_rejection(
    question: Question, passages: Sequence[Passage], searched: str, decisions: tuple[Decision, ...]
) -> Composition:
    text = rejection_text(question, passages, searched)
    return Composition(text, (), (), confidence_of(0, 1, question.language), decisions, AnswerType.REJECTION)


def _compose_answer(
    asked: Question, gathered: Gathered, chosen: Sequence[Chosen], confidence: Confidence, *, reading: WeighedEvidence
) -> Composition:
    citations: list[Citation] = []
    sentences: list[AnswerSentence] = []
    shown: list[Candidate] = []
    quoted = [(_show_whole(asked, gathered.candidates[choice.candidate]), choice.echoes) for choice in chosen]
    answer = _find_answer(gathered.candidates, chosen, reading.notes)
    for index, (said, echoes) in enumerate(quoted):
        if any(_holds_quote(other, said, rank < index) for rank, (other, _) in enumerate(quoted) if rank != index):
            continue
        numbers = tuple(
            _number_citation(citations, source.document, span, answer)
            for source in (said, *(gathered.candidates[echo] for echo in echoes))
            for span in ((source.span,) if source.header is None else (source.header, source.span))
        )
        referent = find_referent(said.document, said.span) if said.header is None else ""
        told = insert_referent(said.text, referent)
        sentences.append(AnswerSentence(told, Verdict(VerdictLabel.SUPPORTED, 1.0), numbers, referent))
        shown.append(replace(said, text=told))
        for entry in list_entries(said):
            number = _number_citation(citations, entry.document, entry.span, answer)
            verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
            sentences.append(AnswerSentence(entry.text, verdict, (number,), form=Form.ITEM))
            shown.append(entry)
    documents = len({citation.document_id for citation in citations})
    decision = Decision(
        "compose",
        "answered",
        f"{len(sentences)} of {len(gathered.candidates)} sentences quoted, from {documents} document(s)",
        {"confidence": float(confidence.score), **reading.evidence},
    )
    return Composition(
        text=_join_paragraphs(shown),
        sentences=tuple(sentences),
        citations=tuple(citations),
        confidence=confidence,
        decisions=(*gathered.decisions, decision),
        type=AnswerType.SUMMARY,
        evidence=dict(reading.evidence),
    )


def _show_whole(asked: Question, candidate: Candidate) -> Candidate:
    """A chosen candidate as it is shown: the unit that it stands in, with what it announces, under the version that is asked for."""
    whole = quote_whole(complete_unit(asked, candidate), asked)
    return show_version(asked, complete_steps(asked, whole))


def _find_answer(
    candidates: Sequence[Candidate], chosen: Sequence[Chosen], notes: PassageNotes
) -> tuple[str, Span] | None:
    """Document and characters of the words that answer, from the likeliest of the chosen sentences, where they are
    likelier than none.

    Of one sentence only: the others add to it, and marks in each would hide which one answers.
    """
    read = [choice.candidate for choice in chosen if choice.candidate in notes.answers]
    best = max(read, key=lambda i: notes.spans[i], default=None)
    if best is None or notes.spans[best] <= 0 or find_put_right(candidates[best], candidates) is not None:
        return None
    return candidates[best].document.id, notes.answers[best]


def _number_citation(citations: list[Citation], document: Document, span: Span, answer: tuple[str, Span] | None) -> int:
    """The number of the citation of ``span``, added to ``citations`` where it is new, with the ``answer`` in
    it.
    """
    for citation in citations:
        if (citation.document_id, citation.span) == (document.id, span):
            return citation.number
    words = answer[1] if answer and answer[0] == document.id and span.contains(answer[1]) else None
    citations.append(cite_span(len(citations) + 1, document, span, answer=words))
    return len(citations)


def _holds_quote(other: Candidate, said: Candidate, is_earlier: bool) -> bool:
    """Whether ``said`` is already in ``other``; of two that are the same, in the earlier one."""
    if other.document.id != said.document.id or not other.span.contains(said.span):
        return False
    return is_earlier or other.span != said.span


def _join_paragraphs(answer: Sequence[Candidate]) -> str:
    """The sentences as text, those of each document a paragraph; each row and each block of lines is one too."""
    paragraphs: list[str] = []
    before: Candidate | None = None
    for candidate in answer:
        goes_on = before is not None and before.document.id == candidate.document.id
        if candidate.is_entry:
            lead = "\n" if before is not None and before.is_entry else "\n\n"
            paragraphs[-1] += f"{lead}- {candidate.text}"
        elif goes_on and candidate.header is None and "\n" not in paragraphs[-1] + candidate.text:
            paragraphs[-1] += f" {candidate.text}"
        else:
            paragraphs.append(candidate.text)
        before = candidate
    return "\n\n".join(paragraphs)
