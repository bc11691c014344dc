"""Acts on the conversation: messages about the last answer or the conversation itself, not the documents (QU-11).

"Shorter please", "which source says that?", "what did I ask first?": a message counts as one only if it contains nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ascertain.language.languages import NAMES
from ascertain.language.tokens import fold_words
from ascertain.language.word_lists import load_pairs, load_phrases

LONGEST_ACT = 100
"""Characters of a message; a longer one asks for more."""


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


_OF_CONVERSATION = frozenset(
    {Act.AGREE, Act.DECLINE, Act.RECALL_FIRST, Act.RECALL_LAST, Act.RECALL_ALL, Act.RECAP, Act.THANK, Act.LEAVE}
)


@dataclass(frozen=True, slots=True)
class RequestedAct:
    """An act, and for ``TRANSLATE`` the ISO 639-1 code of the language that is wanted."""

    act: Act
    language: str = ""


def read_act(message: str) -> RequestedAct | None:
    """The act that ``message`` is in a conversation; None where it asks or says anything else."""
    if len(message) > LONGEST_ACT:
        return None
    words = _strip_courtesies(_fold(message))
    if not words:
        return None
    act = _load_acts().get(words)
    if act is not None:
        return RequestedAct(act)
    return _read_language(words)


def _read_language(words: str) -> RequestedAct | None:
    match = _load_translating().fullmatch(words)
    code = _load_languages().get(match["language"]) if match else None
    return RequestedAct(Act.TRANSLATE, code) if code else None


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
    found: dict[str, Act] = {}
    for act in Act:
        if act is not Act.TRANSLATE:
            for phrase in load_phrases("acts", act.value, "mul"):
                found[_strip_courtesies(_fold(phrase))] = act
    return found


@cache
def _load_languages() -> Mapping[str, str]:
    named = {_fold(name): code for code, name in NAMES.items()}
    return named | {_fold(name): code for name, code in load_pairs("acts", "own_names", "mul").items()}


@cache
def _load_translating() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _load_languages()), key=len, reverse=True))
    leads = "|".join(
        sorted(map(re.escape, map(_fold, load_phrases("acts", "translating", "mul"))), key=len, reverse=True)
    )
    return re.compile(rf"(?:{leads}) (?P<language>{names})")
