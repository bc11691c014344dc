"""The topics of a conversation, heaviest first (QU-1).

A topic is a run of content words within a turn (the candidate phrases of RAKE, Rose et al. 2010). A word weighs by the turns it is said
in: what was said last counts most, the user's words more than the assistant's, names more than other words. A phrase weighs the sum of
its words by the square root of their number, so that a long one does not win by its length. ``bench/answers/follow_ups.py`` measures what the
numbers below give, and what a fit of them on the other half would give.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from ascertain.core.asking.requests import Turn
from ascertain.language.word_lists import compile_pattern
from ascertain.questions.conversation.follow_ups import (
    MOST_CHARACTERS,
    TOPIC_TURNS,
    WORD,
    asked_stems,
    is_telling,
    word_key,
)
from ascertain.questions.intent import says_nothing, without_small_talk

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

_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they"})
_OWNER = re.compile(r"['’]s$")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
"""A part of the name before it: "Tidepool 3.2.0"."""


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


def find_topics(history: Sequence[Turn], known: Collection[str], most_words: int, language: str) -> tuple[Topic, ...]:
    """Topics whose words together are about ``most_words``, heaviest first, without the stems ``known``.

    A topic is taken for the words it adds: one whose words are all known is left out.
    """
    mentions, weights = _weigh_mentions(history, language)
    by_stems: dict[tuple[str, ...], list[_Mention]] = defaultdict(list)
    for mention in mentions:
        by_stems[mention.stems].append(mention)
    candidates = {stems: _build_topic(said, weights) for stems, said in by_stems.items()}
    seen = set(known)
    topics: list[Topic] = []
    room = most_words
    while candidates and room > 0:
        best = max(candidates, key=lambda stems: _added_weight(stems, seen, weights))
        if _added_weight(best, seen, weights) <= 0.0:
            break
        topic = candidates.pop(best)
        # One word over is better than a phrase cut short.
        if topics and len(best) > room + 1:
            continue
        topics.append(topic)
        room -= len(best)
        seen.update(best)
    return tuple(topics)


def _weigh_mentions(history: Sequence[Turn], language: str) -> tuple[list[_Mention], Mapping[str, float]]:
    mentions: list[_Mention] = []
    weights: dict[str, float] = defaultdict(float)
    asked = asked_stems(history, language)
    for number, (text, weight) in enumerate(_said_in_turns(history)):
        heaviest: dict[str, float] = {}
        for mention in _iterate_mentions(text, number, language):
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
            yield _set_off_predicate(turn.text[:MOST_CHARACTERS]), weight
        elif not says_nothing(turn.text):
            yield _first_sentence(turn.text), ASSISTANT * weight


_PREDICATE = compile_pattern("conversation", "predicate")


def _set_off_predicate(question: str) -> str:
    """``question`` with a comma before the verb or the adjective that it ends with: what "does the base model cost" speaks of is the base
    model.
    """
    return _PREDICATE.sub(lambda match: f"{match['subject']}, {match['predicate']}", question)


def _first_sentence(text: str) -> str:
    said = without_small_talk(text[: LEAD * 2])
    return re.split(r"(?<=[.!?])\s", said, maxsplit=1)[0][:LEAD]


def _iterate_mentions(text: str, turn: int, language: str) -> Iterator[_Mention]:
    run: list[str] = []
    before = ""
    # the end of a line ends what is said in it: a title does not go on in the text below
    for token in (*WORD.findall(text.replace("\n", "\n.\n")), "."):
        is_owned = bool(run) and token[0].islower() and _OWNER.search(run[-1]) is not None
        # "Name" says nothing of a subject, but it does in "Domain Name System"
        goes_on = bool(run) and token[0].isupper() and run[-1][0].isupper()
        if (is_telling(token) or goes_on) and len(run) < LONGEST_PHRASE and not is_owned:
            run.append(token)
            continue
        # "Default: 7": the name of a column, of which nothing is said
        # what people do ("can I carry over") is no thing
        said = run[1:] if before in _SUBJECTS and run and run[0].islower() else run
        words = () if token == ":" else _noun_phrase(said)
        if words:
            yield _Mention(words, tuple(word_key(word, language) for word in words), before in {"the", "a", "an"}, turn)
        # A run longer than a phrase goes on in the next one.
        run = [token] if is_telling(token) else []
        before = "" if run else token.lower()


def _noun_phrase(run: Sequence[str]) -> tuple[str, ...]:
    """``run`` without the verbs that a phrase does not begin or end with, as far as their endings show, and without
    figures at its end.
    """
    words = [*run[:-1], *(_OWNER.sub("", word) for word in run[-1:])]
    while words and words[-1][0].isdigit() and not (len(words) > 1 and _VERSION.fullmatch(words[-1])):
        words.pop()
    while words and words[0][0].isdigit():
        words.pop(0)
    while len(words) > 1 and words[0].islower() and words[0].endswith("ed") and words[1][0].isupper():
        words.pop(0)
    while len(words) > 1 and words[-1].islower() and words[-1].endswith("ed"):
        words.pop()
    while len(words) > 1 and words[0].islower() and words[0].endswith("ing"):
        words.pop(0)
    if len(words) == 1 and words[0].islower() and words[0].endswith("ed"):
        words.pop()
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
