"""Evaluating an answer by rules: relevance, completeness and accuracy, and what is wrong with it (AN-6).

Relevance is the chance, in percent, that the answer responds to the question: a logistic model over the words of the question
that its sentences contain, the requested fact, and what else the passages contain. The weights are in ``models/weights``;
``bench/fit/evaluation.py`` fits them, ``bench/answers/evaluator.py`` says how well they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from ascertain.answering.citations import tells_row
from ascertain.answering.confidence import Assessment
from ascertain.answering.matching.kinds import mentions_identifier
from ascertain.answering.matching.telling import MOST_READ, Telling, read_telling
from ascertain.answering.matching.word_matching import SAME_ROOT, meet_word, read_words
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation
from ascertain.core.asking.judgements import GOOD_QUALITY, AnswerIssue, Evaluation
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.plans import Complexity, Plan, QuestionType
from ascertain.core.asking.runs import Run
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms, fold_words, stem_word, word_informativeness
from ascertain.models.logistic_model import convert_log_odds, load_logistic_model
from ascertain.models.vectors.similarity import find_crossing, rate_crossing
from ascertain.questions.reading.facts import FIGURES, LOOSE_FACTS, OPEN_FACTS, AskedFact
from ascertain.questions.reading.names import fold_key
from ascertain.questions.reading.question import read_question
from ascertain.questions.reading.signs import asks_yes_or_no

RELEVANCE_FEATURES = (
    "together",
    "said",
    "said_itself",
    "lead",
    "fact_absent",
    "head_missing",
    "announces",
    "documents",
    "confidence",
)


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """An answer against its question. ``met``: how far each content word is matched by a sentence with its title, section,
    speaker and date, 0..1. ``signals`` by name, as ``RELEVANCE_FEATURES``:

    - together: the most of the question that one sentence matches; said: what all of them match; said_itself: the same
      without what only titles, sections and speakers say;
    - lead: how much more one sentence matches than any other sentence of the passages does;
    - fact_absent: no sentence gives the requested fact; head_missing: nothing matches the words that name it;
    - announces: the best sentence ends in a colon, and what it introduces is not quoted;
    - documents: how many beyond the first are quoted; confidence: of the passages, 0..1.
    """

    telling: Telling
    met: Mapping[str, float]
    has_fact: bool
    has_news: bool
    """Whether a sentence says anything beyond the words of the question, and is not just a heading."""
    signals: Mapping[str, float]
    is_other_office: bool = False
    """Whether the question asks for the holder of one office, and no sentence mentions that office."""


def read_answer(answer: Assessment) -> AnswerReading:
    """Read the sentences of ``answer``, of which there is at least one."""
    composition = answer.composition
    telling = read_telling(answer.question, answer.passages)
    cited = {citation.number: citation for citation in composition.citations}
    quoted = [_find_cited(sentence, cited) for sentence in composition.sentences]
    texts = [sentence.text for sentence in composition.sentences]
    subject = fold_key(answer.question.subject, answer.question.language)
    headings = [_find_heading(telling, subject, citations) for citations in quoted]
    offered = [
        # text under the name of a thing says what it is
        (telling.asked.fact is AskedFact.DEFINITION and bool(heading))
        or _offers_fact(telling, _told_text(sentence, citations), citations)
        for sentence, citations, heading in zip(composition.sentences, quoted, headings, strict=True)
    ]
    itself = [
        telling.meet_words(read_words(f"{heading} {_complete_terse(telling, text, c)}", answer.question.language))
        for text, c, heading in zip(texts, quoted, headings, strict=True)
    ]
    rows = [
        _add_context(telling, own, _read_place(citations, answer.question.language), has_fact)
        for own, citations, has_fact in zip(itself, quoted, offered, strict=True)
    ]
    met = {word: max(row[word] for row in rows) for word in telling.weights}
    coverages = [telling.coverage(row) for row in rows]
    best = max(range(len(rows)), key=coverages.__getitem__)
    heads = [met[word] for word in telling.asked.heads if word in met]
    signals = {
        "together": coverages[best],
        "said": telling.coverage(met),
        "said_itself": telling.coverage({word: max(row[word] for row in itself) for word in telling.weights}),
        "lead": coverages[best]
        - _find_best_other(telling, answer.passages, [sentence.said for sentence in composition.sentences]),
        "fact_absent": float(not any(offered)),
        "head_missing": 1.0 - sum(heads) / len(heads) if heads else 0.0,
        "announces": float(texts[best].rstrip().endswith(":") and not _goes_on(quoted, best)),
        "documents": float(len({citation.document_id for citations in quoted for citation in citations[:1]}) - 1),
        "confidence": composition.confidence.score / 100,
    }
    over = {fold_words(text) for passage in answer.passages for text in _list_headings(passage)}
    # yes-or-no questions are answered in the words of the question
    states = telling.asked.fact is AskedFact.YES_OR_NO
    has_news = any(
        (fold_words(text.strip()) not in over or (telling.asked.fact is AskedFact.DATE and telling.offers_fact(text)))
        and (
            set(content_terms(text, answer.question.language)) - telling.known
            or (states and not asks_yes_or_no(text, answer.question.language))
        )
        for text in texts
    )
    office = answer.question.office
    told = [
        read_words(f"{text} {' '.join(c.title for c in citations)}", answer.question.language)
        for text, citations in zip(texts, quoted, strict=True)
    ]
    is_other = bool(office) and not any(
        all(meet_word(word, words, answer.question.language) for word in office) for words in told
    )
    return AnswerReading(telling, met, any(offered), has_news, signals, is_other)


ASKS_THE_SAME = 0.4
"""How much of a question a heading that is itself a question must contain for the text under it to answer it."""


def _find_heading(telling: Telling, subject: tuple[str, ...], citations: Sequence[Citation]) -> str:
    """The heading, or the title, over a sentence where it is the ``subject`` asked about, contains the requested code, or asks the same: the
    sentence need not repeat it.
    """
    over = [name for each in citations for name in (*(each.place.section or ())[-1:], each.title)]
    return next(
        (name for name in over if subject and fold_key(name, telling.question.language) == subject), ""
    ) or next((name for name in over if _asks_the_same(telling, name) or _holds_code(telling, name)), "")


def _holds_code(telling: Telling, heading: str) -> bool:
    return any(mentions_identifier(heading, code) for code in telling.question.codes)


def _asks_the_same(telling: Telling, heading: str) -> bool:
    return (
        heading.rstrip().endswith("?")
        and telling.coverage(telling.meet_words(read_words(heading, telling.question.language))) >= ASKS_THE_SAME
    )


def _list_headings(passage: Passage) -> Iterable[str]:
    yield from (passage.chunk.title, passage.chunk.heading, passage.chunk.heading.rpartition(" › ")[2])


def _find_cited(sentence: AnswerSentence, cited: Mapping[int, Citation]) -> list[Citation]:
    return [cited[number] for number in sentence.citations if number in cited]


def _told_text(sentence: AnswerSentence, citations: Sequence[Citation]) -> str:
    """What a sentence says: its speaker is not a name that it gives."""
    is_spoken = any(citation.place.speaker == sentence.referent for citation in citations)
    return sentence.said if is_spoken else sentence.text


def _offers_fact(telling: Telling, text: str, citations: Sequence[Citation]) -> bool:
    """Whether a sentence gives the requested fact; in a row, a figure in a column that the question names does."""
    fact = telling.asked.fact
    if telling.offers_fact(text):
        return True
    if fact not in FIGURES or not tells_row(text, citations):
        return False
    cells = (part.partition(": ") for part in text.split(" | "))
    return any(
        any(map(str.isdigit, cell))
        and any(
            meet_word(word, read_words(name, telling.question.language), telling.question.language) >= SAME_ROOT
            for word in telling.weights
        )
        for name, _, cell in cells
    )


TERSE = 3
"""Content terms of an answer that gives the fact and nothing else: "In 1912.", "Ada Stone"."""


def _complete_terse(telling: Telling, text: str, citations: Sequence[Citation]) -> str:
    """A terse sentence that gives the requested fact, with the quotations that contain all of it: they say the rest."""
    terms, fact = set(content_terms(text, telling.question.language)), telling.asked.fact
    if not 0 < len(terms) <= TERSE or fact in OPEN_FACTS or not telling.offers_fact(text):
        return text
    quotes = [
        citation.quote
        for citation in citations
        if terms <= set(content_terms(citation.quote, telling.question.language))
    ]
    return " ".join((text, *quotes))


def _read_place(citations: Sequence[Citation], language: str) -> frozenset[str]:
    """What a reader sees at the citations: title, section, speaker and day."""
    shown = (
        f"{c.title} {c.place.section or ''} {c.place.speaker or ''} {_spell_date(c.published_at)}" for c in citations
    )
    return read_words(" ".join(shown), language)


def _spell_date(date: datetime | None) -> str:
    return f"{date:%A} {date.day} {date:%B} {date.year}" if date else ""


_IN_AMOUNT = 0.8
"""How far a figure in a sentence matches the words that ask for it ("price", "how big")."""
IN_PLACE = 0.8
"""How far a title, section, speaker or date over a sentence matches a word of the question."""


def _add_context(telling: Telling, met: Mapping[str, float], place: Set[str], has_fact: bool) -> dict[str, float]:
    """``met`` by a sentence, with what stands over it and what the fact in it says."""
    over = telling.meet_words(place)
    whole = {word: max(held, IN_PLACE * over[word]) for word, held in met.items()}
    if has_fact:
        whole |= {word: max(whole[word], _IN_AMOUNT) for word in telling.amounts}
    return whole


def _find_best_other(telling: Telling, passages: Sequence[Passage], taken: Sequence[str]) -> float:
    """The most of the question that a sentence of ``passages`` outside the answer matches."""
    best = 0.0
    for passage in passages[:MOST_READ]:
        chunk = passage.chunk
        place = read_words(
            f"{chunk.heading} {chunk.title} {_spell_date(chunk.published_at)}", telling.question.language
        )
        headings = set(map(fold_words, _list_headings(passage)))
        for span in split_sentences(chunk.text):
            text = span.of(chunk.text)
            if text.rstrip().endswith("?") or any(text in one or one in text for one in taken):
                continue
            if fold_words(text.strip()) in headings:
                continue
            has_fact = telling.offers_fact(text)
            met = _add_context(
                telling, telling.meet_words(read_words(text, telling.question.language)), place, has_fact
            )
            best = max(best, telling.coverage(met))
    return best


_GAP = 12
"""Characters between two consecutive quotations: white space, a bullet, a number."""


def _goes_on(quoted: Sequence[Sequence[Citation]], at: int) -> bool:
    """Whether the sentence after ``at`` is quoted from right after it."""
    here, behind = (quoted[i][0] if i < len(quoted) and quoted[i] else None for i in (at, at + 1))
    if here is None or behind is None or here.document_id != behind.document_id:
        return False
    return 0 <= behind.span.start - here.span.end <= _GAP


COMPLETENESS, ACCURACY = 0.5, 0.5
"""Shares of the score; both are multiplied by the relevance, as an answer to another question is worth nothing, however well supported."""
COVERED = 0.5
"""Share of the weight of a part's words from which the answer covers it."""
HALF = 50
"""Relevance below which the answer more likely than not misses the question."""
UNTOLD = 0.4
"""The highest relevance of an answer without the requested fact: too little at either gate. ``LOOSE_FACTS`` are
exempt."""
TOUCHED = 0.2
"""Share of the question's weight that the sentences match by themselves, below which relevance is limited to it too. Of 259 right
answers of asked (dev) and xquad_en two match less."""
JUDGED = 0.55
"""Confidence of the passages, 0..1, from which an answer may share no content word with the question: the judge found that it answers in other
words. ``asked`` and ``wild`` dev stay the same to the question with it, near misses too.
"""
ESSENTIAL = 0.9
"""Informativeness from which a word in the passages that the answer omits is a missing detail."""


def weigh_scores(relevance: float, completeness: float, accuracy: float) -> int:
    """The score of an answer, in the unit of the three."""
    return round(relevance * (COMPLETENESS * completeness + ACCURACY * accuracy) / 100)


class RuleEvaluator:
    """Compares the answer's words with those of the question and the passages; needs no model."""

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Scores 0..100 and issues, most important first; ``run`` is not charged.

        Relevance: the chance that it responds to the question; 0 where it only repeats the question, and where it shares no
        content word with it and does not give the requested fact, unless the judge of the passages found that it answers. Completeness: parts of the question covered, half
        of that without the requested fact. Accuracy: groundedness.
        """
        composition = answer.composition
        if composition.type is AnswerType.REJECTION or not composition.sentences:
            issues = (AnswerIssue.RETRIEVAL_LIMITED, AnswerIssue.CONTEXTUAL_GAPS)
            return Evaluation(0, 0, 0, 0, issues, "nothing was answered")
        crossing = find_crossing(answer.passages)
        if crossing is not None:
            near, accuracy = round(100 * rate_crossing(crossing)), round(100 * answer.groundedness.score)
            return Evaluation(
                weigh_scores(near, 100, accuracy), near, 100, accuracy, (), "quoted from another language"
            )
        reading = read_answer(answer)
        parts = [_cover_part(part.text, answer) for part in plan.sub_queries] or [reading.signals["said"]]
        relevance = round(100 * _judge_relevance(reading))
        spoken = sum(min(part / COVERED, 1.0) for part in parts) / len(parts)
        completeness = round(100 * spoken * (1.0 if reading.has_fact else 0.5))
        accuracy = round(100 * answer.groundedness.score)
        found = {
            **_of_support(answer),
            **_of_focus(reading, relevance),
            **_of_extent(plan, parts, reading, answer),
            **_of_retrieval(answer),
        }
        return Evaluation(
            weigh_scores(relevance, completeness, accuracy),
            relevance,
            completeness,
            accuracy,
            tuple(found),
            "; ".join(found.values()) or "speaks of what was asked, supported",
        )


def _cover_part(part: str, answer: Assessment) -> float:
    reading = read_answer(replace(answer, question=read_question(part, answer.question.language)))
    return reading.signals["said"]


def _judge_relevance(reading: AnswerReading) -> float:
    model = load_logistic_model("answer_relevance", RELEVANCE_FEATURES)
    return min(convert_log_odds(model.weigh_features(reading.signals)), limit_relevance(reading))


def limit_relevance(reading: AnswerReading) -> float:
    """The highest allowed relevance, 0..1, whatever its model says."""
    fact = reading.telling.asked.fact
    itself = reading.signals["said_itself"]
    is_strange = itself == 0 and (fact in OPEN_FACTS or not reading.has_fact)
    is_strange = is_strange and reading.signals["confidence"] < JUDGED
    if is_strange or not reading.has_news or reading.is_other_office:
        return 0.0
    is_told = itself >= TOUCHED and (reading.has_fact or fact in LOOSE_FACTS)
    return 1.0 if is_told else UNTOLD


def _of_support(answer: Assessment) -> dict[AnswerIssue, str]:
    unsupported = answer.groundedness.unsupported
    if not unsupported:
        return {}
    return {AnswerIssue.UNSUPPORTED_CLAIMS: f"{len(unsupported)} of {len(answer.groundedness.claims)} claims"}


def _of_focus(reading: AnswerReading, relevance: int) -> dict[AnswerIssue, str]:
    found: dict[AnswerIssue, str] = {}
    fact = reading.telling.asked.fact
    if not reading.has_fact:
        found[AnswerIssue.LACKS_SPECIFICITY] = f"asked for {fact.replace('_', ' ')}, none is given"
    if not reading.has_news:
        found[AnswerIssue.WRONG_FOCUS] = "only repeats the question, or is a heading"
    elif reading.is_other_office:
        found[AnswerIssue.WRONG_FOCUS] = "tells of another office than the one asked for"
    elif relevance < HALF and (reading.has_fact or reading.signals["said"] < COVERED):
        unmet = [word for word, held in reading.met.items() if held == 0]
        silent = f"says nothing of {', '.join(unmet[:3])}" if unmet else "other sentences are nearer to the question"
        found[AnswerIssue.WRONG_FOCUS] = silent
    return found


def _of_extent(plan: Plan, parts: list[float], reading: AnswerReading, answer: Assessment) -> dict[AnswerIssue, str]:
    found: dict[AnswerIssue, str] = {}
    silent = sum(part < COVERED for part in parts)
    if silent and plan.sub_queries:
        found[AnswerIssue.PARTIAL_ANSWER] = f"{silent} of {len(parts)} parts of the question are not spoken of"
    needs_several = plan.complexity is Complexity.COMPLEX or plan.type is QuestionType.COMPARATIVE
    documents = {citation.document_id for citation in answer.composition.citations}
    if needs_several and len(documents) < 2 <= len({p.chunk.document_id for p in answer.passages}):
        found[AnswerIssue.INCOMPLETE_SYNTHESIS] = "brings together one document only"
    read = frozenset[str]().union(
        *(read_words(p.chunk.indexed_text, answer.question.language) for p in answer.passages)
    )
    left_out = [
        word
        for word, held in reading.met.items()
        if held == 0
        and word_informativeness(stem_word(word, answer.question.language), answer.question.language) >= ESSENTIAL
        and meet_word(word, read, answer.question.language) > 0
    ]
    if left_out and not silent:
        found[AnswerIssue.MISSING_DETAILS] = f"leaves out {', '.join(left_out[:3])}"
    return found


def _of_retrieval(answer: Assessment) -> dict[AnswerIssue, str]:
    found: dict[AnswerIssue, str] = {}
    if answer.quality.score < GOOD_QUALITY:
        found[AnswerIssue.RETRIEVAL_LIMITED] = f"the passages were poor ({answer.quality.score})"
    if answer.sufficiency.gaps:
        gaps = ", ".join(gap.what for gap in answer.sufficiency.gaps[:3])
        found[AnswerIssue.CONTEXTUAL_GAPS] = f"the passages lack: {gaps}"
    return found


class Evaluator(Protocol):
    """Evaluates an answer (AN-6)."""

    def evaluate(self, plan: Plan, answer: Assessment, run: Run) -> Evaluation:
        """Relevance, completeness, accuracy, and what is wrong."""
        ...
