"""From traits to a type, its confidence, subjects and technical density."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from ascertain.core.documents import DocumentKind
from ascertain.core.profiling import DocumentType
from ascertain.ingest.profiling.features import Traits
from ascertain.ingest.profiling.rules import Rules, TypeRules, builtin_rules

LONG_WORD = 12
"""Letters from which a word counts as long: terms of art mostly are."""
HALF_DENSE = 0.06
"""Weighted share of technical words at which the density is a half: the average of papers and documentation in the dev sets, where spoken
language has 0.01, encyclopedias 0.02 and news 0.04."""


def scores_of_types(found: Traits, kind: DocumentKind) -> dict[DocumentType, float]:
    """The score of each type but OTHER."""
    rules = builtin_rules()
    phrases = _phrases(found, rules)
    return {
        name: _score(found, kind, rules, each)
        + min(rules.scoring.phrases, rules.scoring.phrase * phrases[name])
        for name, each in rules.types.items()
    }


def choose_type(scores: Mapping[DocumentType, float]) -> tuple[DocumentType, float]:
    """The type of highest score with a confidence of 0..1; OTHER when none reaches the threshold.

    The confidence of a type is its lead: its score over that of the two best and the threshold's half together. That of OTHER
    is how far the best stays below the threshold.
    """
    threshold = builtin_rules().scoring.threshold
    (best, score), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if score < threshold:
        return DocumentType.OTHER, round(min(1.0, 1 - max(0.0, score) / threshold), 3)
    return best, round(score / (score + max(0.0, second) + threshold / 2), 3)


def subjects(found: Traits) -> tuple[str, ...]:
    """The subjects of the text, the strongest first."""
    rules = builtin_rules()
    if not found.words:
        return ()
    per_thousand = 1000 / max(100, found.words)
    rates: dict[str, float] = {}
    for name, words in rules.domains.items():
        present = found.counts.keys() & words
        rate = sum(found.counts[word] for word in present) * per_thousand
        if len(present) >= rules.subjects.distinct and rate >= rules.subjects.rate:
            rates[name] = rate
    strongest = sorted(rates, key=lambda name: (-rates[name], name))
    return tuple(strongest[: rules.subjects.most])


def technical_density(found: Traits) -> float:
    """0 for plain talk, towards 1 the more of the words are technical: ``x / (x + HALF_DENSE)`` of their weighted share.

    Technical tokens count once, words of technical subjects a half, and long words a quarter, as many of those are ordinary.
    """
    if not found.words:
        return 0.0
    subject = sum(found.counts[word] for word in found.counts.keys() & builtin_rules().technical_words)
    long = sum(number for word, number in found.counts.items() if len(word) >= LONG_WORD)
    share = (found.terms + subject / 2 + long / 4) / max(found.words, found.terms)
    return round(min(1.0, share / (share + HALF_DENSE)), 3)


def _score(found: Traits, kind: DocumentKind, rules: Rules, each: TypeRules) -> float:
    scoring = rules.scoring
    structure = (weight * found.structure[name] for name, weight in each.structure.items())
    return math.fsum(
        (
            min(scoring.words, scoring.word * len(found.counts.keys() & each.words)),
            min(scoring.headings, scoring.heading * len(found.headings & each.headings)),
            scoring.title * any(f" {title} " in found.title for title in each.titles),
            *structure,
            each.kinds.get(kind, 0.0),
        )
    )


def _phrases(found: Traits, rules: Rules) -> Counter[DocumentType]:
    """How many of each type's phrases occur."""
    index = rules.phrases
    single = {(word, "") for word in found.counts}
    candidates = (entry for pair in (found.pairs | single) & index.keys() for entry in index[pair])
    return Counter(name for name, phrase in candidates if phrase in found.spaced)
