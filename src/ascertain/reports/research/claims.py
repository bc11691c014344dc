"""Claims against the stored documents: evidence for, evidence against, and a verdict.

A claim is looked up like a question. Sentences and rows that share most with it are compared with it by words, figures and days
(``research.verdicts``) and read by the reader; the best few by the chat model too, where there is one. A claim is contradicted only
by a named conflict, and a missing word makes it not established. The page that makes the claim does not
count, nor do sentences that read like orders to a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ascertain.answering.units.candidates import Candidate, gather_candidates, with_previous
from ascertain.answering.units.referents import find_referent
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, Passage, Strategy
from ascertain.core.asking.runs import Clock, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.reports.research import ClaimCheck, ClaimOrigin, ClaimVerdict, ComputedVerdict
from ascertain.language.blocks import is_code
from ascertain.language.equivalents import held_terms
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import leans_on_previous
from ascertain.language.tables import split_cells
from ascertain.language.tokens import content_terms, is_foreign
from ascertain.models.ports import ClaimPair, EntailmentModel, Support
from ascertain.models.reader import ClaimReader
from ascertain.questions.timeframe import find_timeframe
from ascertain.reports.research.citations import FindDocument, RunCitations
from ascertain.reports.research.disputes import can_dispute
from ascertain.reports.research.verdicts.conflicts import Conflict
from ascertain.reports.research.verdicts.judging import Judgement, Piece, compare_piece, rate_support
from ascertain.reports.research.verdicts.rows import read_row
from ascertain.reports.research.verdicts.wording import Wording, read_wording
from ascertain.retrieval.search.searcher import Searcher

FindPassages = Callable[[str, str, Filter, Run], Sequence[Passage]]
"""Passages for a claim, of what a filter selects."""

CLAIM_PASSAGES = 10
"""Passages that a claim is checked against: as many as a search gives (``retrieval.top_k``)."""
COMPARED, READ_BY_READER = 40, 12
"""Sentences and rows that have most of a claim's words, which are compared with it; of these, how many that may say it are read. On
the development claims the deciding sentence is among the first 12 where it is among the passages at all."""
READ_BY_MODEL = 3
"""Of these, how many a chat model reads, which pays for each."""
MOST_EVIDENCE = 3
"""Quotations shown for a claim, and as many against it."""
LONGEST = 1200
"""Characters of a list or table that are compared as one."""
AROUND = 1500
"""Characters before and behind a sentence in which what it leaves out is likely to stand: about its passage."""
SUPPORTED = 0.3
"""Chance from which a piece says a claim. With the words, figures and days compared before it, 0.3 supports 3 of 82 false claims of the
development set, each corpus left out, and 0.5 two of them, but three true ones less (docs/claims.md)."""
ABOUT = 0.68
"""How much of a claim a piece has to speak of to be at odds with it."""
BEHIND = 0.1
"""How far a piece may lie behind the one that speaks most of the claim and still be at odds with it: what decides a claim is among the
nearest, and a sentence on a neighbouring matter is mostly at odds with something."""
CLEARLY = 0.05
"""By how much a piece that is at odds has to speak more of the claim than one that says it."""
OTHER_FIGURE = 0.1
"""The same where the piece has another figure and one that is about the claim has the claim's own."""
FOREIGN_WHOLE = 0.9
"""Share of the words of a claim in another language that a piece has to have to support it: nothing but words is compared there."""


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
class Reading:
    """A piece compared with a claim: ``support`` is how likely it says the claim, 0..1; ``opinions`` are the reader's, of the piece
    alone and under its context, where it was asked.
    """

    candidate: Candidate
    span: Span
    piece: Piece
    judgement: Judgement
    support: float = 0.0
    opinions: tuple[Support, ...] = ()
    is_rated: bool = False
    """Whether ``support`` is known already."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A verdict with its evidence, as places among the readings."""

    verdict: ClaimVerdict
    reason: str
    evidence_for: tuple[int, ...] = ()
    evidence_against: tuple[int, ...] = ()


def build_claim_search(searcher: Searcher, clock: Clock) -> FindPassages:
    """What looks a claim up as ``ask`` does, and again without the day that it names: the year of a claim may stand in the date of
    the document, in its title, or nowhere.
    """

    def find(claim: str, language: str, filter: Filter, run: Run) -> Sequence[Passage]:
        first = searcher.search(claim, language, strategy=Strategy.HYBRID, k=CLAIM_PASSAGES, filter=filter)
        frame = find_timeframe(claim, language, clock.now())
        undated = " ".join(claim.replace(frame.phrase, " ").split()) if frame is not None else ""
        if first.filter == filter or not undated:
            return first.passages
        second = searcher.search(undated, language, strategy=Strategy.HYBRID, k=CLAIM_PASSAGES, filter=filter).passages
        return list({passage.chunk.id: passage for passage in (*second, *first.passages)}.values())

    return find


JudgeByTables = Callable[[str, Filter, Run], ComputedVerdict | None]
"""Whether the rows of a table support a claim; None where none decides it."""
COMPUTED = 0.9
"""Support of a claim that rows support (by judgement: as sure as a verdict can be)."""


class ClaimChecker:
    """``find`` gives passages for a claim, ``rules`` is the offline checker and ``entailment`` the one of the settings,
    ``support`` the threshold of support (``verification.support``); ``reader`` reads claims, where there is one, ``judge_by_tables`` computes.
    """

    def __init__(
        self,
        entailment: EntailmentModel,
        rules: EntailmentModel,
        find: FindPassages,
        document: FindDocument,
        support: float,
        *,
        reader: ClaimReader | None = None,
        judge_by_tables: JudgeByTables | None = None,
    ) -> None:
        self._entailment = entailment
        self._rules = rules
        self._find = find
        self._document = document
        self._support = support
        self._reader = reader
        self._judge_by_tables = judge_by_tables

    def find_against(
        self, claims: Sequence[ClaimToCheck], citations: RunCitations, run: Run, filter: Filter, *, language: str
    ) -> list[tuple[int, ...]]:
        """The evidence against each claim by the rules alone, as numbers of citations."""
        found: list[tuple[int, ...]] = []
        for claim in claims:
            read = self.read_evidence(claim, filter, run, language)
            readings = [rate_reading(each) for each in read if can_dispute(claim.text, each.piece.text)]
            conclusion = decide_claim(readings)
            found.append(
                tuple(_cite_reading(readings[i], citations) for i in conclusion.evidence_against[:MOST_EVIDENCE])
            )
        return found

    def check(
        self, claims: Sequence[ClaimToCheck], citations: RunCitations, run: Run, filter: Filter, language: str
    ) -> tuple[ClaimCheck, ...]:
        """Each claim with its verdict, by what ``filter`` selects; its evidence is added to ``citations``."""
        readings = [
            [rate_reading(each) for each in self.read_evidence(claim, filter, run, language)] for claim in claims
        ]
        if self._entailment is not self._rules:
            readings = self._ask_model(claims, readings, run, language)
        checks = [
            _conclude(claim, own, decide_claim(own), citations) for claim, own in zip(claims, readings, strict=True)
        ]
        if self._judge_by_tables is None:
            return tuple(checks)
        computed = [self._judge_by_tables(claim.text, filter, run) for claim in claims]
        return tuple(
            check if verdict is None else _add_computed(check, claim, verdict, citations)
            for check, claim, verdict in zip(checks, claims, computed, strict=True)
        )

    def read_evidence(self, claim: ClaimToCheck, filter: Filter, run: Run, language: str) -> list[Reading]:
        """The pieces of the passages found that speak most of the claim, those of most words first."""
        passages = [
            p for p in self._find(claim.text, language, filter, run) if p.chunk.document_id not in claim.apart_from
        ]
        candidates = choose_candidates(
            claim.text, gather_candidates(passages, self._document, language).candidates, language
        )
        if is_foreign(claim.text):
            return self._read_foreign(claim, candidates, run, language)
        wording = read_wording(claim.text)
        readings = [compare_candidate(wording, each) for each in candidates]
        # order of the document within equals, so that the same material gives the same evidence
        readings.sort(key=lambda each: (-each.judgement.aboutness, each.candidate.document.id, each.span))
        return self._read_likely(readings, run)

    def _read_likely(self, readings: Sequence[Reading], run: Run) -> list[Reading]:
        """The readings, the first that may say the claim with what the reader makes of them."""
        may = [i for i, each in enumerate(readings) if each.judgement.can_support and each.judgement.row is None]
        wanted = {i for i in may[:READ_BY_READER] if not is_foreign(readings[i].piece.text)}
        return [
            replace(each, opinions=self._ask_reader(each, run)) if i in wanted else each
            for i, each in enumerate(readings)
        ]

    def _ask_reader(self, reading: Reading, run: Run) -> tuple[Support, ...]:
        if self._reader is None:
            return ()
        piece = reading.piece
        try:
            return tuple(
                self._reader.check(reading.judgement.settled, list(dict.fromkeys((piece.text, piece.premise))))
            )
        except ModelError as error:
            run.note(Decision("check", "claims checked by rules alone", f"the reader failed: {error}"))
            return ()

    def _read_foreign(
        self, claim: ClaimToCheck, candidates: Sequence[Candidate], run: Run, language: str
    ) -> list[Reading]:
        """By the offline checker, which knows denials and figures of other languages: nothing else is compared there."""
        wanted = set(content_terms(claim.text, language))
        wording = read_wording(claim.text)
        readings = [compare_candidate(wording, each) for each in candidates if each.header is None]
        supports = (
            self._rules.check([ClaimPair(claim.text, each.piece.text, language=language) for each in readings], run)
            if readings
            else []
        )
        found: list[Reading] = []
        for reading, said in zip(readings, supports, strict=True):
            held = len(wanted & set(reading.candidate.terms)) / max(len(wanted), 1)
            is_whole = held >= FOREIGN_WHOLE and said.entailed > self._support
            conflict = Conflict("rules", said.reason) if said.is_altered and held >= ABOUT else None
            judgement = replace(reading.judgement, aboutness=held, conflict=conflict, conflict_aboutness=held)
            found.append(
                replace(
                    reading,
                    judgement=judgement,
                    support=said.entailed if is_whole and not conflict else 0.0,
                    is_rated=True,
                )
            )
        return sorted(found, key=lambda each: (-each.judgement.aboutness, each.candidate.document.id, each.span))

    def _ask_model(
        self, claims: Sequence[ClaimToCheck], readings: Sequence[Sequence[Reading]], run: Run, language: str
    ) -> list[list[Reading]]:
        """The readings with the verdicts of the checker of the settings on those that speak most of the claim. What is at odds with a
        claim by name is believed over its yes.
        """
        asked = [list(own) for own in readings]
        places = [(claim, i) for claim, own in enumerate(readings) for i in range(min(READ_BY_MODEL, len(own)))]
        pairs = [
            ClaimPair(claims[claim].text, readings[claim][i].piece.premise, language=language) for claim, i in places
        ]
        if not pairs:
            return asked
        try:
            for (claim, i), said in zip(places, self._entailment.check(pairs, run), strict=True):
                asked[claim][i] = self._believe(asked[claim][i], said)
        except (ModelError, BudgetExceeded) as error:
            run.note(Decision("check", f"fell back to {self._rules.name}", str(error)))
        return asked

    def _believe(self, reading: Reading, said: Support) -> Reading:
        judgement = reading.judgement
        if said.contradicted > max(said.entailed, 1 - self._support):
            conflict = judgement.conflict or Conflict("model", said.reason or "the evidence denies it")
            about = max(judgement.conflict_aboutness, ABOUT)
            return replace(
                reading, support=0.0, judgement=replace(judgement, conflict=conflict, conflict_aboutness=about)
            )
        if judgement.conflict is not None and judgement.conflict_aboutness >= ABOUT:
            return replace(reading, support=0.0)
        return replace(
            reading,
            support=said.entailed if said.entailed > self._support else 0.0,
            judgement=replace(judgement, conflict=None),
        )


def choose_candidates(claim: str, candidates: Sequence[Candidate], language: str) -> list[Candidate]:
    """The sentences, items and rows that have most of the words of ``claim``, with the title and the headings over them; no code."""
    wanted = frozenset(content_terms(claim, language)) | held_terms(claim, language)
    over: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
    rated: list[tuple[float, int]] = []
    for i, each in enumerate(candidates):
        section = tuple(each.document.place_of(each.span).section)
        key = each.document.id, section
        if key not in over:
            over[key] = frozenset(content_terms(" ".join((each.document.title, *section)), language))
        own = wanted & set(each.terms)
        if own and not (len(each.text) > LONGEST or (each.header is None and each.is_fragment and is_code(each.text))):
            rated.append((len(own) + 0.5 * len((wanted - own) & over[key]), i))
    rated.sort(key=lambda each: (-each[0], each[1]))
    return [candidates[i] for _, i in rated[:COMPARED]]


def compare_candidate(claim: Wording, candidate: Candidate) -> Reading:
    """A candidate as a piece, compared with the claim."""
    document, span = candidate.document, candidate.span
    piece = build_piece(candidate)
    if leans_on_previous(candidate.text) and not piece.referent and candidate.header is None:
        span = with_previous(document, span)
    return Reading(candidate, span, piece, compare_piece(claim, piece))


def build_piece(candidate: Candidate) -> Piece:
    """What a reader of the candidate sees: itself, title, headings and speaker over it, the text around it, its date."""
    document, span = candidate.document, candidate.span
    place = document.place_of(span)
    context = (document.title, *place.section, place.speaker or "")
    row = None
    if candidate.header is not None:
        row = read_row(split_cells(candidate.header.of(document.text)), split_cells(span.of(document.text)))
    return Piece(
        text=without_instructions(candidate.text),
        context=tuple(dict.fromkeys(without_instructions(line) for line in context if line)),
        near=document.text[max(0, span.start - AROUND) : span.end + AROUND],
        published=document.published_at.date() if document.published_at else None,
        referent="" if candidate.header is not None else find_referent(document, span),
        row=row,
    )


def rate_reading(reading: Reading) -> Reading:
    """The reading with its support."""
    return reading if reading.is_rated else replace(reading, support=rate_support(reading.judgement, reading.opinions))


def decide_claim(readings: Sequence[Reading]) -> Conclusion:
    """The verdict that ``readings`` come to: supported by what says the claim, contradicted by what is at odds with it and speaks more
    of it than anything that says it, else not established.
    """
    speaking = sorted(
        (i for i, each in enumerate(readings) if each.support >= SUPPORTED), key=lambda i: (-readings[i].support, i)
    )
    denying = _list_denying(readings)
    said = max((readings[i].judgement.aboutness for i in speaking), default=0.0)
    denied = max((readings[i].judgement.conflict_aboutness for i in denying), default=0.0)
    if speaking and said >= denied:
        return Conclusion(ClaimVerdict.SUPPORTED, "the source says it", tuple(speaking))
    if denying and denied > said + CLEARLY:
        return Conclusion(ClaimVerdict.CONTRADICTED, _name_conflict(readings[denying[0]]), (), tuple(denying))
    if speaking:
        return Conclusion(ClaimVerdict.NOT_ESTABLISHED, "the sources say both", tuple(speaking), tuple(denying))
    return Conclusion(ClaimVerdict.NOT_ESTABLISHED, _explain_lack(readings))


def _list_denying(readings: Sequence[Reading]) -> list[int]:
    """What is at odds with the claim and about it, what speaks most of it first."""
    top = max((each.judgement.aboutness for each in readings), default=0.0)
    holding = max((each.judgement.aboutness for each in readings if _holds_figures(each.judgement)), default=0.0)
    denyings: list[int] = []
    for i, each in enumerate(readings):
        judgement = each.judgement
        about = judgement.conflict_aboutness
        if judgement.conflict is None or about < max(ABOUT, top - BEHIND):
            continue
        if judgement.conflict.kind == "figure" and judgement.aboutness < holding + OTHER_FIGURE:
            continue
        denyings.append(i)
    return sorted(denyings, key=lambda i: (-readings[i].judgement.conflict_aboutness, i))


def _holds_figures(judgement: Judgement) -> bool:
    return judgement.holds_figures and judgement.coverage.near >= _NEAR_ENOUGH


_NEAR_ENOUGH = 0.75
"""Share of a claim's words in and around a piece from which its figures are those of the claim."""


def _name_conflict(reading: Reading) -> str:
    conflict = reading.judgement.conflict
    return conflict.reason if conflict else "the source says otherwise"


def _conclude(
    claim: ClaimToCheck, readings: Sequence[Reading], conclusion: Conclusion, citations: RunCitations
) -> ClaimCheck:
    return ClaimCheck(
        claim=claim.text,
        origin=claim.origin,
        verdict=conclusion.verdict,
        score=max((each.support for each in readings), default=0.0)
        if not conclusion.evidence_against or conclusion.evidence_for
        else 0.0,
        reason=conclusion.reason,
        evidence_for=tuple(_cite_reading(readings[i], citations) for i in conclusion.evidence_for[:MOST_EVIDENCE]),
        evidence_against=tuple(
            _cite_reading(readings[i], citations) for i in conclusion.evidence_against[:MOST_EVIDENCE]
        ),
        source=claim.source,
    )


def _add_computed(
    check: ClaimCheck, claim: ClaimToCheck, computed: ComputedVerdict, citations: RunCitations
) -> ClaimCheck:
    """The verdict of the rows, which is not established where a sentence says otherwise."""
    if any(each.document_id in claim.apart_from for each in computed.citations):
        return check
    numbers = tuple(citations.adopt(computed.citations).values())
    if not numbers:
        return check
    said = ClaimVerdict.SUPPORTED if computed.holds else ClaimVerdict.CONTRADICTED
    agrees = check.verdict in (said, ClaimVerdict.NOT_ESTABLISHED)
    before_for, before_against = (check.evidence_for, check.evidence_against) if not agrees else ((), ())
    return replace(
        check,
        verdict=said if agrees else ClaimVerdict.NOT_ESTABLISHED,
        score=COMPUTED if computed.holds else 0.0 if agrees else check.score,
        reason=f"computed: {computed.said.rstrip('.')}" if agrees else "the sources say both",
        evidence_for=tuple(dict.fromkeys((*before_for, *(numbers if computed.holds else ())))),
        evidence_against=tuple(dict.fromkeys((*before_against, *(() if computed.holds else numbers)))),
    )


def _explain_lack(readings: Sequence[Reading]) -> str:
    if not readings:
        return "nothing that was searched speaks of it"
    nearest = readings[0].judgement
    if nearest.doubt:
        return f"the nearest source {nearest.doubt}"
    if nearest.coverage.missing:
        return f"the nearest source does not say “{nearest.coverage.missing[0]}”"
    return "the sources say it only in part"


def _cite_reading(reading: Reading, citations: RunCitations) -> int:
    return citations.add(reading.candidate.document, reading.span)
