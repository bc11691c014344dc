"""What a question of a conversation lacks when it is asked alone (QU-1).

A follow-up points back ("How does it work?"), has hardly a word of its own ("And the price?"), or speaks of what was
asked before it. Every other question is complete and inherits nothing by the rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from ascertain.core.asking.requests import Turn
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import compile_pattern, load_word_set

WORD = re.compile(r"[^\W_]+(?:['’&._/-][^\W_]+)*|\S")
"""Words with their inner hyphens, keys ("retention.daily") and versions whole; every other visible character is a boundary."""
TOPIC_TURNS = 12
"""Turns looked at; DECAY leaves less than a twentieth of the weight to older ones."""
MOST_CHARACTERS = 2000
"""Characters of a user's turn; a longer one is a pasted text."""
_WEAK = load_word_set("conversation", "weak")
"""Words of asking and answering; they say nothing of the subject and end a phrase."""


def content_stems(text: str, language: str) -> frozenset[str]:
    """Stems of the words that say something of the subject."""
    words = WORD.findall(text.lower() if text.isupper() else text)
    return frozenset(
        key for word in words if is_telling(word) for key in (word_key(word, language), *_hyphen_stems(word, language))
    )


def is_telling(token: str) -> bool:
    """Whether ``token`` says something of the subject; "US" and "IT" do, "us" and "it" do not."""
    if len(token) < 2:
        return False
    word = fold_words(token).replace("’", "'")
    return (word not in STOP_WORDS or token.isupper()) and word not in _WEAK and not word.endswith("ly")


def word_key(word: str, language: str) -> str:
    """``word`` as it is compared."""
    return stem_word(fold_words(word).replace("’", "'"), language)


def _hyphen_stems(word: str, language: str) -> tuple[str, ...]:
    """The stems of what hyphens, dots and the like join."""
    return (
        tuple(word_key(part, language) for part in re.split(r"[-&._/]", word) if part)
        if re.search(r"[-&._/]", word)
        else ()
    )


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
_OWNER = re.compile(r"['’]s$")
_KEY = re.compile(r"\d|\w[._]\w")
_NOUN_AFTER = re.compile(r"\s+[^\W\d_]")
_EMPTY_IT = compile_pattern("conversation", "empty_it")
_POINTING_WORDS = compile_pattern("conversation", "pointing")
_CONTINUING = compile_pattern("conversation", "continuing")
_CHANGING = compile_pattern("conversation", "changing")
_JOINING = compile_pattern("conversation", "joining")
_WHAT_ABOUT = compile_pattern("conversation", "what_about")
_DEFINING = compile_pattern("conversation", "defining")
_EXISTING = compile_pattern("conversation", "existing")
_VERB_FIRST = compile_pattern("conversation", "verb_first")
_BOUNDARY = compile_pattern("conversation", "boundary")
_DEMONSTRATIVES = frozenset({"this", "these"})
WHOLE_QUESTION = 4
"""Content words from which a question that points nowhere back stands alone: more of them only blur it."""
OWN_SUBJECT = 2
"""Content words from which a question has a subject of its own, unless it is one that was spoken of before."""


COMPLETE = "is complete and points nowhere back"


class Leaning(Enum):
    """What a question lacks without its conversation; the value says it in words."""

    POINTS_BACK = "continues the conversation"
    FEW_WORDS = "has few words of its own"
    SPOKEN_OF = "speaks of what was asked before"


def find_leaning(question: str, language: str, earlier: Collection[str]) -> Leaning | None:
    """Why ``question`` cannot be understood alone; None where it is complete. ``earlier`` are the stems of what was
    asked before it.

    Complete is what announces another subject, names one ("And what did Ungar hope?"), or has words enough of its own
    and shares none of them with the questions before it.
    """
    if _CHANGING.match(question):
        return None
    asked = _without_match(_JOINING, question)
    if points_back(asked):
        return Leaning.POINTS_BACK
    subject = _without_match(_WHAT_ABOUT, asked)
    own = content_stems(subject, language)
    words = sum(not stem[0].isdigit() for stem in own)
    if len(own) >= WHOLE_QUESTION or (subject != asked and words >= OWN_SUBJECT):
        return None
    if subject == asked and _VERB_FIRST.match(asked) and (_has_name(asked) or _DEFINING.match(asked)):
        return None
    if words < OWN_SUBJECT + (_EXISTING.match(asked) is not None):
        return Leaning.FEW_WORDS
    return Leaning.SPOKEN_OF if not own.isdisjoint(earlier) else None


def without_joining(question: str) -> str:
    """``question`` without what joins it to the conversation: "and", "what about"."""
    return _without_match(_WHAT_ABOUT, _without_match(_JOINING, question))


def is_fragment(question: str) -> bool:
    """Whether ``question`` has no verb that asks, so that it lacks one of the question before it: "And at most?", "Since which version?"."""
    subject = without_joining(question)
    return not _VERB_FIRST.match(subject) and not find_pronouns(subject)


def names_another(question: str) -> bool:
    """Whether ``question`` asks the same of another name ("And what about Brazil?"), which takes the place of the one
    before.
    """
    asked = _without_match(_JOINING, question)
    subject = _without_match(_WHAT_ABOUT, asked)
    is_fragment = subject != question and not _VERB_FIRST.match(subject)
    return is_fragment and any(word[0].isupper() and is_telling(word) for word in WORD.findall(subject))


def asked_stems(history: Sequence[Turn], language: str) -> frozenset[str]:
    """Stems of what the user asked about."""
    asked = (turn.text[:MOST_CHARACTERS] for turn in history[-TOPIC_TURNS:] if turn.role == "user")
    return frozenset[str]().union(*(content_stems(text, language) for text in asked))


def _without_match(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return text[match.end() :] if match else text


def _has_name(question: str) -> bool:
    """Whether a word within ``question`` has a capital, and not all of them have."""
    words = [word for word in WORD.findall(question) if word[0].isalpha()]
    return not all(word[0].isupper() for word in words) and any(
        word[0].isupper() and is_telling(word) for word in words[1:]
    )


def names_thing(question: str) -> bool:
    """Whether ``question`` names something that may be new to a conversation: a name, a key or a figure, or what it asks the meaning of."""
    asked = without_joining(question)
    words = [_OWNER.sub("", word) for word in WORD.findall(asked)]
    return _has_name(asked) or _DEFINING.match(asked) is not None or any(map(_KEY.search, words))


def points_back(question: str) -> bool:
    """Whether ``question`` has a word that stands for something said before."""
    return _CONTINUING.match(question) is not None or any(_find_pointing(_POINTING_WORDS, question))


def find_pronouns(question: str) -> tuple[Pronoun, ...]:
    """The pronouns of ``question`` that point back, the first of each kind."""
    found: dict[Stands, Pronoun] = {}
    for match in _find_pointing(_PRONOUN, question):
        word = match.group().lower()
        owns = word in _POSSESSIVE or (word == "her" and _NOUN_AFTER.match(question, match.end()) is not None)
        found.setdefault(_STANDS[word], Pronoun(match.start(), match.end(), _STANDS[word], owns))
    return tuple(found.values())


def _find_pointing(pattern: re.Pattern[str], question: str) -> Iterator[re.Match[str]]:
    """Matches that stand for something ``question`` itself does not name.

    Within its own clause a pronoun stands for nothing that is named there ("Can I change the text it shows?"), but a
    possessive may ("Does Apple publish its accounts?"), and so may any pronoun of a later clause ("Which plan has a
    trial and how long is it?").
    """
    empty = {place for match in _EMPTY_IT.finditer(question) for place in range(match.start(), match.end())}
    named = next((word.end() for word in WORD.finditer(question) if is_telling(word.group())), len(question) + 1)
    ends = [boundary.start() for boundary in _BOUNDARY.finditer(question)]
    for match in pattern.finditer(question):
        word, start = match.group().lower(), match.start()
        clause = start if word in _POSSESSIVE else _last_before(ends, start)
        is_phrase = word in _DEMONSTRATIVES and _NOUN_AFTER.match(question, match.end()) is not None
        if start not in empty and (is_phrase or named > clause):
            yield match


def _last_before(places: Sequence[int], place: int) -> int:
    """The last of the ordered ``places`` before ``place``, 0 where there is none."""
    earlier = bisect_left(places, place)
    return places[earlier - 1] if earlier else 0
