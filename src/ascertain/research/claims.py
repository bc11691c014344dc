"""Claims against what is stored: evidence for, evidence against, and a verdict.

A claim is looked up like a question. The sentences found that share most words with it are read one by one by the
checker of claims; the best few by the chat model too, where there is one. Nothing that stands on the page that makes
the claim counts, and no sentence that reads like orders to a model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ascertain.answering.candidates import Candidate, gather_candidates, with_previous
from ascertain.answering.checking.verification import label_of
from ascertain.core.answers import Decision, VerdictLabel
from ascertain.core.blocks import Span
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.passages import Filter, Passage
from ascertain.core.research import ClaimCheck, ClaimOrigin, ClaimVerdict
from ascertain.core.runs import Run
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import leans_on_previous
from ascertain.language.tokens import content_terms
from ascertain.models.ports import ClaimPair, EntailmentModel, Support
from ascertain.research.citations import FindDocument, RunCitations
from ascertain.research.disputes import can_dispute

FindPassages = Callable[[str, Filter, Run], Sequence[Passage]]
"""Passages for a claim, of what a filter selects."""

READ_BY_RULES = 8
"""Sentences that are read for a claim: so many that have most of its words, and of the others so many of whose own
words it has most, as a short sentence that denies it ("experience is not required") has few of its words (by
judgement)."""
READ_BY_MODEL = 3
"""Of these, how many a chat model reads, which pays for each."""
MOST_EVIDENCE = 3
"""Quotations shown for a claim, and as many against it."""
FEWEST_SHARED = 2
"""Words that a sentence has in common with a claim on whose subject it can be."""
SHARED_TO_DENY = 0.5
"""Share of the words of a claim or of a sentence, whichever has fewer, over which both have them in common where one
speaks against the other: the checker of claims finds a contradiction in many a sentence on a neighbouring matter,
which says neither."""


WHOLE, MOSTLY, SURE = 0.9, 0.7, 0.8
"""A sentence speaks for a claim where it has ``WHOLE`` of its words, or ``MOSTLY`` and the rules are ``SURE``; always
with the word that the claim begins with, which is what it is about. An answer's sentences were written from what they
cite; a claim was not, and long sentences that have half of its words "say it in like words" by the rules though they
are on a neighbouring matter. (By eye on some twenty claims on the demo, on the project's own pages and on papers of
the development sets.)"""
ALTERED = 0.6
"""Contradiction that a sentence counts for which reads like the claim with another figure: as the checker of claims
bounds its support."""
DOUBTED = 0.5
"""What support counts for that falls short of this: neither for nor against."""


@dataclass(frozen=True, slots=True)
class ClaimToCheck:
    """``source`` is the number of the citation that makes the claim; ``apart_from`` are documents that say nothing for
    or against it: the page that makes it.
    """

    text: str
    origin: ClaimOrigin
    source: int | None = None
    apart_from: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence read for a claim, with the sentence before it where it points back."""

    candidate: Candidate
    span: Span
    text: str
    shared: float
    """Words in common with the claim, by those of the shorter of the two."""
    held: float
    """Share of the claim's words that it has."""
    has_subject: bool
    """Whether it, or the title of its document, has the word that the claim begins with."""


class ClaimChecker:
    """``find`` gives passages for a claim, ``rules`` is the offline checker and ``entailment`` the one of the settings,
    ``support`` the threshold of support (``verification.support``).
    """

    def __init__(
        self,
        entailment: EntailmentModel,
        rules: EntailmentModel,
        find: FindPassages,
        document: FindDocument,
        support: float,
    ) -> None:
        self._entailment = entailment
        self._rules = rules
        self._find = find
        self._document = document
        self._support = support

    def find_against(
        self, claims: Sequence[ClaimToCheck], citations: RunCitations, run: Run, filter: Filter
    ) -> list[tuple[int, ...]]:
        """What speaks against each claim by the rules alone, as numbers of citations."""
        found: list[tuple[int, ...]] = []
        for claim in claims:
            read = self._read_evidence(claim, filter, run)
            read = [each for each in read if can_dispute(claim.text, each.text)]
            supports = self._ask_rules(claim, read, run)
            found.append(self._judge_claim(claim, read, supports, citations).evidence_against)
        return found

    def check(
        self, claims: Sequence[ClaimToCheck], citations: RunCitations, run: Run, filter: Filter
    ) -> tuple[ClaimCheck, ...]:
        """Each claim with its verdict, by what ``filter`` selects; what it rests on is added to ``citations``."""
        read = [self._read_evidence(claim, filter, run) for claim in claims]
        supports = [self._ask_rules(claim, own, run) for claim, own in zip(claims, read, strict=True)]
        if self._entailment is not self._rules:
            supports = self._ask_model(claims, read, supports, run)
        return tuple(
            self._judge_claim(claim, own, said, citations)
            for claim, own, said in zip(claims, read, supports, strict=True)
        )

    def _read_evidence(self, claim: ClaimToCheck, filter: Filter, run: Run) -> list[_Read]:
        passages = [p for p in self._find(claim.text, filter, run) if p.chunk.document_id not in claim.apart_from]
        wanted = set(content_terms(claim.text))
        found = [
            each
            for each in gather_candidates(passages, self._document).candidates
            if not (each.is_fragment or each.is_block or each.header) and len(wanted & set(each.terms)) >= FEWEST_SHARED
        ]
        subject = content_terms(claim.text)[:1]
        read = [_read_whole(each, wanted, subject) for each in found]
        # order of the document within equals, so that the same material gives the same evidence
        read.sort(key=lambda each: (-len(wanted & set(each.candidate.terms)), each.candidate.document.id, each.span))
        most, rest = read[:READ_BY_RULES], read[READ_BY_RULES:]
        return [*most, *sorted(rest, key=lambda each: -each.shared)[:READ_BY_RULES]]

    def _ask_rules(self, claim: ClaimToCheck, read: Sequence[_Read], run: Run) -> list[Support]:
        if not read:
            return []
        supports = self._rules.check([ClaimPair(claim.text, each.text) for each in read], run)
        return [self._doubt_support(each, said) for each, said in zip(read, supports, strict=True)]

    def _doubt_support(self, read: _Read, said: Support) -> Support:
        is_plain = read.held >= WHOLE or (read.held >= MOSTLY and said.entailed >= SURE)
        if said.is_altered and said.entailed <= self._support and read.shared > SHARED_TO_DENY:
            # reads like the claim, with another figure or a denial where that has its own
            return Support(min(said.entailed, 1 - ALTERED), ALTERED, said.reason)
        if said.entailed <= self._support or (is_plain and read.has_subject):
            return said
        return Support(
            min(DOUBTED, self._support), min(said.contradicted, DOUBTED), "the evidence says it only in part"
        )

    def _ask_model(
        self,
        claims: Sequence[ClaimToCheck],
        read: Sequence[Sequence[_Read]],
        by_rules: Sequence[Sequence[Support]],
        run: Run,
    ) -> list[list[Support]]:
        """The verdicts of the checker of the settings on the sentences that the rules find weightiest."""
        supports = [list(own) for own in by_rules]
        places = [
            (claim, index) for claim, own in enumerate(by_rules) for index in _find_weightiest(own, READ_BY_MODEL)
        ]
        pairs = [ClaimPair(claims[claim].text, read[claim][index].text) for claim, index in places]
        if not pairs:
            return supports
        try:
            for (claim, index), said in zip(places, self._entailment.check(pairs, run), strict=True):
                supports[claim][index] = said
        except (ModelError, BudgetExceeded) as error:
            run.note(Decision("check", f"fell back to {self._rules.name}", str(error)))
        return supports

    def _judge_claim(
        self, claim: ClaimToCheck, read: Sequence[_Read], supports: Sequence[Support], citations: RunCitations
    ) -> ClaimCheck:
        labels = [label_of(each, self._support) for each in supports]
        speaking = _sort_evidence(labels, supports, VerdictLabel.SUPPORTED)
        denying = [
            i for i in _sort_evidence(labels, supports, VerdictLabel.CONTRADICTED) if read[i].shared > SHARED_TO_DENY
        ]
        best = max((each.entailed for each in supports), default=0.0)
        check = ClaimCheck(
            claim=claim.text,
            origin=claim.origin,
            verdict=ClaimVerdict.NOT_ESTABLISHED,
            score=best,
            reason=_explain_lack(read, supports),
            evidence_for=tuple(_cite_read(read[i], citations) for i in speaking[:MOST_EVIDENCE]),
            evidence_against=tuple(_cite_read(read[i], citations) for i in denying[:MOST_EVIDENCE]),
            source=claim.source,
        )
        if speaking and not denying:
            return replace(check, verdict=ClaimVerdict.SUPPORTED, reason=supports[speaking[0]].reason)
        if denying and not speaking:
            return replace(check, verdict=ClaimVerdict.CONTRADICTED, reason=supports[denying[0]].reason)
        if speaking:
            return replace(check, reason="the sources say both")
        return check


def _read_whole(candidate: Candidate, wanted: set[str], subject: tuple[str, ...]) -> _Read:
    span = candidate.span
    if leans_on_previous(candidate.text):
        span = with_previous(candidate.document, span)
    text = " ".join(span.of(candidate.document.text).split())
    terms = set(candidate.terms)
    said = set(content_terms(text))
    has_subject = set(subject) <= (said | set(content_terms(candidate.document.title)))
    return _Read(
        candidate=candidate,
        span=span,
        text=without_instructions(text),
        shared=_measure_overlap(wanted, terms),
        held=len(wanted & said) / len(wanted),
        has_subject=has_subject,
    )


def _measure_overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _find_weightiest(supports: Sequence[Support], most: int) -> list[int]:
    order = sorted(range(len(supports)), key=lambda i: (-max(supports[i].entailed, supports[i].contradicted), i))
    return sorted(order[:most])


def _sort_evidence(labels: Sequence[VerdictLabel], supports: Sequence[Support], wanted: VerdictLabel) -> list[int]:
    weights = [each.entailed if wanted is VerdictLabel.SUPPORTED else each.contradicted for each in supports]
    return sorted((i for i, label in enumerate(labels) if label is wanted), key=lambda i: (-weights[i], i))


def _explain_lack(read: Collection[_Read], supports: Sequence[Support]) -> str:
    if not read:
        return "nothing that was searched speaks of it"
    nearest = max(supports, key=lambda each: each.entailed)
    return nearest.reason or "the evidence does not say it"


def _cite_read(read: _Read, citations: RunCitations) -> int:
    return citations.add(read.candidate.document, read.span)
