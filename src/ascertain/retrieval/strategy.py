"""Choice of strategy by rules (QU-7).

Both legs together are better than either alone on each of five dev sets (nDCG@10 of hybrid over the better leg: +6.3
anthropic_docs, +7.1 mtrag_un, +3.5 hotpot, +1.0 clapnq, +0.5 xquad), so one is left out only where it cannot help: meaning,
where a question is nothing but codes or a quotation; words, where it has none that tell anything.
"""

from __future__ import annotations

from ascertain.core.passages import Strategy
from ascertain.core.plans import Plan, QuestionType, StrategyChoice
from ascertain.core.profiling import CorpusProfile
from ascertain.core.runs import Run
from ascertain.language.tokens import content_terms
from ascertain.retrieval.keywords import Keywords, is_code, keywords

EXACT_SHARE = 0.6
"""Share of identifiers and quotations from which a question is a look-up of exactly these."""
EXACT_SHARE_TECHNICAL = 0.5
"""The same where the documents are full of identifiers, which then tell more."""
TECHNICAL = 0.5
"""Mean technical density of a corpus of code, references and specifications."""
BASE_CONFIDENCE = 0.6


class RuleStrategist:
    """Hybrid unless the question gives a clear reason; ``corpus`` is None where nothing is known of the documents."""

    def __init__(self, corpus: CorpusProfile | None) -> None:
        density = corpus.technical_density if corpus is not None else None
        self._is_technical = density is not None and density >= TECHNICAL

    def choose(self, question: str, plan: Plan, run: Run) -> StrategyChoice:
        """A strategy with confidence 0..1 and the reason; ``run`` is not used, rules cost nothing."""
        words = keywords(question)
        if self._is_lookup(words):
            what = "a quotation" if words.phrases else "an identifier"
            return StrategyChoice(
                Strategy.KEYWORD, 0.8, f"the question is little more than {what}: {words.exact[0]}"
            )
        if not content_terms(question[:2000]):
            return StrategyChoice(Strategy.SEMANTIC, 0.9, "no word of the question tells anything by itself")
        confidence, reason = _why_hybrid(words, plan)
        return StrategyChoice(Strategy.HYBRID, confidence, reason)

    def _is_lookup(self, words: Keywords) -> bool:
        exact = [
            *(phrase for phrase in words.phrases if "?" not in phrase),
            *filter(is_code, words.identifiers),
        ]
        if not exact:
            return False
        share = len(exact) / len(words.all)
        return share >= (EXACT_SHARE_TECHNICAL if self._is_technical else EXACT_SHARE)


def _why_hybrid(words: Keywords, plan: Plan) -> tuple[float, str]:
    if words.exact or words.names:
        named = (*words.exact, *words.names)[0]
        return 0.8, f"names {named} and says more about it"
    if plan.type in {QuestionType.CONCEPTUAL, QuestionType.COMPARATIVE}:
        return 0.7, f"a {plan.type} question, whose words still tell"
    return BASE_CONFIDENCE, "nothing speaks for words or meaning alone"
