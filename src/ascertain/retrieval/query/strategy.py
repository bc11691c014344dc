"""Choice of strategy by rules (QU-7).

Both legs together are better than either alone on each of five dev sets (nDCG@10 of hybrid over the better leg: +6.3
anthropic_docs, +7.1 mtrag_un, +3.5 hotpot, +1.0 clapnq, +0.5 xquad), so one is left out only where it cannot help:
meaning, where a question is nothing but codes or a quotation; words, where it has none that tell anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.plans import Plan, QuestionType, StrategyChoice
from ascertain.core.asking.runs import Run
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.language.languages import KNOWN
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, stem_word
from ascertain.language.word_lists import load_words
from ascertain.questions.model_inputs import PHRASE

# Quoted phrases and identifiers are found whole or not at all, names nearly so; the rest of the content words may be
# said otherwise.

READ = 2000
"""Characters of a question that are read for its words."""
MOST_WORDS = 40
"""Words of each kind that are kept; a longer question is a text, and its first words say what it is about."""

FEWEST = 2
"""Words below which the words of asking count too ("regional differences")."""

_AROUND = ".,;:!?()[]{}<>'’“”\"`"
_CODE = re.compile(
    r"(?=[^\W_]*+_)\w++|(?=\w*?\d{3})\w++|[a-z]{2,}[A-Z]\w*|v?\d+(?:\.\d+){2,}|--?[a-z][\w-]+|\w{2,}(?:(?:::|\.)\w{2,})+"
)
"""One part of a code: an underscore, three digits, camel case, a version, an option, a dotted name."""
_DECADE = re.compile(r"\d+(?:s|st|nd|rd|th)", re.IGNORECASE)
_ASKING = frozenset((*load_words("asking", "asking"), *load_words("asking", "keywords")))


@dataclass(frozen=True, slots=True)
class Keywords:
    """Each in order of the question and as written; no word is in two of them."""

    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def exact(self) -> tuple[str, ...]:
        """What must be found as it is written."""
        return (*self.phrases, *self.identifiers)

    @property
    def all(self) -> tuple[str, ...]:
        """Every content word, the most exact first."""
        return (*self.phrases, *self.identifiers, *self.names, *self.others)


def extract_keywords(question: str, language: str) -> Keywords:
    """Sort the words of ``question``; words of asking are left out unless there are hardly any others."""
    read = question[:READ]
    phrases = [phrase.strip() for phrase in PHRASE.findall(read) if WORD.search(phrase)]
    tokens = PHRASE.sub(" . ", read).split()
    identifiers = [token.strip(_AROUND) for token in tokens if _is_identifier(token.strip(_AROUND))]
    rest = " ".join("." if _is_identifier(token.strip(_AROUND)) else token for token in tokens)
    names: list[str] = []
    others: list[str] = []
    asking: list[str] = []
    for match in WORD.finditer(rest):
        word = match.group()
        plain = fold_words(word).replace("’", "'")
        if plain in STOP_WORDS:
            continue
        if plain in _ASKING:
            asking.append(word)
        elif _is_name(rest, match):
            names.append(word)
        else:
            others.append(word)
    if len(phrases) + len(identifiers) + len(names) + len(others) < FEWEST:
        others += asking
    return Keywords(*(_drop_repeats(words, language) for words in (phrases, identifiers, names, others)))


def _is_name(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if text.isupper() or not word[0].isupper():
        return word.isdigit() and len(word) == 4
    before = text[: match.start()].rstrip()
    opens = not before or before[-1] in ".?!:"
    return not opens or (word.isupper() and len(word) > 1)


def is_code(word: str) -> bool:
    """Whether an identifier is a code, whose meaning no model of language knows, rather than a name such as GPT-4."""
    return any(_CODE.fullmatch(part) for part in (word, *re.split(r"[-/:]", word)) if part) and not _is_year(word)


def _is_identifier(token: str) -> bool:
    """Letters with digits, or a code."""
    if not token or _is_year(token):
        return False
    mixed = any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
    return (mixed and not _DECADE.fullmatch(token)) or (not token.isdigit() and is_code(token))


def _is_year(word: str) -> bool:
    return re.fullmatch(r"[12]\d{3}(?:[-/]\d{2,4})?", word) is not None


def _drop_repeats(words: list[str], language: str) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(stem_word(fold_words(word), language), word)
    return tuple(first.values())[:MOST_WORDS]


EXACT_SHARE = 0.6
"""Share of identifiers and quotations from which a question is a look-up of exactly these."""
EXACT_SHARE_TECHNICAL = 0.5
"""The same where the documents are full of identifiers, which then tell more."""
TECHNICAL = 0.5
"""Mean technical density of a corpus of code, references and specifications."""
BASE_CONFIDENCE = 0.6


class RuleStrategist:
    """Hybrid unless the question gives a clear reason; ``corpus`` is None where nothing is known of the documents.

    ``reads_english_only`` says so of the embedding model: a question in another language that the rules have lists of is
    then looked up by its words first (answer in the first sentence, German 20 → 21 and Spanish 23 → 25 of 28,
    ``bench/languages``). Another strategy is tried after it where that finds little.
    """

    def __init__(self, corpus: CorpusProfile | None, *, reads_english_only: bool = False) -> None:
        self._reads_english_only = reads_english_only
        density = corpus.technical_density if corpus is not None else None
        self._is_technical = density is not None and density >= TECHNICAL

    def choose(self, question: str, language: str, plan: Plan, run: Run) -> StrategyChoice:
        """A strategy with confidence 0..1 and the reason; ``run`` is not used, rules cost nothing."""
        words = extract_keywords(question, language)
        if self._is_lookup(words):
            what = "a quotation" if words.phrases else "an identifier"
            return StrategyChoice(Strategy.KEYWORD, 0.8, f"the question is little more than {what}: {words.exact[0]}")
        if not content_terms(question[:READ], language):
            return StrategyChoice(Strategy.SEMANTIC, 0.9, "no word of the question tells anything by itself")
        if self._reads_english_only and language in KNOWN:
            return StrategyChoice(Strategy.KEYWORD, 0.7, "the embedding model reads English only")
        confidence, reason = _why_hybrid(words, plan)
        return StrategyChoice(Strategy.HYBRID, confidence, reason)

    def _is_lookup(self, words: Keywords) -> bool:
        exact = [*(phrase for phrase in words.phrases if "?" not in phrase), *filter(is_code, words.identifiers)]
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
