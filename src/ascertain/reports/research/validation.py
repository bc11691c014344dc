"""The answer to "is it true that …?": a verdict, and the sentences for it and against it, quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import ClaimCheck, ClaimOrigin, ClaimVerdict
from ascertain.reports.research.citations import FindDocument, RunCitations
from ascertain.reports.research.claims import ClaimChecker, ClaimToCheck, FindPassages

MOST_CONFIDENCE = 90
"""Of a verdict by words alone (by judgement: no evidence is certain, see ``answering.confidence``)."""
_LEADS = {
    ClaimVerdict.SUPPORTED: "Supported: the documents say so.",
    ClaimVerdict.CONTRADICTED: "Contradicted: the documents say otherwise.",
    ClaimVerdict.NOT_ESTABLISHED: "Not established: the documents say both.",
}


@dataclass(frozen=True, slots=True)
class ClaimValidator:
    """``find`` gives the passages that ``checker`` reads."""

    checker: ClaimChecker
    find: FindPassages
    document: FindDocument

    def validate(self, claim: str, language: str, filter: Filter, run: Run) -> GlobalAnswer | None:
        """The verdict on ``claim`` with what it rests on; None where nothing speaks for it or against it."""
        citations = RunCitations((), self.document)
        (check,) = self.checker.check([ClaimToCheck(claim, ClaimOrigin.QUESTION)], citations, run, filter, language)
        numbers = tuple(dict.fromkeys((*check.evidence_for, *check.evidence_against)))
        if not numbers:
            return None
        cited = [each for each in citations.all if each.number in numbers]
        how = f"{check.verdict.words}: {check.reason}"
        score = _rate_verdict(check)
        composition = Composition(
            text="\n\n".join(
                (
                    _LEADS[check.verdict],
                    *_quote_side("For", check.evidence_for, cited),
                    *_quote_side("Against", check.evidence_against, cited),
                )
            ),
            sentences=tuple(_quote_sentence(citation) for citation in cited),
            citations=tuple(cited),
            confidence=confidence_of(score, 0, language),
            decisions=(Decision("compose", "verdict", f"{how}; {count_noun(len(cited), 'quotation')}"),),
            type=AnswerType.SUMMARY,
        )
        passages = _find_cited(self.find(claim, language, filter, run), cited)
        return GlobalAnswer(composition, passages, filter, score, how, {"support": round(check.score, 3)})


def _quote_sentence(citation: Citation) -> AnswerSentence:
    verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
    return AnswerSentence(collapse_spaces(citation.quote), verdict, (citation.number,))


def _quote_side(side: str, numbers: Sequence[int], cited: Sequence[Citation]) -> list[str]:
    return [f"{side}: {collapse_spaces(each.quote)}" for each in cited if each.number in numbers]


def _rate_verdict(check: ClaimCheck) -> int:
    """How sure the verdict is, 0..100: the support found, or where there is none, what is left without it."""
    if check.verdict is ClaimVerdict.NOT_ESTABLISHED:
        return MOST_CONFIDENCE // 2
    share = check.score if check.verdict is ClaimVerdict.SUPPORTED else 1.0 - check.score
    return min(MOST_CONFIDENCE, round(100 * share))


def _find_cited(passages: Sequence[Passage], cited: Sequence[Citation]) -> tuple[Passage, ...]:
    return tuple(
        passage
        for passage in passages
        if any(
            passage.chunk.document_id == citation.document_id and passage.chunk.span.overlap(citation.span)
            for citation in cited
        )
    )
