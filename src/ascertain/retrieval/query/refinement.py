"""Rules that reword a question after poor retrieval (WF-2, QU-8): one tactic for each thing that can be wrong.

They follow ``GUIDANCE``. What the sufficiency check names as missing comes first; then the issues in order of
weight; then, so that every further attempt is another one, whatever still changes the words. No tactic drops a content
word: of 173 poor searches on five dev sets, those reworded for the missing part alone fell from 68..79 to 23..32
R@5. None repeats a word either: repeating the missing part gained a point there, but looks like a fault to a person who
reads the trace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.asking.judgements import Gap, GapKind, RetrievalIssue, Shortfall
from ascertain.core.asking.passages import Passage, Strategy
from ascertain.core.asking.plans import Refinement
from ascertain.core.asking.runs import Run, Task
from ascertain.core.settings.profiles import Profile
from ascertain.language.sentences import cut_at_sentence
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, stem_word
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.questions.aliases import expand_aliases
from ascertain.questions.intent import without_small_talk
from ascertain.questions.model_inputs import is_wording, new_words, one_line, passages_as_data, same_words, shares_words
from ascertain.retrieval.query.expansion import STRATEGY_GUIDANCE, TECHNICAL_WORDS
from ascertain.retrieval.query.strategy import READ, Keywords, extract_keywords

# What to do about each issue, addressed to the rewriter: the rules follow it, a model gets it in its prompt.

GUIDANCE: Mapping[RetrievalIssue, str] = MappingProxyType(
    {
        RetrievalIssue.PARTIAL_COVERAGE: (
            "The passages answer a part of the question. Keep the words of that part to a minimum and ask for the part "
            "that is missing, in the vocabulary of the passages that fit."
        ),
        RetrievalIssue.MISSING_KEY_INFO: (
            "What the question turns on is not in the passages. Name exactly that: the missing name in quotes, the "
            "missing figure, date or step in plain words, and nothing beside it that was found already."
        ),
        RetrievalIssue.INCOMPLETE_CONTEXT: (
            "The passages mention the matter without explaining it. Ask more widely: for the definition, the background "
            "or the steps around it."
        ),
        RetrievalIssue.DOMAIN_MISALIGNMENT: (
            "The passages speak of the matter in another vocabulary than the question. Use the terms of the documents: "
            "write out abbreviations, replace everyday words by technical ones."
        ),
        RetrievalIssue.LOW_CONFIDENCE: (
            "Nothing found is close to the question. Shorten it to its few telling words, without the phrasing around them."
        ),
        RetrievalIssue.MIXED_RELEVANCE: (
            "Good and bad passages are mixed. Keep the words that set the good ones apart, and drop those that the bad "
            "ones share with the question."
        ),
        RetrievalIssue.OFF_TOPIC: (
            "The passages are about something else. Put the subject of the question first and by its full name, and "
            "leave out words with more than one meaning."
        ),
        RetrievalIssue.WRONG_DOMAIN: (
            "The passages come from another field. Add a word or two that name the field of the question."
        ),
    }
)


SHOWN = 5
"""Passages shown: what came first says what the wording leads to."""
SHOWN_CHARACTERS = 4000
"""Of all of them together: 1,000 tokens, in which five chunks of the usual size keep their first sentences."""
ISSUES = 3
"""Issues whose guidance is given, weightiest first; more contradict each other."""
LONGEST_GAP = 200
"""Characters of what is missing, cut at the end of a sentence or a word."""
_GAPS: Mapping[GapKind, str] = MappingProxyType(
    {
        GapKind.NAME: "a name: ask for it by its full name",
        GapKind.CONCEPT: "ask what it is, why or how",
        GapKind.TIME: "ask for that time",
        GapKind.FIGURE: "a figure: ask for it with its unit",
    }
)


_SAID_AGAIN = re.compile(r"(?<![\w.,:;-])([^\W\d]+(?:\s+\w+){0,5}?)(?:[\s,;]+\1\b)+", re.IGNORECASE)
"""A word or phrase and the same once more right behind it, with nothing but white space or a comma between, as small models tend to write; numbers
are never taken for that (``section 5 5.2``)."""


class Refiner(Protocol):
    """Rewords a question after poor retrieval, guided by what was wrong (WF-2, QU-8)."""

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """Another wording that asks the same."""
        ...


class RefinementReply(BaseModel):
    """Another wording of the question."""

    query: str = Field(description="The question, worded anew.")
    reason: str = Field(default="", description="What was changed and why, in a short line.")


class ModelRefiner:
    """Asks the model; the rules take over when its wording is no other one or asks after something else."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Refiner) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "refine", "refine")
        self._fallback = fallback

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """Another wording that asks the same."""
        passages = passages_as_data(shortfall.passages[:SHOWN], SHOWN_CHARACTERS)
        reply = self._step.reply(
            RefinementReply,
            run,
            question=as_data(shortfall.question, "question"),
            guidance="\n".join(_list_guidance(shortfall)),
            passages=passages or "(none)",
        )
        if reply is None:
            return self._fallback.refine(shortfall, run)
        worded = one_line(reply.query)
        is_repeated = is_wording(worded) and not _SAID_AGAIN.search(shortfall.question)
        text = _SAID_AGAIN.sub(r"\1", worded) if is_repeated else worded
        wrong = _wrong_with(text, shortfall.question, shortfall.language)
        if wrong:
            self._step.fell_back(run, wrong)
            return self._fallback.refine(shortfall, run)
        reason = one_line(reply.reason)[:200] or "a chat model worded it anew"
        return Refinement(text, reason, new_words(text, shortfall.language, shortfall.question))


def _list_guidance(shortfall: Shortfall) -> Iterator[str]:
    for issue in shortfall.quality.issues[:ISSUES]:
        yield f"- {issue}: {GUIDANCE[issue]}"
    for gap in shortfall.sufficiency.gaps[:ISSUES]:
        # what is missing is named in words of the question or by who judged the passages, not by a passage
        yield f"- missing: {_describe_gap(gap)}"
    yield f"- {shortfall.strategy} search: {STRATEGY_GUIDANCE[shortfall.strategy]}"


def _describe_gap(gap: Gap) -> str:
    """What is missing and how to look for it; what the rules measured is a number that says nothing to a model."""
    what = cut_at_sentence(one_line(gap.what), LONGEST_GAP)
    if gap.kind is GapKind.AMOUNT:
        return "nothing that was found is near the question; word it as a document that answers it would"
    return f"{what} ({_GAPS[gap.kind]})"


def _wrong_with(text: str, question: str, language: str) -> str:
    """Why ``text`` cannot be searched instead; empty when it can."""
    if not is_wording(text):
        return f"the wording is empty or too long ({len(text)} characters)"
    if same_words(text, question, language):
        return "the wording has the same words as before"
    if not shares_words(text, question, language):
        return "the wording shares no word with the question"
    return ""


# Pseudo-relevance feedback on words, as in RM3 (Abdul-Jaleel et al., TREC 2004): the best passages are taken for
# relevant, and a word weighs by how much more of it they hold than the rest of the list does.

GOOD = 2
"""Passages taken for relevant: the first is right most often, the second often enough."""
MOST_TELLING = 3
SHORTEST = 4
"""Characters of a word that can tell a subject."""
PASSAGE_CHARACTERS = 2000
"""Read of a passage."""


def telling_words(
    question: str, language: str, passages: Sequence[Passage], most: int = MOST_TELLING
) -> tuple[str, ...]:
    """At most ``most`` words, the most telling first, as the passages spell them; none without passages."""
    asked = set(content_terms(question, language))
    good = [_passage_words(passage) for passage in passages[:GOOD]]
    others = [_passage_words(passage) for passage in passages[GOOD:]]
    spelling: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for words in good:
        for word in words:
            key = stem_word(fold_words(word), language)
            spelling.setdefault(key, word)
            counts[key] += 1
    # How many of the other passages hold a word too: what all hold tells nothing.
    shared = Counter(key for words in others for key in {stem_word(fold_words(word), language) for word in words})
    weights = {key: count / (1 + shared[key]) for key, count in counts.items() if key not in asked and count > 1}
    best = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    return tuple(spelling[key] for key in best)


def _passage_words(passage: Passage) -> list[str]:
    return [
        word
        for word in WORD.findall(passage.chunk.indexed_text[:PASSAGE_CHARACTERS])
        if len(word) >= SHORTEST and fold_words(word) not in STOP_WORDS and not word.isdigit()
    ]


MOST_GAPS = 3
"""Missing things asked for at once; more pull a search apart."""
MOST_WORDS = 24
"""Words of a wording."""
WIDER = ("overview", "definition", "background", "explanation", "details")
"""What widens a question; each further attempt takes the next."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A shortfall with the words of its question; ``asked`` is it on one line and without small talk."""

    shortfall: Shortfall
    asked: str
    words: Keywords
    profiles: Sequence[Profile]

    @property
    def plain(self) -> tuple[str, ...]:
        """The content words, the most exact first, quotations in quotes."""
        return (*(f'"{phrase}"' for phrase in self.words.phrases), *self.words.all[len(self.words.phrases) :])


class RuleRefiner:
    """``profiles`` bring the vocabulary of the documents. Deterministic."""

    def __init__(self, profiles: Sequence[Profile] = ()) -> None:
        self._profiles = tuple(profiles)

    def refine(self, shortfall: Shortfall, run: Run) -> Refinement:
        """A wording other than the present one, never empty; ``run`` is not used, rules cost nothing."""
        asked = " ".join(without_small_talk(shortfall.question[:READ]).split())
        case = _Case(shortfall, asked, extract_keywords(asked, shortfall.language), self._profiles)
        before = _sort_words(shortfall.question)
        for proposed, reason in _propose_wordings(case):
            text = drop_repeats(proposed, shortfall.question, shortfall.language)
            if WORD.search(text) and _sort_words(text) != before:
                return Refinement(text, reason, new_words(text, shortfall.language, shortfall.question))
        return Refinement(f"{asked} {WIDER[0]}".strip(), "asks more widely", (WIDER[0],))


def _sort_words(text: str) -> list[str]:
    """Equal for wordings that differ in nothing but order, which find the same."""
    return sorted(word.casefold() for word in WORD.findall(text))


def _propose_wordings(case: _Case) -> Iterator[tuple[str, str]]:
    """Wordings worth trying, best first, with why."""
    yield from _after_gaps(case)
    for issue in case.shortfall.quality.issues:
        text = _TACTICS[issue](case)
        yield text, f"{issue.replace('_', ' ')}: {_DOES[issue]}"
    yield _join_words(case.plain), "only the telling words"
    yield _contrast_wording(case), "words of the best passages"
    yield _widen_wording(case), "asks more widely"


def _after_gaps(case: _Case) -> Iterator[tuple[str, str]]:
    gaps = case.shortfall.sufficiency.gaps
    missing = [gap.what for gap in gaps if gap.kind is GapKind.NAME][:MOST_GAPS]
    if missing:
        first = [_whole_name(case.asked, missing)] if case.shortfall.strategy is not Strategy.SEMANTIC else missing
        rest = [word for word in case.plain if word not in missing]
        yield _join_words((*first, *rest)), f"missing name: {', '.join(missing)} first"
    times = [gap.what for gap in gaps if gap.kind is GapKind.TIME and gap.what.isdigit()]
    if times:
        yield _join_words((*case.plain, *times)), f"missing time: {', '.join(times)}"
    concepts = [gap.what for gap in gaps if gap.kind is GapKind.CONCEPT and len(gap.what.split()) == 1][:MOST_GAPS]
    if concepts:
        yield _join_words((*concepts, *case.plain)), f"missing: {', '.join(concepts)} first"


def _whole_name(asked: str, missing: Sequence[str]) -> str:
    """The missing words in quotes where they stand together, as one name, else one by one."""
    together = " ".join(missing)
    return f'"{together}"' if len(missing) > 1 and together in asked else " ".join(missing)


def _missing_first(case: _Case) -> str:
    """The content words, those that no passage has first, or the question with words of the best passages where all
    are held.
    """
    held = {
        key
        for passage in case.shortfall.passages
        for key in content_terms(passage.chunk.indexed_text, case.shortfall.language)
    }
    absent = [word for word in case.plain if not held.issuperset(content_terms(word, case.shortfall.language))]
    if not absent:
        return _add_words(case.asked, telling_words(case.asked, case.shortfall.language, case.shortfall.passages))
    return _join_words((*absent, *case.plain))


def _in_their_words(case: _Case) -> str:
    """Abbreviations written out, everyday words made technical, with words of the best passages."""
    written_out = expand_aliases(case.asked, case.profiles).text
    changed = " ".join(TECHNICAL_WORDS.get(word.lower(), word) for word in written_out.split())
    return _add_words(changed, telling_words(case.asked, case.shortfall.language, case.shortfall.passages))


def _subject_first(case: _Case) -> str:
    """The names, or else the longest words, which have the fewest meanings, before the other telling words."""
    words = case.words
    leading = (*words.exact, *words.names) or sorted(words.others, key=len, reverse=True)[:2]
    return _join_words((*leading[:MOST_GAPS], *case.plain))


def _with_field(case: _Case) -> str:
    """The question and the name of its field: the alias table whose context it shows."""
    asked = set(content_terms(expand_aliases(case.asked, case.profiles).text, case.shortfall.language))
    fields = [
        name
        for profile in case.profiles
        for name, table in profile.aliases.items()
        if asked & {key for word in table.context for key in content_terms(word, case.shortfall.language)}
    ]
    return _add_words(
        case.asked,
        [field for field in fields if not asked.issuperset(content_terms(field, case.shortfall.language))][:2],
    )


def _widen_wording(case: _Case) -> str:
    said = set(WORD.findall(case.asked.lower()))
    wider = next((word for word in WIDER if word not in said), "")
    return _join_words((*case.plain, wider))


def _contrast_wording(case: _Case) -> str:
    """The question with what the best passages say more of than the others."""
    return _add_words(case.asked, telling_words(case.asked, case.shortfall.language, case.shortfall.passages))


_TACTICS: Mapping[RetrievalIssue, Callable[[_Case], str]] = {
    RetrievalIssue.PARTIAL_COVERAGE: _missing_first,
    RetrievalIssue.MISSING_KEY_INFO: _missing_first,
    RetrievalIssue.INCOMPLETE_CONTEXT: _widen_wording,
    RetrievalIssue.DOMAIN_MISALIGNMENT: _in_their_words,
    RetrievalIssue.LOW_CONFIDENCE: lambda case: _join_words(case.plain),
    RetrievalIssue.MIXED_RELEVANCE: _contrast_wording,
    RetrievalIssue.OFF_TOPIC: _subject_first,
    RetrievalIssue.WRONG_DOMAIN: _with_field,
}
_DOES: Mapping[RetrievalIssue, str] = {
    RetrievalIssue.PARTIAL_COVERAGE: "what is not covered first",
    RetrievalIssue.MISSING_KEY_INFO: "what no passage holds first",
    RetrievalIssue.INCOMPLETE_CONTEXT: "asks more widely",
    RetrievalIssue.DOMAIN_MISALIGNMENT: "in the words of the documents",
    RetrievalIssue.LOW_CONFIDENCE: "only the telling words",
    RetrievalIssue.MIXED_RELEVANCE: "with what sets the good passages apart",
    RetrievalIssue.OFF_TOPIC: "the subject first",
    RetrievalIssue.WRONG_DOMAIN: "with the name of the field",
}


def _add_words(text: str, words: Sequence[str]) -> str:
    return f"{text} {' '.join(words)}".strip()


def _join_words(words: Sequence[str]) -> str:
    return " ".join([word for word in dict.fromkeys(words) if word][:MOST_WORDS])


def drop_repeats(text: str, question: str, language: str) -> str:
    """``text`` without the words that it says again, unless ``question`` says them as often."""
    allowed, said = Counter(content_terms(question, language)), Counter[str]()
    kept: list[str] = []
    for word in text.split():
        stems = content_terms(word, language)
        if stems and all(said[stem] >= max(1, allowed[stem]) for stem in stems):
            continue
        said.update(stems)
        kept.append(word)
    return " ".join(kept)
