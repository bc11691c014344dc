"""The offline checker of claims: transparent features of words, numbers, names and negations, and beside them what the
reader says about the claim, combined by fitted weights.

No chat model: the evidence must state the claim in its own or similar words. What it can and cannot detect, with
figures, is in docs/claims.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.runs import Run
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.settings import ModelSettings
from ascertain.language.numbers import SMALL, TENS, Kind, Quantity, holds_quantity
from ascertain.language.tokens import is_foreign
from ascertain.language.word_lists import load_word_set
from ascertain.models.entail.alignment import (
    Alignment,
    Relation,
    Sentence,
    Text,
    Word,
    align_sentence,
    look_up_word,
    read_texts,
    relate_words,
)
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.ports import ClaimPair, Embedder, EntailmentModel, Support, TokenEmbedder

if TYPE_CHECKING:
    from ascertain.models.reader import ClaimReader

_RELATIONS = tuple(f"partner_{kind}" for kind in Relation if kind is not Relation.NONE)
_ELSEWHERE = ("synonym", "opposite", "sibling")
WORD_FEATURES = (
    *_RELATIONS,
    *_ELSEWHERE,
    *(f"{name}_near" for name in _ELSEWHERE),
    "match",
    "match_near",
    "follows",
    "precedes",
    "is_adverb",
    "pieces",
)


def word_features(alignment: Alignment, places: Sequence[int]) -> NDArray[np.float64]:
    """One row a word of the sentence at ``places``, with the columns of ``WORD_FEATURES``."""
    text, language = alignment.text, alignment.sentence.language
    everywhere = frozenset(text.stems.tolist())
    near = frozenset(text.stems[alignment.near].tolist())
    rows: list[list[float]] = []
    for place in places:
        word = alignment.sentence.words[place]
        partner = text.words[int(alignment.partner[place])]
        known = look_up_word(word.folded, language)
        related = (known.synonyms, known.opposites, known.siblings)
        rows.append(
            [
                *_one_hot(word, partner, language),
                *(float(bool(stems & everywhere)) for stems in related),
                *(float(bool(stems & near)) for stems in related),
                float(alignment.match[place]),
                float(alignment.match_near[place]),
                float(alignment.follows[place]),
                float(alignment.precedes[place]),
                float(word.folded.endswith("ly")),
                float(np.log(word.pieces)),
            ]
        )
    return np.array(rows, dtype=np.float64).reshape(-1, len(WORD_FEATURES))


def _one_hot(word: Word, partner: Word, language: str) -> list[float]:
    found = relate_words(word.folded, partner.folded, language)
    return [float(found is kind) for kind in Relation if kind is not Relation.NONE]


CLAIM_FEATURES = (
    "words",
    "new_words",
    "new_share",
    "new_names",
    "new_numerals",
    "other_quantities",
    "negations",
    "negations_not_near",
    "negated_here_only",
    "negated_there_only",
    "negated_in_both",
    "similarity",
    "foreign_sum",
    "foreign_worst",
    "foreign_mean",
)
CLAIM_READER_FEATURES = ("reader_supported", "reader_refuted")
"""What the reader makes of the claim, as log-odds; they stand beside ``CLAIM_FEATURES`` in ``claims_with_reader``."""
CONTRADICTION_FEATURES = ("similarity", "new_share", "opposites", "other_quantities", "negated_otherwise")

_MOST = {"new_names": 3, "new_numerals": 2, "other_quantities": 2, "negations": 3, "negations_not_near": 2}
_MOST_NEGATED = 6
"""Counts beyond these add nothing: most claims have none, and a list of names is one mistake rather than ten."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim against evidence: what was found, by word. ``rows`` are the word features of ``plain``."""

    features: dict[str, float]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    plain: tuple[str, ...]
    opposites: tuple[str, ...]
    is_negated_otherwise: bool
    is_altered: bool
    rows: NDArray[np.float64] = field(repr=False)


def compare_texts(claim: Text, evidence: Text) -> Comparison:
    """Compare a claim with evidence, both of which hold words; foreign words are left to ``measure_foreignness``."""
    alignments = [align_sentence(sentence, evidence) for sentence in claim.sentences]
    content = sum(word.is_content for word in claim.words)
    names = [w.text for a in alignments for w in _new_words(a) if _is_name(w, a)]
    numerals = [w.text for a in alignments for w in _new_words(a) if _is_numeral(w)]
    there = evidence.quantities
    numbers = [q.text for q in claim.quantities if not holds_quantity(q, there)]
    plain = [[i for i in _new_places(a) if _is_plain(a, i)] for a in alignments]
    opposites = [
        a.sentence.words[i].text
        for a, places in zip(alignments, plain, strict=True)
        for i in places
        if _is_opposite(a, i)
    ]
    new = sum(len(_new_places(a)) for a in alignments)
    negated = _count_negations(alignments)
    features = {
        "words": float(content),
        "new_words": float(new),
        "new_share": new / max(content, 1),
        "new_names": float(len(names)),
        "new_numerals": float(len(numerals)),
        "other_quantities": float(len(numbers)),
        "negations": float(sum(word.is_negation for word in claim.words)),
        "negations_not_near": float(
            sum(w.is_negation and not a.shared_near[i] for a in alignments for i, w in enumerate(a.sentence.words))
        ),
        **negated,
        "similarity": min(a.similarity for a in alignments),
        "opposites": float(len(opposites)),
        "negated_otherwise": negated["negated_here_only"] + negated["negated_there_only"],
    }
    for name, most in _MOST.items():
        features[name] = min(features[name], most)
    return Comparison(
        features,
        tuple(names),
        tuple(numbers),
        tuple(a.sentence.words[i].text for a, places in zip(alignments, plain, strict=True) for i in places),
        tuple(opposites),
        features["negated_otherwise"] > features["negated_in_both"],
        any(_is_altered(sentence, evidence) for sentence in claim.sentences),
        np.concatenate([word_features(a, places) for a, places in zip(alignments, plain, strict=True)]),
    )


def measure_foreignness(log_odds: NDArray[np.float64]) -> dict[str, float]:
    """The last columns of ``CLAIM_FEATURES`` from the log-odds that each plain new word is not said in the evidence.

    ``foreign_sum`` is minus the logarithm of the chance that all of them are said there.
    """
    if not len(log_odds):
        return {"foreign_sum": 0.0, "foreign_worst": 0.0, "foreign_mean": 0.0}
    chance = 1 / (1 + np.exp(-log_odds))
    return {
        "foreign_sum": float(np.logaddexp(0, log_odds).sum()),
        "foreign_worst": float(chance.max()),
        "foreign_mean": float(chance.mean()),
    }


def _new_places(alignment: Alignment) -> list[int]:
    words = alignment.sentence.words
    return [i for i, word in enumerate(words) if word.is_content and not alignment.shared[i]]


def _new_words(alignment: Alignment) -> list[Word]:
    return [alignment.sentence.words[i] for i in _new_places(alignment)]


TWIN = 0.7
"""Jaccard similarity of content stems, numbers aside, from which two sentences say the same of the same: what is
quoted with a figure changed or a denial added. Of claims that people found supported in defacto, cliff_goyal,
realsumm_scu and lfqa_verification at most 2 % have only twins that differ in these."""


def _is_altered(sentence: Sentence, evidence: Text) -> bool:
    """Whether sentences of the evidence read like this one, but with other numbers or denials each."""
    own = _telling_stems(sentence)
    twins = [other for other in evidence.sentences if _compare_stems(own, _telling_stems(other)) >= TWIN]
    if twins:
        return not any(_agrees(sentence, twin) for twin in twins)
    wholes = [other for other in evidence.sentences if len(own) > 1 and own <= _telling_stems(other)]
    if not wholes:
        return False
    # a part of a sentence, denied, or with a figure that stands elsewhere or for something else
    is_denied = _count_denials(sentence) > 0 and not any(map(_count_denials, wholes))
    return is_denied or not any(_counts_alike(sentence, whole) for whole in wholes)


def _telling_stems(sentence: Sentence) -> frozenset[str]:
    words = sentence.words
    return frozenset(w.stem for w in words if w.is_content and not w.is_negation and not _is_numeral(w))


def _compare_stems(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _agrees(sentence: Sentence, twin: Sentence) -> bool:
    return _count_denials(sentence) == _count_denials(twin) and _counts_alike(sentence, twin)


def _counts_alike(sentence: Sentence, whole: Sentence) -> bool:
    """Whether ``whole`` has every number of ``sentence``, a share or a sum of money not as the day of a date."""
    days = [q for q in whole.quantities if any(_is_beside(q, other) for other in whole.quantities)]
    measures = [q for q in whole.quantities if q not in days]
    return all(
        holds_quantity(q, measures if q.kind in {Kind.PERCENT, Kind.MONEY} else whole.quantities)
        for q in sentence.quantities
    )


def _is_beside(number: Quantity, month: Quantity) -> bool:
    """Whether ``number`` is the day or the year right before or after ``month``."""
    if number.kind is not Kind.PLAIN or month.kind is not Kind.MONTH:
        return False
    gap = max(month.span.start - number.span.end, number.span.start - month.span.end)
    return gap <= _LONGEST_GAP


_LONGEST_GAP = 2
"""Characters between a month and its day: a space, a comma and a space."""


def _count_denials(sentence: Sentence) -> int:
    return sum(word.is_negation for word in sentence.words)


def _is_numeral(word: Word) -> bool:
    return any(map(str.isdigit, word.text)) or word.folded in _NUMERALS


def _is_name(word: Word, alignment: Alignment) -> bool:
    if not word.text[0].isupper() or _is_numeral(word):
        return False
    return word is not alignment.sentence.words[0]


def _is_plain(alignment: Alignment, place: int) -> bool:
    word = alignment.sentence.words[place]
    return not _is_numeral(word) and not _is_name(word, alignment)


def _is_opposite(alignment: Alignment, place: int) -> bool:
    sentence, partner = alignment.sentence, alignment.text.words[int(alignment.partner[place])]
    return relate_words(sentence.words[place].folded, partner.folded, sentence.language) is Relation.OPPOSITE


def _count_negations(alignments: Sequence[Alignment]) -> dict[str, float]:
    here = there = both = 0
    for alignment in alignments:
        content = np.array([word.is_content for word in alignment.sentence.words])
        ours, theirs = alignment.negated & content, alignment.partner_negated & content
        here += int((ours & ~theirs).sum())
        there += int((theirs & ~ours).sum())
        both += int((ours & theirs).sum())
    return {
        "negated_here_only": float(min(here, _MOST_NEGATED)),
        "negated_there_only": float(min(there, _MOST_NEGATED)),
        "negated_in_both": float(min(both, _MOST_NEGATED)),
    }


_NUMERALS = frozenset((*SMALL[2:], *TENS)) | load_word_set("quantities", "counting")


FAR = 0.35
"""Cosine under which the nearest sentence is on another subject: 3 % of the supported claims of the sets in
docs/claims.md lie there, 11 % of the irrelevant passages of factcheck_gpt."""
LIKELY = 0.7
"""From here on a claim is rather supported than not: ``bench/fit/claims.py`` places the chances of each set of weights so
that the threshold that tells supported claims best on the sets it was fitted from lies here, at the default of
``verification.support``."""


def explain_support(found: Comparison, foreign: NDArray[np.float64], entailed: float) -> str:
    """The gravest thing first: what the evidence denies, the number, the name or the word that it lacks."""
    if found.features["similarity"] < FAR:
        return "nothing in the evidence is close to it"
    if found.opposites:
        return f"the evidence says the opposite of {_quote_words(found.opposites)}"
    if found.numbers:
        return f"the evidence has no {_quote_words(found.numbers)}"
    if found.names:
        return f"the evidence does not name {_quote_words(found.names)}"
    if found.is_negated_otherwise:
        denied = found.features["negated_here_only"] >= found.features["negated_there_only"]
        return "it denies what the evidence does not deny" if denied else "the evidence denies some of it"
    if found.is_altered:
        return "a sentence of the evidence reads like it, with other numbers or denials"
    strange = [word for word, odds in zip(found.plain, foreign, strict=True) if odds > 0]
    if strange and entailed < LIKELY:
        worst = found.plain[int(np.argmax(foreign))]
        return f"the evidence does not say {_quote_words((worst,))} in any words"
    if entailed < LIKELY:
        return "the evidence says it only in part"
    return "the evidence says it" if not found.plain else "the evidence says it in like words"


def _quote_words(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word.strip()}”" for word in dict.fromkeys(words))


CEILING = 0.6
"""A claim whose number the evidence lacks, or which the evidence denies, is never entailed beyond this, however alike
the rest is: below the default of ``verification.support``, above one half, since half of the claims that would be
supported but for such an alarm are, against four fifths of those without one (docs/claims.md)."""


class RuleEntailment:
    """``embedder`` must be the built-in model: the weights were fitted to its token states. ``reader`` reads every claim
    in English beside the rules; without it, and where it fails, the rules judge alone.
    """

    def __init__(self, embedder: TokenEmbedder, reader: ClaimReader | None = None) -> None:
        self._embedder = embedder
        self._reader = reader

    @property
    def name(self) -> str:
        return "rules"

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """See the port. Each distinct sentence is embedded once a call; nothing is charged to ``run``."""
        texts = self._read_texts(pairs)
        readings = self._read_claims(pairs, run)
        cited = [ClaimPair(pair.claim, pair.quote, language=pair.language) for pair in pairs if pair.quote]
        of_quotes = iter(self._read_claims(cited, run) if cited else ())
        return [
            _judge_citation(*texts[pair], reading, next(of_quotes))
            if pair.quote
            else _judge_support(*texts[pair], reading)
            for pair, reading in zip(pairs, readings, strict=True)
        ]

    def _read_texts(self, pairs: Sequence[ClaimPair]) -> dict[ClaimPair, tuple[Text, Text]]:
        """The claim and the evidence of each pair, those of one language together."""
        read: dict[ClaimPair, tuple[Text, Text]] = {}
        for language in dict.fromkeys(pair.language for pair in pairs):
            own = [pair for pair in pairs if pair.language == language]
            distinct = dict.fromkeys(text for pair in own for text in (pair.claim, pair.evidence))
            texts = read_texts(distinct, language, self._embedder)
            read |= {pair: (texts[pair.claim], texts[pair.evidence]) for pair in own}
        return read

    def _read_claims(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support | None]:
        """What the reader makes of each pair; None for those it does not read."""
        if self._reader is None:
            return [None] * len(pairs)
        try:
            return [
                None
                if is_foreign(pair.claim) or is_foreign(pair.evidence)
                else self._reader.check(pair.claim, [pair.evidence])[0]
                for pair in pairs
            ]
        except ModelError as error:
            run.note(Decision("verify", "claims checked by rules alone", f"the reader failed: {error}"))
            return [None] * len(pairs)


class EntailmentOverRules:
    """``model`` with ``rules`` behind it, if it fails; that is noted on the run."""

    def __init__(self, model: EntailmentModel, rules: EntailmentModel) -> None:
        self._model = model
        self._rules = rules

    @property
    def name(self) -> str:
        return self._model.name

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        try:
            return self._model.check(pairs, run)
        except (ModelError, BudgetExceeded) as error:
            run.note(Decision("check", f"fell back to {self._rules.name}", str(error)))
            return self._rules.check(pairs, run)


def open_rules(
    name: str, settings: ModelSettings, embedder: Embedder, reader: ClaimReader | None = None
) -> RuleEntailment:
    """The checker over the built-in embedding model, which is opened beside ``embedder`` where that is another one."""
    from ascertain.models.embed.cards import BUILT_IN  # noqa: PLC0415
    from ascertain.models.onnx import OnnxEmbedder  # noqa: PLC0415

    if embedder.name == BUILT_IN and isinstance(embedder, TokenEmbedder):
        return RuleEntailment(embedder, reader)
    return RuleEntailment(OnnxEmbedder.load(BUILT_IN, settings.threads), reader)


_LEAST_CHANCE = 1e-4
"""The reader's chances are cut here: beyond, it is no surer than its training."""


def measure_reading(reading: Support) -> dict[str, float]:
    """``CLAIM_READER_FEATURES`` by name."""
    chances = (reading.entailed, reading.contradicted)
    return {name: _log_odds(chance) for name, chance in zip(CLAIM_READER_FEATURES, chances, strict=True)}


def _log_odds(chance: float) -> float:
    clipped = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return math.log(clipped / (1 - clipped))


def _judge_support(claim: Text, evidence: Text, reading: Support | None) -> Support:
    if not claim.words:
        return Support(1.0, 0.0, "it claims nothing")
    if not evidence.words:
        return Support(0.0, 0.0, "there is no evidence")
    found = compare_texts(claim, evidence)
    foreign = load_logistic_model("claim_words", WORD_FEATURES).compute_log_odds(found.rows)
    features = found.features | measure_foreignness(foreign)
    entailed = _predict_support(features, reading)
    if found.numbers or found.opposites or found.is_negated_otherwise or found.is_altered:
        entailed = min(entailed, CEILING)
    denial = load_logistic_model("claim_contradictions", CONTRADICTION_FEATURES).predict_chance(features)
    return Support(entailed, (1 - entailed) * denial, explain_support(found, foreign, entailed), found.is_altered)


def _predict_support(features: Mapping[str, float], reading: Support | None) -> float:
    if reading is None:
        return load_logistic_model("claims", CLAIM_FEATURES).predict_chance(features)
    model = load_logistic_model("claims_with_reader", (*CLAIM_FEATURES, *CLAIM_READER_FEATURES))
    return model.predict_chance({**features, **measure_reading(reading)})


_COMPARED_BEFORE = (
    "new_names",
    "new_numerals",
    "other_quantities",
    "negations",
    "negations_not_near",
    "negated_here_only",
    "negated_there_only",
    "negated_in_both",
)
"""Features of a citation's claim that its caller has compared with more knowledge: a figure may be worked out, and "No, ..."
answers a question."""
MEAN_LIKELY = 0.58
"""The mean of the three opinions on a citation from which it is rather supported than not: on claims_written (dev) 61 % of the
true sentences that nothing speaks against lie above it, and 9 % of the false."""


def _judge_citation(claim: Text, evidence: Text, reading: Support | None, quoted: Support | None) -> Support:
    """The mean of what the rules, the reader of the quotation and the nearness of the nearest sentence say, with ``MEAN_LIKELY``
    moved to ``LIKELY``.

    Nothing is called contradicted: what contradicts a claim is a figure, a name or a denial, and those are compared before.
    """
    if not claim.words:
        return Support(1.0, 0.0, "it claims nothing")
    if not evidence.words:
        return Support(0.0, 0.0, "there is no evidence")
    found = compare_texts(claim, evidence)
    foreign = load_logistic_model("claim_words", WORD_FEATURES).compute_log_odds(found.rows)
    features = found.features | measure_foreignness(foreign) | dict.fromkeys(_COMPARED_BEFORE, 0.0)
    opinions = [_predict_support(features, reading), found.features["similarity"]]
    opinions += [quoted.entailed] if quoted is not None else []
    mean = min(max(sum(opinions) / len(opinions), 0.0), 1.0)
    entailed = mean ** (math.log(LIKELY) / math.log(MEAN_LIKELY))
    reason = "the evidence says it in like words" if entailed > LIKELY else _explain_doubt(found, foreign)
    return Support(entailed, 0.0, reason)


def _explain_doubt(found: Comparison, foreign: NDArray[np.float64]) -> str:
    if found.features["similarity"] < FAR:
        return "nothing in the evidence is close to it"
    if found.plain and (foreign > 0).any():
        return f"the evidence does not say {_quote_words((found.plain[int(np.argmax(foreign))],))} in any words"
    return "the evidence says it only in part"
