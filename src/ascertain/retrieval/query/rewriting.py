"""Rules that make a follow-up self-contained (QU-1).

A question in a conversation is rarely whole: "How does it work?", "What about pricing?", "Dialog skill". A pronoun with
one clear antecedent gives way to it; otherwise, or besides, the question names in brackets the topics it continues. A
question that has words enough of its own and points nowhere back is left alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.plans import Intent
from ascertain.core.requests import Standalone, Turn
from ascertain.core.runs import Run, Task
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.retrieval.query.intent import intent_of, says_nothing, without_small_talk
from ascertain.retrieval.query.model_inputs import is_wording, lost_figures, new_words, one_line

TURNS = 8
"""Latest turns shown; what a follow-up leans on is rarely further back (MTRAG's conversations: the last three)."""
TURN_CHARACTERS = 600
"""Shown of each; the subject of a reply stands at its beginning."""
INVENTED = 0.34
"""Share of a rewrite's words that may stand neither in the question nor in the conversation."""


class Rewriter(Protocol):
    """Makes a follow-up self-contained (QU-1)."""

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first)."""
        ...


class RewriteReply(BaseModel):
    """The question as it would be asked without the conversation."""

    is_follow_up: bool = Field(description="Whether the question needs the conversation to be understood.")
    standalone: str = Field(description="The question, understandable on its own; unchanged when it was so before.")


class ModelRewriter:
    """Asks the model; the rules take over when its rewrite loses figures or brings words from nowhere."""

    def __init__(self, chat: Chat, prompts: Prompts, fallback: Rewriter) -> None:
        self._step = PromptedStep(chat, prompts, Task.REWRITE, "rewrite", "rewrite")
        self._fallback = fallback

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first)."""
        if not history:
            return self._fallback.standalone(question, history, run)
        reply = self._step.reply(
            RewriteReply, run, history=_show_history(history), question=as_data(question, "question")
        )
        if reply is None:
            return self._fallback.standalone(question, history, run)
        text = one_line(reply.standalone)
        if not reply.is_follow_up or text.casefold() == question.strip().casefold():
            return Standalone(question, False, reason="the question stands on its own")
        wrong = _wrong_with(text, question, history)
        if wrong:
            self._step.fell_back(run, wrong)
            return self._fallback.standalone(question, history, run)
        added = new_words(text, question)
        return Standalone(text, True, added, "continues the conversation; a chat model completed it")


def _wrong_with(text: str, question: str, history: Sequence[Turn]) -> str:
    """Why ``text`` cannot be the question; empty when it can."""
    if not is_wording(text, max(400, 2 * len(question))):
        return f"the rewrite is empty or too long ({len(text)} characters)"
    lost = lost_figures(text, question)
    if lost:
        return f"the rewrite lost {', '.join(lost)}"
    invented = new_words(text, question, *(turn.text for turn in history))
    if len(invented) > INVENTED * len(text.split()):
        return f"the rewrite speaks of what nobody mentioned: {', '.join(invented[:5])}"
    return ""


def _show_history(history: Sequence[Turn]) -> str:
    return "\n".join(as_data(turn.text[:TURN_CHARACTERS], "turn", {"speaker": turn.role}) for turn in history[-TURNS:])


# A pronoun that the question itself explains ("Which plan has a trial and how long is it?") and an empty one ("is it
# possible to …") point nowhere.


class Stands(Enum):
    """What a pronoun can stand for."""

    THING = "thing"
    THINGS = "things"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun at ``start``..``end`` of a question that a name can take the place of."""

    start: int
    end: int
    stands: Stands
    is_possessive: bool


_STANDS = {
    "it": Stands.THING, "its": Stands.THING, "this": Stands.THING, "that": Stands.THING,
    "they": Stands.THINGS, "them": Stands.THINGS, "their": Stands.THINGS, "these": Stands.THINGS, "those": Stands.THINGS,
    "he": Stands.PERSON, "him": Stands.PERSON, "his": Stands.PERSON, "she": Stands.PERSON, "her": Stands.PERSON,
}  # fmt: skip
_POSSESSIVE = frozenset({"its", "their", "his"})
_PRONOUN = re.compile(
    r"(?<![\w'’-])(?:(?P<plain>it|its|they|them|their|he|him|his|she|her)(?![\w'’-])"
    # "this" and "these" alone; before a noun they are a part of its phrase
    r"|(?P<last>this|that|these|those)(?=\s*(?:[?.!,;]|$))"
    r"|(?:^|(?<=[.?!;]\s)|(?<=\bdo\s)|(?<=\bdoes\s)|(?<=\bdid\s))(?P<subject>this|that|these|those)(?=\s+(?:is|are|was|were|mean|work|happen|apply|cost)\b))",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(r"\s+[^\W\d_]")
_EMPTY_IT = compile_pattern("conversation", "empty_it")
_POINTING_WORDS = compile_pattern("conversation", "pointing")
_CONTINUING = compile_pattern("conversation", "continuing")
EXPLAINED_BY = 2
"""Content words before a pronoun from which it is taken to point into the question itself."""


def points_back(question: str) -> bool:
    """Whether ``question`` needs what was said before to be understood."""
    if _CONTINUING.match(question):
        return True
    empty, explained = _empty_places(question), _explained_from(question)
    return any(match.start() not in empty and match.start() < explained for match in _POINTING_WORDS.finditer(question))


def first_pronoun(question: str) -> Pronoun | None:
    """The first pronoun of ``question`` that points back, None where there is none."""
    empty, explained = _empty_places(question), _explained_from(question)
    for match in _PRONOUN.finditer(question):
        if match.start() >= explained:
            return None
        if match.start() in empty:
            continue
        word = match.group().lower()
        owns = word in _POSSESSIVE or (word == "her" and _NOUN_AFTER.match(question, match.end()) is not None)
        return Pronoun(match.start(), match.end(), _STANDS[word], owns)
    return None


def _empty_places(question: str) -> frozenset[int]:
    """Positions within an expression whose "it" stands for nothing."""
    return frozenset(place for match in _EMPTY_IT.finditer(question) for place in range(match.start(), match.end()))


def _explained_from(question: str) -> int:
    """Position from which a pronoun is taken to point into the question itself."""
    seen: set[str] = set()
    for match in WORD.finditer(question):
        seen |= content_stems(match.group())
        if len(seen) >= EXPLAINED_BY:
            return match.end()
    return len(question) + 1


WORDS_ADDED = 3
"""Words of the conversation. Three and four find alike on mtrag_un, and fewer read better; eight hide the question."""
WHOLE_QUESTION = 4
"""Content words from which a question that points nowhere back stands alone: more of them only blur it."""
CLEAR_LEAD = 1.3
"""How much heavier than the next topic an antecedent must be to take a pronoun's place."""


class RuleRewriter:
    """Adds what a follow-up leaves out, from the topics of the conversation."""

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first); it is returned as it is when it stands
        alone.
        """
        if not history:
            return Standalone(question, False, reason="nothing was said before")
        intent, why = intent_of(question)
        if intent in {Intent.GREETING, Intent.OUT_OF_SCOPE}:
            return Standalone(question, False, reason=why)
        asked = without_small_talk(question)
        own = content_stems(asked)
        leans = points_back(asked)
        if not leans and len(own) >= WHOLE_QUESTION:
            return Standalone(question, False, reason="has words of its own and points nowhere back")
        found = find_topics(history, own, WORDS_ADDED)
        if not found:
            return Standalone(question, leans, reason="the conversation names nothing that would help")
        text, replaced = _with_antecedent(asked, found)
        rest = [topic for topic in found if topic is not replaced]
        if rest:
            text = f"{text} (about: {', '.join(topic.text for topic in rest)})"
        reason = "continues the conversation" if leans else "has few words of its own"
        return Standalone(text, True, tuple(topic.text for topic in found), reason)


def _with_antecedent(question: str, found: Sequence[Topic]) -> tuple[str, Topic | None]:
    """``question`` with its first pronoun replaced by the topic it stands for, and that topic; None where it is not
    clear.
    """
    pronoun = first_pronoun(question)
    if pronoun is None or not _fits_pronoun(found[0], pronoun.stands):
        return question, None
    antecedent = found[0]
    second = next((topic for topic in found[1:] if _fits_pronoun(topic, pronoun.stands)), None)
    if second is not None and antecedent.weight < CLEAR_LEAD * second.weight:
        return question, None
    return f"{question[: pronoun.start]}{_name_topic(antecedent, pronoun)}{question[pronoun.end :]}", antecedent


def _fits_pronoun(topic: Topic, stands: Stands) -> bool:
    words = topic.text.split()
    if stands is Stands.PERSON:
        return topic.is_name and len(words) > 1
    is_plural = words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    if stands is Stands.THINGS:
        return is_plural
    return topic.is_name or not is_plural


def _name_topic(topic: Topic, pronoun: Pronoun) -> str:
    name = (
        f"the {topic.text}"
        if topic.is_definite or not (topic.is_name or pronoun.stands is Stands.THINGS)
        else topic.text
    )
    if not pronoun.is_possessive:
        return name
    return f"{name}’" if name.endswith("s") else f"{name}’s"


# The topics of a conversation, heaviest first. A topic is a run of content words within a turn (the candidate phrases of
# RAKE, Rose et al. 2010). A word weighs by the turns it is said in: what was said last counts most, the user's words more
# than the assistant's, names more than other words. A phrase weighs the sum of its words by the square root of their
# number, so that a long one does not win by its length. ``bench/follow_ups.py`` measures what the numbers below give, and
# what a fit of them on the other half would give.

WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*|\S")
"""Words with their inner hyphens; every other visible character is a boundary."""

DECAY = 0.6
"""Weight of a turn of the user by the weight of the next."""
ASSISTANT = 0.5
"""Weight of an assistant's turn by that of the user's it answers."""
NAME_WEIGHT = 1.3
"""Weight of a capitalised word."""
TOPIC_TURNS = 12
"""Turns looked at; DECAY leaves less than a twentieth of the weight to older ones."""
LEAD = 300
"""Characters of an assistant's turn: its first sentence says what it is about."""
MOST_CHARACTERS = 2000
"""Characters of a user's turn; a longer one is a pasted text."""
LONGEST_PHRASE = 4

_WEAK = load_word_set("conversation", "weak")
"""Words of asking and answering; they say nothing of the subject and end a phrase."""


@dataclass(frozen=True, slots=True)
class Topic:
    """``text`` as it was spelled first; ``is_definite`` when an article stood before it; ``turns`` it was said in."""

    text: str
    stems: frozenset[str]
    weight: float
    is_name: bool
    is_definite: bool
    turns: int


@dataclass(frozen=True, slots=True)
class _Mention:
    words: tuple[str, ...]
    stems: tuple[str, ...]
    is_definite: bool
    turn: int


def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that say something of the subject."""
    return frozenset(
        key for word in WORD.findall(text) if _is_telling(word) for key in (_word_key(word), *_hyphen_stems(word))
    )


def find_topics(history: Sequence[Turn], known: Collection[str], most_words: int) -> tuple[Topic, ...]:
    """Topics whose words together are about ``most_words``, heaviest first, without the stems ``known``.

    A topic is taken for the words it adds: one whose words are all known is left out.
    """
    mentions, weights = _weigh_mentions(history)
    by_stems: dict[tuple[str, ...], list[_Mention]] = defaultdict(list)
    for mention in mentions:
        by_stems[mention.stems].append(mention)
    candidates = {stems: _build_topic(said, weights) for stems, said in by_stems.items()}
    seen = set(known)
    chosen: list[Topic] = []
    room = most_words
    while candidates and room > 0:
        best = max(candidates, key=lambda stems: _added_weight(stems, seen, weights))
        if _added_weight(best, seen, weights) <= 0.0:
            break
        topic = candidates.pop(best)
        # One word over is better than a phrase cut short.
        if chosen and len(best) > room + 1:
            continue
        chosen.append(topic)
        room -= len(best)
        seen.update(best)
    return tuple(chosen)


def _weigh_mentions(history: Sequence[Turn]) -> tuple[list[_Mention], Mapping[str, float]]:
    mentions: list[_Mention] = []
    weights: dict[str, float] = defaultdict(float)
    for number, (text, weight) in enumerate(_said_in_turns(history)):
        heaviest: dict[str, float] = {}
        for mention in _iterate_mentions(text, number):
            mentions.append(mention)
            for word, key in zip(mention.words, mention.stems, strict=True):
                heaviest[key] = max(heaviest.get(key, 0.0), weight * (NAME_WEIGHT if word[0].isupper() else 1.0))
        for key, value in heaviest.items():
            weights[key] += value
    return mentions, weights


def _said_in_turns(history: Sequence[Turn]) -> Iterator[tuple[str, float]]:
    """What each turn says of a subject and its weight, latest first."""
    age = 0
    for turn in reversed(history[-TOPIC_TURNS:]):
        weight = DECAY**age
        if turn.role == "user":
            age += 1
            yield turn.text[:MOST_CHARACTERS], weight
        elif not says_nothing(turn.text):
            yield _first_sentence(turn.text), ASSISTANT * weight


def _first_sentence(text: str) -> str:
    said = without_small_talk(text[: LEAD * 2])
    return re.split(r"(?<=[.!?])\s", said, maxsplit=1)[0][:LEAD]


def _iterate_mentions(text: str, turn: int) -> Iterator[_Mention]:
    run: list[str] = []
    before = ""
    for token in (*WORD.findall(text), "."):
        if _is_telling(token) and len(run) < LONGEST_PHRASE:
            run.append(token)
            continue
        words = _noun_phrase(run)
        if words:
            yield _Mention(words, tuple(_word_key(word) for word in words), before in {"the", "a", "an"}, turn)
        # A run longer than a phrase goes on in the next one.
        run = [token] if _is_telling(token) else []
        before = "" if run else token.lower()


def _noun_phrase(run: Sequence[str]) -> tuple[str, ...]:
    """``run`` without the verbs that a phrase does not begin or end with, as far as their endings tell."""
    words = list(run)
    while len(words) > 1 and words[-1].islower() and words[-1].endswith("ed"):
        words.pop()
    while len(words) > 1 and words[0].islower() and words[0].endswith("ing"):
        words.pop(0)
    return tuple(words)


def _build_topic(said: Sequence[_Mention], weights: Mapping[str, float]) -> Topic:
    latest = said[0]
    return Topic(
        text=" ".join(latest.words),
        stems=frozenset(latest.stems),
        weight=_added_weight(latest.stems, frozenset(), weights),
        is_name=all(word[0].isupper() for word in latest.words),
        is_definite=any(mention.is_definite for mention in said),
        turns=len({mention.turn for mention in said}),
    )


def _added_weight(stems: Sequence[str], seen: Collection[str], weights: Mapping[str, float]) -> float:
    return sum(weights[key] for key in set(stems) if key not in seen) / sqrt(len(stems))


def _is_telling(token: str) -> bool:
    word = fold_words(token).replace("’", "'")
    return len(token) > 1 and word not in STOP_WORDS and word not in _WEAK and not word.endswith("ly")


def _word_key(word: str) -> str:
    return stem_word(fold_words(word).replace("’", "'"))


def _hyphen_stems(word: str) -> tuple[str, ...]:
    """The stems of what hyphens join."""
    return tuple(_word_key(part) for part in re.split(r"[-&]", word) if part) if re.search(r"[-&]", word) else ()
