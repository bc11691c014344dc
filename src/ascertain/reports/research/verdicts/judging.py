"""How far one sentence or row says a claim, and what in it speaks against the claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from ascertain.answering.checking.figures import find_figures
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.ports import Support
from ascertain.reports.research.verdicts.conflicts import (
    Conflict,
    breaks_order,
    lacks_duty,
    list_conflicts,
    splits_subject,
)
from ascertain.reports.research.verdicts.days import DayComparison, compare_days
from ascertain.reports.research.verdicts.quantities import Comparison, Outcome, compare_quantities
from ascertain.reports.research.verdicts.rows import Row, RowJudgement, judge_row, list_left_terms
from ascertain.reports.research.verdicts.wording import (
    LIGHT_WEIGHT,
    Coverage,
    Held,
    Wording,
    has_term,
    list_opening,
    measure_coverage,
    read_held,
    read_wording,
    share_terms,
)


@dataclass(frozen=True)
class Piece:
    """A sentence or row as its reader sees it. ``context`` are the lines over it (title, headings, speaker); ``near`` the text around
    it; ``referent`` is what its opening pronoun stands for; ``published`` the date of its document; ``row`` its cells, of a row.
    """

    text: str
    context: tuple[str, ...] = ()
    near: str = ""
    published: date | None = None
    referent: str = ""
    row: Row | None = None

    @cached_property
    def premise(self) -> str:
        """The text under its context."""
        return ". ".join((*(line.rstrip(".:") for line in self.context), self.text))

    @cached_property
    def places(self) -> tuple[Held, Held, Held]:
        """What it has itself, over it and near it."""
        return read_held(self.text), read_held("\n".join((*self.context, self.referent))), read_held(self.near)


SUPPORT_FEATURES = ("said", "placed", "in_one_clause", "precision")
READER_FEATURES = ("reader_supported", "reader_refuted")
"""Columns of the weights by which a piece supports a claim; the reader's stand beside the others where there is one."""
_LEAST_CHANCE = 1e-3
MISSING = 0.5
"""Weight of a word that neither a piece nor what stands around it has, from which it does not say the claim: about that of the
commonest verbs."""
WHOLLY, PARTLY = 0.9, 0.7
"""Shares of a claim's words: from the first on a piece says it itself, or with the lines over it; from the second on it may say it with
what stands near."""
ITSELF = 0.25
"""Share of a claim's words that a piece has to have itself: the rest may stand in the title, not all of it."""
UNREAD, EVEN, READ = -1.5, 0.0, 0.65
"""Log-odds of the reader (18, 50 and 66 %) that are asked of a piece that says the claim itself, with the lines over it, or in part: the less
it says, the more has to be read in, which only the reader checks."""
LEFT = 1.0
"""Weight of the claim's words that a row, its columns and what stands over the table may leave unsaid: about one word."""


@dataclass(frozen=True)
class Judgement:
    """``aboutness`` is how much of the claim the piece and what stands around it speak of, 0..1; ``conflict`` what in it is at odds
    with the claim, and ``conflict_aboutness`` how much of the rest it speaks of; ``doubt`` what of the claim it does not say, as the end of
    a sentence for people ("does not say “bought”"; "" where it may say all). ``settled`` is the claim for the reader. ``holds_figures`` says that the
    claim has figures and the piece all of them.
    """

    aboutness: float
    coverage: Coverage
    conflict: Conflict | None
    conflict_aboutness: float
    doubt: str
    holds_figures: bool
    settled: str
    features: Mapping[str, float]
    row: RowJudgement | None = None

    @property
    def can_support(self) -> bool:
        """Whether it may say the claim, as far as words, figures and days tell."""
        is_about = self.coverage.placed >= PARTLY and self.coverage.said >= ITSELF
        return self.conflict is None and not self.doubt and is_about


def weigh_aboutness(coverage: Coverage) -> float:
    """What a piece says itself counts whole, what stands over it or near it in part."""
    return coverage.said + _OVER * (coverage.placed - coverage.said) + _NEAR * (coverage.near - coverage.placed)


_OVER, _NEAR = 0.8, 0.3


def compare_piece(claim: Wording, piece: Piece) -> Judgement:
    """All that words, figures and days tell."""
    coverage = measure_coverage(claim, piece.places)
    if piece.row is not None:
        return _judge_by_row(claim, piece, piece.row, coverage)
    said = read_wording(piece.text)
    if _same_words(claim, said):
        return _judge_verbatim(claim, said, coverage)
    quantities = compare_quantities(claim, said, find_figures("\n".join(piece.context)))
    days = compare_days(claim.text, piece.text, piece.context, piece.published)
    conflict = _choose_conflict(list(list_conflicts(claim, said, quantities, piece.referent)), days)
    rest = measure_coverage(claim, piece.places, conflict.stem) if conflict and conflict.stem else coverage
    return Judgement(
        aboutness=weigh_aboutness(coverage),
        coverage=coverage,
        conflict=conflict,
        conflict_aboutness=weigh_aboutness(rest),
        doubt=_find_unsaid(quantities, days) or _find_doubt(claim, said, coverage, piece),
        holds_figures=bool(quantities) and all(each.outcome is Outcome.HELD for each in quantities),
        settled=settle_claim(claim, quantities),
        features=_measure_words(claim, said, coverage),
    )


def _same_words(claim: Wording, said: Wording) -> bool:
    return [word.folded for word in claim.words] == [word.folded for word in said.words]


def _judge_verbatim(claim: Wording, said: Wording, coverage: Coverage) -> Judgement:
    """A sentence says itself, whatever the rules make of two of its parts beside each other."""
    features = _measure_words(claim, said, coverage)
    return Judgement(1.0, coverage, None, 1.0, "", True, claim.text, features)


def _choose_conflict(conflicts: Sequence[Conflict], days: DayComparison) -> Conflict | None:
    """What speaks of another day speaks of something else: it is at odds with the claim in nothing but the day, or in nothing."""
    if days.rival:
        return None if conflicts else Conflict("day", f"the source says {days.rival}, not {days.claimed}")
    return next((each for each in conflicts if not days.missing or each.kind == "plan"), None)


def _find_unsaid(quantities: Sequence[Comparison], days: DayComparison) -> str:
    """The first day or figure of the claim that the piece does not say."""
    if days.missing or days.rival:
        return _lack(days.missing or days.claimed)
    return next((_lack(each.claimed.shown) for each in quantities if each.outcome is not Outcome.HELD), "")


def _lack(words: str) -> str:
    return f"does not say “{words}”"


def _find_doubt(claim: Wording, said: Wording, coverage: Coverage, piece: Piece) -> str:
    """The first thing of the claim beside days and figures that the piece does not say."""
    if claim.exclusives - said.exclusives:
        return _lack(min(claim.exclusives - said.exclusives))
    if coverage.worst > MISSING:
        return _lack(coverage.missing[0])
    # what a claim is about has to be named, not only to stand near
    for term in list_opening(claim.text, claim.terms):
        if term.weight > LIGHT_WEIGHT and not any(has_term(term, place) for place in piece.places[:2]):
            return _lack(term.word.text)
    if breaks_order(claim, said, piece.referent):
        return "says otherwise who does what"
    duty = lacks_duty(claim, said)
    return splits_subject(claim, said) or (_lack(duty) if duty else "")


def _judge_by_row(claim: Wording, piece: Piece, row: Row, coverage: Coverage) -> Judgement:
    found = judge_row(claim, row, " ".join(piece.context))
    unsaid = [t for t in list_left_terms(claim, row) if not any(has_term(t, place) for place in piece.places[1:])]
    left = sum(term.weight for term in unsaid)
    is_said = found.outcome is Outcome.HELD and left <= LEFT
    about = (
        max(weigh_aboutness(coverage), WHOLLY)
        if found.column is not None and left <= LEFT
        else weigh_aboutness(coverage)
    )
    doubt = "" if is_said else (_lack(unsaid[0].word.text) if unsaid else "does not say it in one cell")
    return Judgement(about, coverage, found.conflict, about, doubt, is_said, claim.text, {}, found)


def _measure_words(claim: Wording, said: Wording, coverage: Coverage) -> dict[str, float]:
    total = sum(term.weight for term in claim.terms) or 1.0
    own = sum(term.weight for term in said.terms) or 1.0
    return {
        "said": coverage.said,
        "placed": coverage.placed,
        "in_one_clause": max(share_terms(claim.terms, clause.subject_terms) for clause in said.clauses) / total,
        "precision": share_terms(said.terms, claim.terms) / own,
    }


def rate_support(judgement: Judgement, readings: Sequence[Support]) -> float:
    """How likely it is that the piece says the claim, 0..1. ``readings`` are those of the piece alone and under its context; none where
    no one reads.
    """
    if judgement.row is not None:
        return ROW_SUPPORT if judgement.conflict is None and not judgement.doubt else 0.0
    if not judgement.can_support:
        return 0.0
    if not readings:
        is_whole = judgement.coverage.placed >= _ALL
        return (
            load_logistic_model("claim_support_words_only", SUPPORT_FEATURES).predict_chance(judgement.features)
            if is_whole
            else 0.0
        )
    if not is_read_for(judgement, readings):
        return 0.0
    features = add_reading(judgement.features, readings)
    return load_logistic_model("claim_support", (*SUPPORT_FEATURES, *READER_FEATURES)).predict_chance(features)


def is_read_for(judgement: Judgement, readings: Sequence[Support]) -> bool:
    """Whether the reader is as far for the claim as what the piece leaves unsaid asks of it."""
    coverage = judgement.coverage
    least = UNREAD if coverage.said >= WHOLLY else (EVEN if coverage.placed >= WHOLLY else READ)
    return add_reading(judgement.features, readings)["reader_supported"] >= least


ROW_SUPPORT = 0.9
"""What the cell of a named row and column counts, which is compared and not judged by likeness."""
_ALL = 0.999


def add_reading(features: Mapping[str, float], readings: Sequence[Support]) -> dict[str, float]:
    """The features with what the reader makes of the claim, where it is kindest to it."""
    return {
        **features,
        "reader_supported": max(_log_odds(each.entailed) for each in readings),
        "reader_refuted": min(_log_odds(each.contradicted) for each in readings),
    }


def _log_odds(chance: float) -> float:
    clipped = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return math.log(clipped / (1 - clipped))


def settle_claim(claim: Wording, quantities: Sequence[Comparison]) -> str:
    """The claim with the figures of the sentence in the place of the bounds that they lie in; what is left is for the reader."""
    text = claim.text
    for each in reversed(quantities):
        if each.outcome is Outcome.HELD and each.claimed.is_bound and each.holder is not None:
            text = text[: each.claimed.start] + each.holder.shown + text[each.claimed.figure.span.end :]
    return text
