"""Making a follow-up self-contained (QU-1).

A question in a conversation is rarely whole: "How does it work?", "What about pricing?", "Dialog skill". A pronoun with
one clear antecedent gives way to it; otherwise, or besides, the question names in brackets the topics it continues. A
question that has words enough of its own and points nowhere back is left alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile
from math import sqrt
from typing import Protocol

from ascertain.core.plans import Intent
from ascertain.core.requests import Standalone, Turn
from ascertain.core.runs import Run
from ascertain.retrieval.query.follow_ups import (
    COMPLETE,
    MOST_CHARACTERS,
    TOPIC_TURNS,
    WORD,
    Leaning,
    Pronoun,
    Stands,
    asked_stems,
    content_stems,
    find_leaning,
    find_pronouns,
    is_telling,
    names_another,
    word_key,
)
from ascertain.retrieval.query.intent import intent_of, says_nothing, without_small_talk


class Rewriter(Protocol):
    """Makes a follow-up self-contained (QU-1)."""

    def standalone(self, question: str, history: Sequence[Turn], run: Run) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first)."""
        ...


WORDS_ADDED = 3
"""Words of the conversation for a question that speaks of what was asked before; three and four find alike on
mtrag_un, and eight hide the question. Any other follow-up gets its one subject: more of it finds no more there."""
WORDS_SEARCHED = 12
"""Words of the conversation among which a person is looked for (by judgement)."""
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
        leaning = find_leaning(asked, asked_stems(history))
        if leaning is None:
            return Standalone(question, False, reason=COMPLETE)
        pronouns = find_pronouns(asked)
        is_person = any(pronoun.stands is Stands.PERSON for pronoun in pronouns)
        found = find_topics(history, content_stems(asked), WORDS_SEARCHED if is_person else WORDS_ADDED)
        if names_another(asked):
            found = tuple(filter(None, map(_without_names, found)))
        if not found:
            return Standalone(question, True, reason="the conversation names nothing that would help")
        antecedents = {pronoun: topic for pronoun in pronouns if (topic := _find_antecedent(pronoun, found))}
        if antecedents:
            text = _replace_pronouns(asked, antecedents)
            return Standalone(text, True, tuple(topic.text for topic in antecedents.values()), leaning.value)
        has_subject = leaning is not Leaning.SPOKEN_OF and any(not stem[0].isdigit() for stem in content_stems(asked))
        added = tuple(topic.text for topic in (found[:1] if has_subject or is_person else found))
        return Standalone(f"{asked} (about: {', '.join(added)})", True, added, leaning.value)


def _replace_pronouns(question: str, antecedents: Mapping[Pronoun, Topic]) -> str:
    for pronoun in sorted(antecedents, key=lambda pronoun: -pronoun.start):
        name = _name_topic(antecedents[pronoun], pronoun)
        question = f"{question[: pronoun.start]}{name}{question[pronoun.end :]}"
    return question


def _without_names(topic: Topic) -> Topic | None:
    words = [word for word in topic.text.split() if not word[0].isupper()]
    return replace(topic, text=" ".join(words), is_name=False) if words else None


def _find_antecedent(pronoun: Pronoun, topics: Sequence[Topic]) -> Topic | None:
    """The topic that ``pronoun`` stands for; None where it is not clear."""
    if pronoun.stands is Stands.PERSON:
        # a person is hardly ever what a conversation is most about: "Who founded it?" and then "Where was she born?"
        fitting = list(filter(None, map(_person_of, topics)))
    else:
        fitting = [topic for topic in topics if _fits_thing(topic, pronoun.stands)]
    if not fitting or (fitting[0] is not topics[0] and pronoun.stands is not Stands.PERSON):
        return None
    is_clear = len(fitting) == 1 or fitting[0].weight >= CLEAR_LEAD * fitting[1].weight
    return fitting[0] if is_clear else None


def _person_of(topic: Topic) -> Topic | None:
    """The name in "founder Petra Lindholm holds"; None where there is none of two words or more."""
    words = dropwhile(lambda word: not word[0].isupper(), topic.text.split())
    name = " ".join(takewhile(lambda word: word[0].isupper(), words))
    return replace(topic, text=name, is_name=True, is_definite=False) if " " in name else None


def _fits_thing(topic: Topic, stands: Stands) -> bool:
    last = topic.text.split()[-1]
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return is_plural if stands is Stands.THINGS else topic.is_name or not is_plural


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

DECAY = 0.6
"""Weight of a turn of the user by the weight of the next."""
ASSISTANT = 0.8
"""Weight of an assistant's turn by that of the user's it answers."""
ONLY_ANSWERED = 0.2
"""Weight of a word that no question had: an answer says much that the conversation is not about. From 0 to 0.3 follow-ups
of mtrag_un find alike, and less above."""
NAME_WEIGHT = 1.3
"""Weight of a capitalised word."""
LEAD = 300
"""Characters of an assistant's turn: its first sentence says what it is about."""
LONGEST_PHRASE = 4

_OWNER = re.compile(r"['’]s$")


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
    asked = asked_stems(history)
    for number, (text, weight) in enumerate(_said_in_turns(history)):
        heaviest: dict[str, float] = {}
        for mention in _iterate_mentions(text, number):
            mentions.append(mention)
            for word, key in zip(mention.words, mention.stems, strict=True):
                worth = weight * (NAME_WEIGHT if word[0].isupper() else 1.0) * (1.0 if key in asked else ONLY_ANSWERED)
                heaviest[key] = max(heaviest.get(key, 0.0), worth)
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
        is_owned = bool(run) and token[0].islower() and _OWNER.search(run[-1]) is not None
        if is_telling(token) and len(run) < LONGEST_PHRASE and not is_owned:
            run.append(token)
            continue
        words = _noun_phrase(run)
        if words:
            yield _Mention(words, tuple(word_key(word) for word in words), before in {"the", "a", "an"}, turn)
        # A run longer than a phrase goes on in the next one.
        run = [token] if is_telling(token) else []
        before = "" if run else token.lower()


def _noun_phrase(run: Sequence[str]) -> tuple[str, ...]:
    """``run`` without the verbs that a phrase does not begin or end with, as far as their endings tell, and without
    figures at its end.
    """
    words = [*run[:-1], *(_OWNER.sub("", word) for word in run[-1:])]
    while words and words[-1][0].isdigit():
        words.pop()
    while words and words[0][0].isdigit():
        words.pop(0)
    while len(words) > 1 and words[0].islower() and words[0].endswith("ed") and words[1][0].isupper():
        words.pop(0)
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
