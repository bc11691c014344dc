"""The fact checker of the report: every sentence against what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.answering.checking.verification import Verify
from ascertain.answering.composition import Composition
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import ReportSentence
from ascertain.reports.research.citations import FindDocument, RunCitations


@dataclass(frozen=True, slots=True)
class SentenceChecker:
    """``verify`` is the checker of answers; ``document`` finds a stored document."""

    verify: Verify
    document: FindDocument

    def check(
        self, sentences: Sequence[ReportSentence], citations: RunCitations, run: Run, language: str
    ) -> list[ReportSentence]:
        """Each sentence with its verdict: the worst of its claims. One whose quotation is no longer stored has no
        support.
        """
        gone = {each.number for each in citations.all if not self.is_stored(each)}
        shown = [replace(each, citations=tuple(n for n in each.citations if n not in gone)) for each in sentences]
        unknown = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
        composition = Composition(
            text="",
            sentences=tuple(AnswerSentence(each.text, unknown, each.citations) for each in shown),
            citations=citations.all,
            confidence=Confidence(Level.NONE, 0),
            decisions=(),
            type=AnswerType.REPORT,
        )
        claims = self.verify(composition, (), "", language, run).claims
        checked: list[ReportSentence] = []
        for index, sentence in enumerate(shown):
            own = [claim for claim in claims if claim.sentence == index]
            worst = min(own, key=lambda claim: _ORDER.index(claim.verdict.label), default=None)
            label = worst.verdict.label if worst else VerdictLabel.NOT_IN_SOURCES
            checked.append(replace(sentence, verdict=label, reason=worst.reason if worst else "it claims nothing"))
        return checked

    def is_stored(self, citation: Citation) -> bool:
        """Whether its words still stand where it says."""
        document = self.document(citation.document_id)
        return document is not None and citation.span.of(document.text) == citation.quote


_ORDER = (VerdictLabel.CONTRADICTED, VerdictLabel.NOT_IN_SOURCES, VerdictLabel.INFERRED, VerdictLabel.SUPPORTED)
"""Worst first."""
