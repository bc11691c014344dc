"""Moods of sentences by a lexicon: VADER (Hutto & Gilbert, ICWSM 2014) with the words of reports and of the profile.

VADER weighs words, boosters, negation, contrast ("but") and capitals. What it does not know is put in front of it as words of known
valence: turns of phrase, and verbs of direction by what rises: more inflation is worse, more revenue better.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer  # pyright: ignore[reportMissingTypeStubs]

from ascertain.core.reports.analysis import Mood
from ascertain.language.word_lists import load_pairs, load_phrases, load_word_set, load_words

NEUTRAL = 0.15
"""Mood up to which a sentence or a document is neutral, either way. VADER's authors take .05 for posts; reports tell much that holds one
mild word ("agreed", "fine") and takes no side (by macro-F1 on generated sentences of seeds that are not reported).
"""
JUDGING = 2.0
"""Valence from which a word judges in a description too: "terrible", "excellent". Of the 384 sentences of manuals and reference texts in
the demo corpus, which judge next to nothing, 36 take a side so, and 134 by all words.
"""
MOVED, MOVED_FAR = 1.6, 2.6
"""Valence of a move and of one by `FAR` percent or more; those of "good" and "great" are 1.9 and 3.1 in VADER."""
FAR = 8.0
LONGEST = 500
"""Characters of a sentence that are read; what is longer is a table or a list."""

_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_PERCENT = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s?(?:%|per ?cent)")
_TOKENS = {"up": "zzrises", "down": "zzfalls", "far_up": "zzsoars", "far_down": "zzcrashes"}
_REFUSES = re.compile(r"declin(?:e[sd]?|ing)\s+to\s+[a-z]", re.IGNORECASE)
"""Who declines to comment does not fall."""
_NAME = re.compile(r"(?<=[a-z,]) [A-Z][\w&’'-]+(?: (?:and |of )?[A-Z][\w&’'-]+)+")
"""A name of several words speaks of nothing by them: "the Crypto Fear and Greed Index"."""
_BEFORE = 60
"""Characters before a verb of direction in which its subject stands."""


def name_mood(score: float) -> Mood:
    """The mood of a score -1..1."""
    if abs(score) <= NEUTRAL:
        return Mood.NEUTRAL
    return Mood.POSITIVE if score > 0 else Mood.NEGATIVE


class MoodReader:
    """Scores sentences; ``own`` are valences (-4..4) of words that the material has besides. ``of_descriptions``: of texts that say
    how something is, where a mild word of the general list names a thing ("block", "limited", "difficulty") and judges nothing. Safe
    to share between threads.
    """

    def __init__(self, own: Mapping[str, float] | None = None, *, of_descriptions: bool = False) -> None:
        self._analyser: Any = SentimentIntensityAnalyzer()
        lexicon = cast("dict[str, float]", self._analyser.lexicon)
        for word in _up_verbs() | _down_verbs():
            lexicon.pop(word, None)
        lexicon.update({word: float(value) for word, value in load_pairs("moods", "valences").items()})
        if of_descriptions:
            for word in [word for word, value in lexicon.items() if abs(value) < JUDGING]:
                lexicon.pop(word)
        phrases = {phrase: float(value) for phrase, value in load_pairs("moods", "phrases").items()}
        for words, value in (own or {}).items():
            (phrases if " " in words else lexicon)[words.lower()] = value
        lexicon.update({"zzrises": MOVED, "zzfalls": -MOVED, "zzsoars": MOVED_FAR, "zzcrashes": -MOVED_FAR})
        self._phrases: dict[str, str] = {}
        for number, (phrase, value) in enumerate(phrases.items()):
            self._phrases[phrase] = f"zzphrase{number}"
            lexicon[f"zzphrase{number}"] = value
        longest = sorted(self._phrases, key=len, reverse=True)
        self._phrase = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)

    def score_sentence(self, text: str) -> float:
        """How well ``text`` speaks of its subject, -1..1; 0 for one that takes no side."""
        read = self._phrase.sub(lambda match: self._phrases[match[0].lower()], text[:LONGEST])
        read = read if read.isupper() else _NAME.sub(" Zzname", read)
        read = _NEGATOR.sub("without", _replace_directions(read))
        # a headline in capitals throughout shouts nothing
        read = read.lower() if read.isupper() else read
        return float(self._analyser.polarity_scores(read)["compound"])


def _replace_directions(text: str) -> str:
    """``text`` with its verbs of direction as words whose valence is known."""

    def replace_verb(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word in _up_verbs():
            is_up = True
        elif word in _down_verbs():
            is_up = False
        else:
            return _place_adverb(match)
        after = text[match.end() : match.end() + _BEFORE]
        size = _PERCENT.search(after)
        if (word in _needing_number() and size is None) or _REFUSES.match(text, match.start()):
            return match[0]
        return _name_direction(is_up, text, match, size)

    read = _WORD.sub(replace_verb, text)
    # "losses fell": once it is said which way they went, the word itself says nothing more
    return read if read == text else _BAD_WHEN_UP.sub("what", read)


def _place_adverb(match: re.Match[str]) -> str:
    """Before a percentage adverbs tell of a move too: "closed up 3 %"."""
    word = match[0].lower()
    if word not in {"up", "down"}:
        return match[0]
    size = re.match(rf"\s+(?:by\s+)?{_PERCENT.pattern}", match.string[match.end() :])
    return _name_direction(word == "up", match.string, match, size) if size else match[0]


def _name_direction(is_up: bool, text: str, match: re.Match[str], size: re.Match[str] | None) -> str:
    around = text[max(0, match.start() - _BEFORE) : match.start()]
    behind = re.match(r"\s+in\s+([\w\s'’-]{3,40})", text[match.end() :])
    subject = f"{around} {behind[1]}" if behind else around
    clause = re.split(r"[,;:]|\b(?:and|but|as|while|after|because|despite)\b", subject)[-1]
    is_good = is_up != bool(_BAD_WHEN_UP.search(clause))
    is_far = size is not None and float(size[1]) >= FAR
    return _TOKENS[("far_" if is_far else "") + ("up" if is_good else "down")]


_BAD_WHEN_UP = re.compile(rf"\b(?:{'|'.join(load_words('moods', 'bad_when_up'))})\b", re.IGNORECASE)
_NEGATOR = re.compile(rf"\b(?:{'|'.join(load_phrases('moods', 'negators'))})\b", re.IGNORECASE)


@cache
def _up_verbs() -> frozenset[str]:
    return load_word_set("moves", "up_verbs")


@cache
def _down_verbs() -> frozenset[str]:
    return load_word_set("moves", "down_verbs")


@cache
def _needing_number() -> frozenset[str]:
    return load_word_set("moves", "needs_number")
