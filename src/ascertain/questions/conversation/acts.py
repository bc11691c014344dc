"""Acts on the conversation: messages about the last answer or the conversation itself, not the documents (QU-11).

"Shorter please", "which source says that?", "what did I ask first?": a message counts as one only where nothing else stands in it. What
people say is listed as examples; a message need not be one of them, but near to one, by its words or by what they mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache, partial
from math import log, sqrt
from operator import itemgetter

import numpy as np

from ascertain.language.languages import ENGLISH, NAMES
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import compile_pattern, load_pairs, load_phrases, load_word_set
from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.ports import Embedder, Vectors
from ascertain.questions.conversation.follow_ups import is_telling
from ascertain.questions.kinds.documents import names_document

LONGEST_ACT = 100
"""Characters of a message; a longer one asks for more."""
NEAR = 0.6
"""Cosine from which a message that has only words of the examples is what an example is. Of 815 questions of ``asked``, ``wild``,
``mtrag_un`` and the demo none is.
"""


class Act(StrEnum):
    """What to do with the last answer or the conversation."""

    SHORTEN = "shorten"
    EXPAND = "expand"
    LIST = "list"
    TRANSLATE = "translate"
    REPEAT = "repeat"
    DOUBT = "doubt"
    """Are you sure?"""
    CITE = "cite"
    """Which source says that?"""
    RECALL_FIRST = "recall_first"
    """What did I ask first?"""
    RECALL_LAST = "recall_last"
    RECALL_ALL = "recall_all"
    RECAP = "recap"
    """What have we learned so far?"""
    AGREE = "agree"
    """Yes, to what was offered."""
    DECLINE = "decline"
    THANK = "thank"
    LEAVE = "leave"

    @property
    def needs_answer(self) -> bool:
        """Whether it works on the last answer."""
        return self not in _OF_CONVERSATION

    @property
    def rewords(self) -> bool:
        """Whether a chat model serves it better than quotations do."""
        return self in {Act.SHORTEN, Act.EXPAND, Act.LIST, Act.TRANSLATE}


_SAID_WHOLE = frozenset({Act.AGREE, Act.DECLINE, Act.THANK, Act.LEAVE})
"""A word more or less makes another message of them."""
_PARTING = frozenset({Act.THANK, Act.LEAVE})
_OF_CONVERSATION = frozenset(
    {Act.AGREE, Act.DECLINE, Act.RECALL_FIRST, Act.RECALL_LAST, Act.RECALL_ALL, Act.RECAP, Act.THANK, Act.LEAVE}
)


@dataclass(frozen=True, slots=True)
class RequestedAct:
    """An act, and for ``TRANSLATE`` the ISO 639-1 code of the language that is wanted."""

    act: Act
    language: str = ""


ReadAct = Callable[[str], RequestedAct | None]
"""The act that a message is in a conversation; None where it asks or says anything else."""


def choose_act_reader(embedder: Embedder) -> ReadAct:
    """By words and meaning with the embedding model that ``NEAR_IN_MEANING`` was measured with, else by words."""
    return partial(read_act_by_meaning, embedder=embedder) if embedder.name == BUILT_IN else read_act


def read_act(message: str) -> RequestedAct | None:
    """The act that ``message`` is by its words. Of several in one message ("too long, just the gist") it is the first that works on the
    last answer, else the last.
    """
    return _read_clauses(message, _read_words)


def read_act_by_meaning(message: str, embedder: Embedder) -> RequestedAct | None:
    """The same, and where the words leave it open by what they mean."""

    def read(clause: str) -> RequestedAct | None:
        return _read_words(clause) or _read_meaning(clause, embedder)

    return read_act(message) or _read_clauses(message, read)


def _read_clauses(message: str, read: ReadAct) -> RequestedAct | None:
    if len(message) > LONGEST_ACT:
        return None
    whole = read(message)
    clauses = [clause for clause in _CLAUSE_END.split(message) if _fold(clause)]
    if whole is not None or len(clauses) < 2:
        return whole
    acts = [read(clause) for clause in clauses]
    found = list(filter(None, acts))
    # "Brilliant, thank you!"
    is_exclaimed = bool(found) and found[-1].act in _PARTING and "?" not in message
    if not all(
        act or (is_exclaimed and len(_fold(each).split()) == 1) for each, act in zip(clauses, acts, strict=True)
    ):
        return None
    return next((act for act in found if act.act.needs_answer), found[-1])


NEAR_IN_MEANING = 0.6
"""Cosine of the built-in embedding model from which a message means what an example means. Of 815 questions of ``asked``, ``wild``,
``mtrag_un`` and the demo none is so near to one.
"""
UNKNOWN_WORDS = 1
"""Words that say something and that no example has; a message with more of them asks for something."""


def _read_meaning(message: str, embedder: Embedder) -> RequestedAct | None:
    said = _fold(message)
    words = _strip_courtesies(said)
    known, _ = _count_features()
    stems = list(_list_stems(words))
    unknown = sum(is_telling(word) and each not in known for word, each in stems)
    is_spoken_of = not unknown or any(word not in STOP_WORDS and each in known for word, each in stems)
    if not words or not is_spoken_of or unknown > UNKNOWN_WORDS:
        return None
    phrases, vectors = _embed_examples(embedder)
    nearness = np.max(embedder.embed_documents([words, said]) @ vectors.T, axis=0)
    best = int(np.argmax(nearness))
    act = _list_examples()[phrases[best]]
    if act is None or nearness[best] < NEAR_IN_MEANING or (act in _OF_TEXT and _names_material(said)):
        return None
    return RequestedAct(act)


_OF_TEXT = frozenset({Act.SHORTEN, Act.EXPAND, Act.REPEAT, Act.RECAP})
"""What can be asked of documents as well as of an answer."""


def _names_material(said: str) -> bool:
    """Whether documents are what a message is about: "summarize the articles", "sum up the second one"."""
    is_shown = compile_pattern("catalogue_questions", "shown_by_place").search(said) is not None
    return is_shown or names_document(said) or "news" in said.split()


@lru_cache(maxsize=2)
def _embed_examples(embedder: Embedder) -> tuple[tuple[str, ...], Vectors]:
    phrases = tuple(_list_examples())
    return phrases, embedder.embed_documents(phrases)


@cache
def _list_examples() -> Mapping[str, Act | None]:
    """What people say in English, each with its act, and None for what only sounds like one."""
    questions = {_fold(phrase): None for phrase in load_phrases("acts", "no_act")}
    return {**_load_phrases(ENGLISH), **questions}


_CLAUSE_END = re.compile(r"[,.;:!?…–—-]+")


def _read_words(message: str) -> RequestedAct | None:
    said = _fold(message)
    words = _strip_courtesies(said)
    if not words:
        return None
    act = _load_acts().get(words)
    if act is not None:
        return RequestedAct(act)
    wanted = _read_language(said)
    if wanted is not None:
        return wanted
    near = _find_nearest(words) or _find_parting(message, words)
    return RequestedAct(near) if near else None


def _find_parting(message: str, words: str) -> Act | None:
    """Thanks or a good-bye that says more: "thanks a lot for your help!"."""
    if "?" in message:
        return None
    said = ((act, phrase) for phrase, act in _load_acts().items() if act in _PARTING)
    begun = ((act, words.removeprefix(phrase)) for act, phrase in said if f"{words} ".startswith(f"{phrase} "))
    return next((act for act, rest in begun if not any(is_telling(word) for word in rest.split())), None)


def _read_language(said: str) -> RequestedAct | None:
    """A language that is asked for at the end of a message, which says nothing else: "can I have that in Spanish, please?"."""
    match = _load_translating().fullmatch(_load_courtesies("after").sub("", said))
    if match is None or not _load_asking_words().issuperset(match["before"].split()):
        return None
    return RequestedAct(Act.TRANSLATE, _load_languages()[match["language"]])


def _fold(message: str) -> str:
    """Folded words with single spaces between them, apostrophes removed."""
    bare = re.sub(r"['’`´]", "", fold_words(message))
    return " ".join("".join(character if character.isalnum() else " " for character in bare).split())


def _strip_courtesies(words: str) -> str:
    """``words`` without "please", "can you" and the like around them; all of them where nothing else is left."""
    rest, before = words, ""
    while rest and rest != before:
        before = rest
        rest = _load_courtesies("after").sub("", _load_courtesies("before").sub("", rest))
    return rest or words


@cache
def _load_courtesies(where: str) -> re.Pattern[str]:
    phrases = sorted(map(_fold, load_phrases("acts", where, "mul")), key=len, reverse=True)
    listed = "|".join(map(re.escape, phrases))
    return re.compile(rf"^(?:{listed}) (?=\S)" if where == "before" else rf"(?<=\S) (?:{listed})$")


@cache
def _load_acts() -> Mapping[str, Act]:
    return {**_load_phrases("mul"), **_load_phrases(ENGLISH)}


def _load_phrases(language: str) -> Mapping[str, Act]:
    return {
        _strip_courtesies(_fold(phrase)): act
        for act in Act
        if act is not Act.TRANSLATE
        for phrase in load_phrases("acts", act.value, language)
    }


def _find_nearest(words: str) -> Act | None:
    """The act of the example that ``words`` are nearest to, by the words and pairs of words that they share, of which the rarer weigh more;
    None where none is near, or a word is said that asks of something else.
    """
    known, _ = _count_features()
    if any(each not in known for _, each in _list_stems(words)):
        return None
    vector = _weigh(words)
    nearness, act = max(((_multiply(vector, each.vector), each.act) for each in _load_examples()), key=itemgetter(0))
    return act if nearness >= NEAR else None


@dataclass(frozen=True, slots=True)
class _Example:
    act: Act | None
    """None of a question that only sounds like an act."""
    vector: Mapping[str, float]


@cache
def _load_examples() -> Sequence[_Example]:
    phrases = {**_load_acts(), **_list_examples()}
    listed = ((act, words) for words, act in phrases.items() if act not in _SAID_WHOLE)
    examples = (_Example(act, _weigh(words)) for act, words in listed)
    return tuple(example for example in examples if example.vector)


def _weigh(words: str) -> Mapping[str, float]:
    """The words of a message and their pairs as a vector of unit length, by inverse frequency among the examples."""
    frequencies, examples = _count_features()
    weights = {
        each: log((examples + 1) / (frequencies[each] + 0.5)) * (PAIR if " " in each else 1.0)
        for each in _list_features(words)
    }
    length = sqrt(sum(weight**2 for weight in weights.values()))
    return {each: weight / length for each, weight in weights.items()}


PAIR = 0.5
"""Weight of a pair beside that of a word: pairs tell "how do you know" from "how do I list"."""


def _multiply(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other.get(each, 0.0) for each, weight in one.items())


@cache
def _count_features() -> tuple[Mapping[str, int], int]:
    phrases = _load_acts()
    return Counter(each for words in phrases for each in set(_list_features(words))), len(phrases)


def _list_features(words: str) -> Iterator[str]:
    """The stems of ``words`` and their pairs, ends included."""
    stems = [stem for _, stem in _list_stems(words)]
    yield from stems
    if stems:
        yield from (f"{one} {other}" for one, other in zip(["^", *stems], [*stems, "$"], strict=True))


def _list_stems(words: str) -> Iterator[tuple[str, str]]:
    """The words that are more than filling, each with its stem; what points is all one."""
    fillers, pointing = load_word_set("acts", "fillers"), load_word_set("acts", "pointing")
    return (
        (word, "it" if word in pointing else stem_word(word, ENGLISH)) for word in words.split() if word not in fillers
    )


@cache
def _load_languages() -> Mapping[str, str]:
    named = {_fold(name): code for code, name in NAMES.items()}
    return named | {_fold(name): code for name, code in load_pairs("acts", "own_names", "mul").items()}


@cache
def _load_translating() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _load_languages()), key=len, reverse=True))
    leads = {_fold(phrase).split()[-1] for phrase in load_phrases("acts", "translating", "mul")}
    return re.compile(rf"(?P<before>(?:\w+ )*?)(?:{'|'.join(sorted(leads))}) (?P<language>{names})")


@cache
def _load_asking_words() -> frozenset[str]:
    """The words in which a language is asked for."""
    lists = ("before", "after", "translating")
    phrases = [phrase for name in lists for phrase in load_phrases("acts", name, "mul")]
    return load_word_set("acts", "pointing") | {word for phrase in phrases for word in _fold(phrase).split()}
