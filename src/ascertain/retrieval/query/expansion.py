"""Other wordings of a question by rules (QU-3), fitted to the strategy (QU-8).

Three a question: technical, simple, and another aspect of the same matter. For a keyword search a wording is a list of
specific words, for a semantic one a phrase that names the wider concept, for a hybrid one a phrase that keeps the
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.plans import Plan, Variant
from ascertain.core.asking.runs import Run, Task
from ascertain.core.settings import RetrievalSettings
from ascertain.core.settings.profiles import Profile
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import WORD, content_terms, fold_words, stem_word
from ascertain.language.word_lists import load_pairs
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.questions.aliases import expand_aliases
from ascertain.questions.intent import without_small_talk
from ascertain.questions.model_inputs import LONGEST, fold_wording, is_wording, one_line, same_words, shares_words
from ascertain.retrieval.query.strategy import READ, Keywords, extract_keywords

MOST_WORDS = 12
"""Words of a wording; more of them than this are the question over again."""

TECHNICAL_WORDS: Mapping[str, str] = load_pairs("expansion", "technical")
"""Everyday words and what documents write for them."""
_SIMPLE_WORDS = {technical: plain for plain, technical in TECHNICAL_WORDS.items()}

_TECHNICAL = load_pairs("expansion", "technical_wording")
_SIMPLE = load_pairs("expansion", "simple_wording")
_ASPECT = load_pairs("expansion", "aspect_wording")


class RuleExpander:
    """Rewords a question by templates, word pairs and the alias tables of ``profiles``. Deterministic."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._profiles = tuple(profiles)

    def expand(self, question: str, language: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question, none equal to it or to another; none where the plan does without.

        None in another language than English, which the templates and the word pairs are in.
        """
        if not plan.expand or language != ENGLISH:
            return ()
        asked = " ".join(without_small_talk(question[:READ]).split())
        plain, written_out = (
            _telling_words(asked, language),
            _telling_words(expand_aliases(asked, self._profiles).text, language),
        )
        seen = {fold_wording(question)}
        variants: list[Variant] = []
        for kind, templates, words, change in (
            ("technical", (_TECHNICAL[plan.type], "{} in detail"), written_out, _technical_word),
            ("simple", (_SIMPLE[plan.type], "{} in simple terms"), plain, _simple_word),
            ("aspect", (_ASPECT[plan.type], "{} in context"), plain, str),
        ):
            # The second template is for a question that is worded like the first already.
            for template in templates:
                text = _word_variant(words, template, strategy, change, language=language)
                if text and fold_wording(text) not in seen:
                    seen.add(fold_wording(text))
                    variants.append(Variant(kind, text))
                    break
        return tuple(variants)


def _telling_words(text: str, language: str) -> Keywords:
    """The content words of ``text``, or all words."""
    found = extract_keywords(text, language)
    return found if found.all else Keywords((), (), (), tuple(dict.fromkeys(WORD.findall(text)))[:MOST_WORDS])


def _word_variant(
    words: Keywords, template: str, strategy: Strategy, change: Callable[[str], str], *, language: str
) -> str:
    """One wording; empty if the question has no word for it."""
    said = set(content_terms(template, language))
    others = [changed for word in words.others if stem_word(fold_words(changed := change(word)), language) not in said]
    phrases = words.phrases if strategy is Strategy.SEMANTIC else tuple(map(_quote_phrase, words.phrases))
    # A code means nothing to a search by meaning, unless there is nothing else to go by.
    codes = () if strategy is Strategy.SEMANTIC and (words.names or others) else words.identifiers
    told = [*phrases, *codes, *words.names, *others]
    told = told or list(words.all)
    if strategy is Strategy.KEYWORD and told:
        # The template's own content words distinguish one list from another.
        return " ".join(
            dict.fromkeys(
                [*told, *(word for word in template.split() if word != "{}" and content_terms(word, language))]
            )
        ).strip()
    return template.format(" ".join(told[:MOST_WORDS])) if told else ""


def _quote_phrase(phrase: str) -> str:
    return f'"{phrase}"'


def _technical_word(word: str) -> str:
    return TECHNICAL_WORDS.get(word.lower(), word)


def _simple_word(word: str) -> str:
    return _SIMPLE_WORDS.get(word.lower(), word)


STRATEGY_GUIDANCE: Mapping[Strategy, str] = MappingProxyType(
    {
        Strategy.KEYWORD: (
            "The search matches words exactly. Use specific terms, identifiers and proper nouns as the documents would "
            "write them; leave out words that every document has."
        ),
        Strategy.SEMANTIC: (
            "The search matches meaning. Say in a full phrase what is meant, in terms of concepts, broader rather than "
            "narrower; identifiers do not help."
        ),
        Strategy.HYBRID: (
            "The search matches both words and meaning. Keep the names and identifiers, and say in a full phrase what is "
            "meant."
        ),
    }
)


# HyDE: Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", arXiv 2212.10496. Step-back: Zheng et
# al., "Take a Step Back", arXiv 2310.06117.

LONGEST_IMAGINED = 1000
"""Characters of an imagined passage: the size of a chunk, past which the embedding model sees nothing."""

_HYDE = "hyde: a passage of three or four sentences as a document that answers the question might hold it."
_STEP_BACK = "step_back: the more general question behind it, whose answer would help with this one."
_EMPTY = "Leave {} empty."


class Expander(Protocol):
    """Words a question in other ways (QU-3, QU-8)."""

    def expand(self, question: str, language: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question; none where the plan does without."""
        ...


class ExpansionReply(BaseModel):
    """Other wordings of one question."""

    technical: str = Field(description="In the terms of an expert.")
    simple: str = Field(description="In everyday words.")
    aspect: str = Field(description="Asking after another side of the same matter.")
    hyde: str = ""
    step_back: str = ""


class ModelExpander:
    """Asks the model; the rules take over when none of its wordings can be used."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Expander, settings: RetrievalSettings) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "expand", "expand")
        self._fallback = fallback
        self._settings = settings

    def expand(self, question: str, language: str, plan: Plan, strategy: Strategy, run: Run) -> tuple[Variant, ...]:
        """Variants to search beside the question; none where the plan does without."""
        if not plan.expand:
            return self._fallback.expand(question, language, plan, strategy, run)
        reply = self._step.reply(
            ExpansionReply,
            run,
            question=as_data(question, "question"),
            strategy=STRATEGY_GUIDANCE[strategy],
            options="\n".join(self._list_options()),
        )
        if reply is None:
            return self._fallback.expand(question, language, plan, strategy, run)
        variants = self._keep_usable(reply, question, language)
        if not variants:
            self._step.fell_back(run, "none of the model's wordings asks after the same in other words")
            return self._fallback.expand(question, language, plan, strategy, run)
        return variants

    def _list_options(self) -> Iterator[str]:
        yield f"- {_HYDE}" if self._settings.hyde else f"- {_EMPTY.format('hyde')}"
        yield f"- {_STEP_BACK}" if self._settings.step_back else f"- {_EMPTY.format('step_back')}"

    def _keep_usable(self, reply: ExpansionReply, question: str, language: str) -> tuple[Variant, ...]:
        wordings = {"technical": reply.technical, "simple": reply.simple, "aspect": reply.aspect}
        if self._settings.hyde:
            wordings["hyde"] = reply.hyde
        if self._settings.step_back:
            wordings["step_back"] = reply.step_back
        kept: list[Variant] = []
        for kind, wording in wordings.items():
            text = one_line(wording)
            longest = LONGEST_IMAGINED if kind == "hyde" else LONGEST
            repeats = same_words(text, question, language) or any(
                same_words(text, other.text, language) for other in kept
            )
            if is_wording(text, longest) and shares_words(text, question, language) and not repeats:
                kept.append(Variant(kind, text))
        return tuple(kept)
