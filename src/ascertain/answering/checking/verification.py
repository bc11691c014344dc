"""Checks an answer sentence by sentence against what it cites (AN-5).

A sentence is judged as its reader would judge it: against all its citations together, each with its title, section,
speaker and date, and with the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ascertain.answering.checking.claims import Claim, drop_answer, plain_text, split_claims
from ascertain.answering.checking.evidence import Statement, gather_cited, list_shown
from ascertain.answering.checking.objections.rules import find_objection
from ascertain.answering.citations import quotes_code, tells_row
from ascertain.answering.composition import Composition
from ascertain.core.asking.answers import AnswerSentence, Citation, Decision, Form, Verdict, VerdictLabel
from ascertain.core.asking.judgements import CheckedClaim, Groundedness
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.runs import Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.language.sentences import split_sentences
from ascertain.models.ports import ClaimPair, EntailmentModel, Support

VERBATIM = "its words are quoted"
UNCITED = "no words that it quotes were found in the sources"


Verify = Callable[[Composition, Sequence[Passage], str, str, Run], Groundedness]
"""``Verifier.verify``."""


class StatementChecker(Protocol):
    """Says whether the citations support the text."""

    def check(self, statements: Sequence[Statement], run: Run) -> list[list[CheckedClaim]]:
        """The claims of each statement with their verdicts, in the order given; every statement cites something."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer to be checked. ``statements`` are the sentences a checker has to judge; ``settled`` the verdicts on
    the others: verbatim quotations, and sentences without citations.
    """

    statements: tuple[Statement, ...]
    settled: tuple[CheckedClaim, ...]

    def conclude(self, claims: Sequence[Sequence[CheckedClaim]]) -> Groundedness:
        """All verdicts in order of the text; ``claims`` are those of each of ``statements``."""
        judged = [*self.settled, *(claim for each in claims for claim in each)]
        return Groundedness(tuple(sorted(judged, key=lambda claim: claim.sentence)))


class Verifier:
    """``document`` finds a stored document by id."""

    def __init__(self, checker: StatementChecker, document: Callable[[str], Document | None]) -> None:
        self._checker = checker
        self._document = document

    def verify(
        self, composition: Composition, passages: Sequence[Passage], question: str, language: str, run: Run
    ) -> Groundedness:
        """Each claim of the answer to ``question`` with its verdict, in order.

        Raises ModelError or BudgetExceeded when the checker fails and has no fallback.
        """
        draft = self.read_draft(composition, passages, question, language)
        return draft.conclude(self._checker.check(draft.statements, run) if draft.statements else [])

    def read_draft(self, composition: Composition, passages: Sequence[Passage], question: str, language: str) -> Draft:
        """What is decided without a checker, and what has to be judged."""
        citations = {citation.number: citation for citation in composition.citations}
        shown = list_shown(passages)
        statements: list[Statement] = []
        settled: list[CheckedClaim] = []
        for index, sentence in enumerate(composition.sentences):
            cited = [citations[number] for number in sentence.citations if number in citations]
            is_quoted = any(_quotes_whole_sentences(sentence, each) for each in cited)
            if is_quoted or tells_row(sentence.text, cited) or quotes_code(sentence, cited):
                verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
                settled.append(CheckedClaim(sentence.text, index, verdict, VERBATIM))
            elif not cited:
                verdict = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
                settled.append(CheckedClaim(sentence.text, index, verdict, UNCITED))
            else:
                evidence = dict.fromkeys(gather_cited(each, passages, self._document) for each in cited)
                text = sentence.text if sentence.form is Form.CODE else plain_text(sentence.statement)
                cells = plain_text(sentence.text) if sentence.form is Form.ROW else ""
                statements.append(
                    Statement(text, index, tuple(evidence), question, language, sentence.form, cells, shown)
                )
        return Draft(tuple(statements), tuple(settled))


class EntailmentChecker:
    """Checks by an entailment model: each claim of a sentence against all its evidence as one text.

    A claim entailed above ``support`` is supported; ``fallback`` is asked, with a note on the run, when ``model`` fails.
    """

    def __init__(self, model: EntailmentModel, support: float, fallback: EntailmentModel | None = None) -> None:
        self._model = model
        self._support = support
        self._fallback = fallback

    @property
    def name(self) -> str:
        """Identifies the model."""
        return self._model.name

    def check(self, statements: Sequence[Statement], run: Run) -> list[list[CheckedClaim]]:
        """See the port."""
        objections = [find_objection(statement) for statement in statements]
        claims = [
            [] if objection else _split_statement(statement)
            for statement, objection in zip(statements, objections, strict=True)
        ]
        pairs = [
            ClaimPair(_name_claim(claim, statement), statement.premise, statement.quote, statement.language)
            for statement, own in zip(statements, claims, strict=True)
            for claim in own
        ]
        supports = iter(self._ask_model(pairs, run))
        return [
            [objection.check(statement)]
            if objection
            else [self._judge_claim(claim.text, statement.sentence, next(supports)) for claim in own]
            for statement, own, objection in zip(statements, claims, objections, strict=True)
        ]

    def _ask_model(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        if not pairs:
            return []
        try:
            return self._model.check(pairs, run)
        except (ModelError, BudgetExceeded) as error:
            if self._fallback is None:
                raise
            run.note(Decision("verify", f"fell back to {self._fallback.name}", str(error)))
            return self._fallback.check(pairs, run)

    def _judge_claim(self, text: str, sentence: int, support: Support) -> CheckedClaim:
        verdict = Verdict(label_of(support, self._support), support.entailed)
        return CheckedClaim(text, sentence, verdict, support.reason)


def _name_claim(claim: Claim, statement: Statement) -> str:
    return claim.text if statement.form is Form.CODE else drop_answer(claim.text)


def _split_statement(statement: Statement) -> list[Claim]:
    if statement.form is Form.CODE:
        return [Claim(statement.text, Span(0, len(statement.text)))]
    return split_claims(statement.text)


def label_of(support: Support, threshold: float) -> VerdictLabel:
    """Supported above the threshold; contradicted where contradiction wins; else not in the sources."""
    if support.entailed > threshold:
        return VerdictLabel.SUPPORTED
    if support.contradicted > max(support.entailed, 1 - support.entailed - support.contradicted):
        return VerdictLabel.CONTRADICTED
    return VerdictLabel.NOT_IN_SOURCES


def _quotes_whole_sentences(sentence: AnswerSentence, citation: Citation) -> bool:
    """Whether the sentence is one or several whole sentences of the quote, up to white space and the marks of its
    citations.

    Whole ones only: part of a sentence can say the opposite.
    """
    claimed = plain_text(sentence.said)
    pieces = [plain_text(span.of(citation.quote)) for span in split_sentences(citation.quote)]
    for start in range(len(pieces)):
        run = ""
        for piece in pieces[start:]:
            run = f"{run} {piece}".strip()
            if run == claimed:
                return True
            if len(run) > len(claimed):
                break
    return False
