"""What a conversation is about: its topics, heaviest first.

A topic is a run of content words within a turn (the candidate phrases of RAKE, Rose et al. 2010). A word weighs by the
turns it is said in: what was said last counts most, the user's words more than the assistant's, names more than other
words. A phrase weighs the sum of its words by the square root of their number, so that a long one does not win by its
length. ``bench/follow_ups.py`` measures what the numbers below give, and what a fit of them on the other half would
give.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from ascertain.core.requests import Turn
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import load_word_set
from ascertain.retrieval.query.intent import says_nothing, without_small_talk

WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*|\S")
"""Words with their inner hyphens; every other visible character is a boundary."""

DECAY = 0.6
"""Weight of a turn of the user by the weight of the next."""
ASSISTANT = 0.5
"""Weight of an assistant's turn by that of the user's it answers."""
NAME = 1.3
"""Weight of a capitalised word."""
TURNS = 12
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
                heaviest[key] = max(heaviest.get(key, 0.0), weight * (NAME if word[0].isupper() else 1.0))
        for key, value in heaviest.items():
            weights[key] += value
    return mentions, weights


def _said_in_turns(history: Sequence[Turn]) -> Iterator[tuple[str, float]]:
    """What each turn says of a subject and its weight, latest first."""
    age = 0
    for turn in reversed(history[-TURNS:]):
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
