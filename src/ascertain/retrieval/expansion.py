"""Other wordings of a question by rules (QU-3), fitted to the strategy (QU-8).

Three a question: technical, simple, and another aspect of the same matter. For a keyword search a wording is a list of specific
words, for a semantic one a phrase that names the wider concept, for a hybrid one a phrase that keeps the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ascertain.core.passages import Strategy
from ascertain.core.plans import Plan, Variant
from ascertain.core.runs import Run
from ascertain.core.settings.profiles import Profile
from ascertain.language.tokens import WORD, content_terms, folded, stem
from ascertain.language.word_lists import load_pairs
from ascertain.retrieval.keywords import READ, Keywords, keywords
from ascertain.retrieval.normalise import normalise
from ascertain.retrieval.small_talk import without_small_talk

MOST_WORDS = 12
"""Words of a wording; more of them than this are the question over again."""

TECHNICAL_WORDS: Mapping[str, str] = load_pairs("expansion", "technical")
"""Everyday words and what documents write for them."""
_SIMPLE_WORDS = {technical: plain for plain, technical in TECHNICAL_WORDS.items()}

_TECHNICAL = load_pairs("expansion", "technical_wording")
_SIMPLE = load_pairs("expansion", "simple_wording")
_ASPECT = load_pairs("expansion", "aspect_wording")


class RuleExpander:
    """Words a question anew by templates, word pairs and the alias tables of ``profiles``. Deterministic."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = tuple(profiles)

    def expand(self, question: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question, none equal to it or to another; none where the plan does without."""
        if not plan.expand:
            return ()
        asked = " ".join(without_small_talk(question[:READ]).split())
        plain, written_out = _words(asked), _words(normalise(asked, self._profiles).text)
        seen = {_compared(question)}
        variants: list[Variant] = []
        for kind, templates, words, change in (
            ("technical", (_TECHNICAL[plan.type], "{} in detail"), written_out, _technical),
            ("simple", (_SIMPLE[plan.type], "{} in simple terms"), plain, _simple),
            ("aspect", (_ASPECT[plan.type], "{} in context"), plain, str),
        ):
            # The second template is for a question that is worded like the first already.
            for template in templates:
                text = _worded(words, template, strategy, change)
                if text and _compared(text) not in seen:
                    seen.add(_compared(text))
                    variants.append(Variant(kind, text))
                    break
        return tuple(variants)


def _words(text: str) -> Keywords:
    """The telling words of ``text``, or all there are."""
    found = keywords(text)
    return found if found.all else Keywords((), (), (), tuple(dict.fromkeys(WORD.findall(text)))[:MOST_WORDS])


def _worded(words: Keywords, template: str, strategy: Strategy, change: Callable[[str], str]) -> str:
    """One wording; empty where the question has no word to make it of."""
    said = set(content_terms(template))
    others = [changed for word in words.others if stem(folded(changed := change(word))) not in said]
    phrases = words.phrases if strategy is Strategy.SEMANTIC else tuple(map(_quoted, words.phrases))
    # A code means nothing to a search by meaning, unless there is nothing else to go by.
    codes = () if strategy is Strategy.SEMANTIC and (words.names or others) else words.identifiers
    told = [*phrases, *codes, *words.names, *others]
    told = told or list(words.all)
    if strategy is Strategy.KEYWORD and told:
        # The template's own telling words are what sets one list apart from another.
        return " ".join(
            dict.fromkeys(
                [*told, *(word for word in template.split() if word != "{}" and content_terms(word))]
            )
        ).strip()
    return template.format(" ".join(told[:MOST_WORDS])) if told else ""


def _quoted(phrase: str) -> str:
    return f'"{phrase}"'


def _technical(word: str) -> str:
    return TECHNICAL_WORDS.get(word.lower(), word)


def _simple(word: str) -> str:
    return _SIMPLE_WORDS.get(word.lower(), word)


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())
