"""The offline checker of claims: transparent features of words, numbers, names and negations, weighed by
fitted weights.

No language model: the evidence must say the claim in its own or in like words. What it can and cannot tell,
with figures, is in docs/claims.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.runs import Run
from ascertain.core.settings import ModelSettings
from ascertain.models.entail.claim_features import (
    CLAIM_FEATURES,
    CONTRADICTION_FEATURES,
    compare,
    foreignness,
)
from ascertain.models.entail.reading import Text, read
from ascertain.models.entail.reasons import reason
from ascertain.models.entail.word_features import WORD_FEATURES
from ascertain.models.logistic_model import load_logistic_model
from ascertain.models.ports import ClaimPair, Embedder, Support, TokenEmbedder

CEILING = 0.6
"""A claim whose number the evidence lacks, or which the evidence denies, is never entailed beyond this,
however alike the rest is: below the default of ``verification.support``, above one half, since half of the
claims that would be supported but for such an alarm are, against four fifths of those without one
(docs/claims.md)."""


class RuleEntailment:
    """``embedder`` must be the built-in model: the weights were fitted to its token states."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """Identifies the model."""
        return "rules"

    def check(self, pairs: Sequence[ClaimPair], run: Run) -> list[Support]:
        """See the port. Each distinct sentence is embedded once a call; nothing is spent on ``run``."""
        texts = read(
            dict.fromkeys(text for pair in pairs for text in (pair.claim, pair.evidence)), self._embedder
        )
        return [_support(texts[pair.claim], texts[pair.evidence]) for pair in pairs]


def open_rules(name: str, settings: ModelSettings, embedder: Embedder) -> RuleEntailment:
    """The checker over the built-in embedding model, which is opened beside ``embedder`` where that is another one."""
    from ascertain.models.onnx import BUILT_IN, OnnxEmbedder  # noqa: PLC0415  onnxruntime takes 0.2 s to import

    if embedder.name == BUILT_IN and isinstance(embedder, TokenEmbedder):
        return RuleEntailment(embedder)
    return RuleEntailment(OnnxEmbedder.load(BUILT_IN, settings.threads))


def _support(claim: Text, evidence: Text) -> Support:
    if not claim.words:
        return Support(1.0, 0.0, "it claims nothing")
    if not evidence.words:
        return Support(0.0, 0.0, "there is no evidence")
    found = compare(claim, evidence)
    foreign = load_logistic_model("claim_words", WORD_FEATURES).compute_log_odds(found.rows)
    features = found.features | foreignness(foreign)
    entailed = load_logistic_model("claims", CLAIM_FEATURES).predict_chance(features)
    if found.numbers or found.opposites or found.is_negated_otherwise:
        entailed = min(entailed, CEILING)
    denial = load_logistic_model("claim_contradictions", CONTRADICTION_FEATURES).predict_chance(features)
    return Support(entailed, (1 - entailed) * denial, reason(found, foreign, entailed))
