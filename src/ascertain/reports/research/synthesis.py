"""The synthesiser: what is known of each sub-question, in sentences that cite, and where sources disagree.

Each sub-question is answered by the composer of ``ask``: quoted sentences, or a chat model's with located quotes. What
is less sure than ``answers.rejection_threshold`` is no finding; the sub-question stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from statistics import fmean

from ascertain.answering.checking.evaluation import Evaluator
from ascertain.answering.checking.verification import Verify, label_of
from ascertain.answering.composition import WritingRequest, drop_unsupported
from ascertain.answering.confidence import Assessment
from ascertain.answering.generative import Composer
from ascertain.core.asking.answers import AnswerType, VerdictLabel
from ascertain.core.asking.passages import Confidence, Filter, Passage
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import Disagreement, ReportSentence
from ascertain.language.languages import question_language
from ascertain.language.tokens import content_terms
from ascertain.models.ports import ClaimPair, EntailmentModel
from ascertain.questions.reading.question import read_question
from ascertain.reports.research.citations import RunCitations
from ascertain.reports.research.disputes import can_dispute
from ascertain.reports.research.planning import is_bare_subject
from ascertain.reports.research.retrieving import simple_plan
from ascertain.retrieval.model_judging import RetrievalJudge, SufficiencyCheck

MOST_PAIRS = 40
"""Pairs of quotations that are compared; the nearest first."""
MOST_DOCUMENTS, MOST_SHOWN = 5, 6
"""Documents that are asked about a bare subject, and sentences shown: half a minute of reading (by judgement)."""
LONGEST_SHOWN = 400
"""Characters of a sentence of prose; what is longer is code or a table (by eye on documentation)."""
MOST_OF_SURVEY = 69
"""The highest score of medium confidence."""
SAME_SUBJECT = 0.4
"""Share of the words of the shorter of two sentences that the other has, from which they may be on one matter (by
judgement: under it the checker of claims finds nothing close anyway)."""


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What answers one sub-question, and how surely, 0..100; no findings where nothing does."""

    findings: tuple[ReportSentence, ...] = ()
    confidence: int = 0


@dataclass(frozen=True, slots=True)
class Synthesiser:
    """The steps of ``ask`` by those names; ``verify`` checks a composition, ``threshold`` is the confidence from which
    something is shown. Where no chat model writes (``is_quoting``), a bare subject is shown document by document: quotations
    are chosen for a question, and it asks none.
    """

    composer: Composer
    judge: RetrievalJudge
    sufficiency: SufficiencyCheck
    evaluator: Evaluator
    verify: Verify
    assess: Callable[[Assessment], Confidence]
    entailment: EntailmentModel
    threshold: int
    support: float
    is_quoting: bool = False

    def answer(
        self, asked: str, passages: Sequence[Passage], filter: Filter, citations: RunCitations, run: Run
    ) -> PartAnswer:
        """The findings for one sub-question; none where what was found does not answer it."""
        answer = self._survey_documents if self.is_quoting and is_bare_subject(asked) else self._answer_once
        return answer(asked, passages, filter, citations, run)

    def _answer_once(
        self, asked: str, passages: Sequence[Passage], filter: Filter, citations: RunCitations, run: Run
    ) -> PartAnswer:
        plan = simple_plan(asked)
        question = read_question(asked, question_language(asked))
        quality = self.judge.judge(asked, question.language, plan, passages, run)
        sufficiency = self.sufficiency.check(asked, plan, passages, filter, run, language=question.language)
        made = self.composer.compose(WritingRequest(question, tuple(passages), quality.score), run)
        if made.type is AnswerType.REJECTION:
            return PartAnswer()
        groundedness = self.verify(made, passages, asked, question.language, run)
        if made.quoted is not None:
            kept = drop_unsupported(made, groundedness)
            made = kept or made.quoted
            groundedness = made.checked or self.verify(made, passages, asked, question.language, run)
        assessment = Assessment(question, made, tuple(passages), quality, sufficiency, groundedness)
        assessment = replace(assessment, evaluation=self.evaluator.evaluate(plan, assessment, run))
        sure = self.assess(assessment).score
        if sure < self.threshold:
            return PartAnswer()
        numbers = citations.adopt(made.citations)
        findings = (
            ReportSentence(sentence.text, tuple(numbers[n] for n in sentence.citations if n in numbers))
            for sentence in made.sentences
        )
        return PartAnswer(tuple(findings), sure)

    def _survey_documents(
        self, subject: str, passages: Sequence[Passage], filter: Filter, citations: RunCitations, run: Run
    ) -> PartAnswer:
        """What each of the first documents says of ``subject``, which asks nothing: a sentence of each, then the next of each.

        Nothing tells what a report on a bare subject has to hold, so it is of medium confidence at most.
        """
        documents: dict[str, list[Passage]] = {}
        for passage in passages:
            documents.setdefault(passage.chunk.document_id, []).append(passage)
        answers: list[PartAnswer] = []
        for own in list(documents.values())[:MOST_DOCUMENTS]:
            if answers and run.is_out_of_time:
                break
            made = self._answer_once(subject, own, filter, citations, run)
            readable = tuple(finding for finding in made.findings if _reads_well(finding))
            if readable:
                answers.append(replace(made, findings=readable))
        if not answers:
            return PartAnswer()
        turns = zip_longest(*(each.findings for each in answers))
        chosen = [finding for turn in turns for finding in turn if finding is not None][:MOST_SHOWN]
        kept = tuple(finding for each in answers for finding in each.findings if finding in chosen)
        return PartAnswer(kept, min(MOST_OF_SURVEY, round(fmean(each.confidence for each in answers))))

    def find_disagreements(
        self, findings: Sequence[ReportSentence], citations: RunCitations, run: Run, language: str
    ) -> tuple[Disagreement, ...]:
        """Quotations of different documents that cannot both be true."""
        cited = sorted({number for finding in findings for number in finding.citations})
        every = {number: citations.all[number - 1] for number in cited}
        pairs = [
            (one, other)
            for one, other in combinations(cited, 2)
            if every[one].document_id != every[other].document_id
            and _share_subject(every[one].quote, every[other].quote, language)
            and can_dispute(every[one].quote, every[other].quote)
        ][:MOST_PAIRS]
        said = (
            self.entailment.check([ClaimPair(every[a].quote, every[b].quote, language=language) for a, b in pairs], run)
            if pairs
            else []
        )
        return tuple(
            Disagreement(one, other, support.reason)
            for (one, other), support in zip(pairs, said, strict=True)
            if label_of(support, self.support) is VerdictLabel.CONTRADICTED
        )


def _reads_well(finding: ReportSentence) -> bool:
    """Whether it can stand in a survey: no question, no listing."""
    return len(finding.text) <= LONGEST_SHOWN and not finding.text.rstrip(' ”"').endswith("?")


def _share_subject(one: str, other: str, language: str) -> bool:
    first, second = set(content_terms(one, language)), set(content_terms(other, language))
    fewest = min(len(first), len(second))
    return fewest > 0 and len(first & second) >= SAME_SUBJECT * fewest


def order_findings(findings: Sequence[ReportSentence], language: str) -> tuple[int, ...]:
    """Indexes of the findings worth showing, by sub-question: what repeats an earlier one is left out."""
    shown: list[frozenset[str]] = []
    kept: list[int] = []
    for index, finding in sorted(enumerate(findings), key=lambda each: (each[1].sub_question, each[0])):
        words = frozenset(content_terms(finding.text, language))
        if any(_says_same(words, other) for other in shown):
            continue
        shown.append(words)
        kept.append(index)
    return tuple(kept)


SAME_WORDS = 0.8
"""Jaccard similarity of content terms from which two sentences say the same, as in quoted answers."""


def _says_same(one: frozenset[str], other: frozenset[str]) -> bool:
    union = one | other
    return bool(union) and len(one & other) >= SAME_WORDS * len(union)
