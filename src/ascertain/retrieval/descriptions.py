"""Nested descriptions: things a question does not name but describes through others, inside first.

"What is the main airport in the birthplace of the director of Jaws?" describes a director, then a birthplace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.language.tokens import STOP_WORDS, WORD, content_terms
from ascertain.language.word_lists import compile_pattern, load_pattern, load_word_set

_HEAD = r"(?:[Tt]he|an?)\s+(?:[\w-]+\s+){0,4}?[a-z][\w-]*"
_LINK = load_pattern("nested_questions", "link")
_DESCRIPTION = re.compile(rf"\b(?={_HEAD}\s+{_LINK}\s)")
_OPENER = re.compile(rf"(?P<head>{_HEAD})\s+(?P<link>{_LINK})\s+")
_OWNED_WORDS = r"(?:(?:first|second|third|last|best|most|main|own|only|[a-z]+(?:al|ic|est|ive|ous))\s+)*[a-z][\w-]*(?:\s+of\s+[a-z][\w-]*)?"
"""A noun, as far as its adjectives can be told by their look: "birth place", "first national park", "city of
birth".
"""
_OWNED = re.compile(rf"\s+{_OWNED_WORDS}")
_POSSESSIVE = re.compile(
    r"(?P<owner>(?:[\"“][^\"”]+[\"”]|[A-Z0-9][^\s,?]*)(?:[\s,]+(?:(?:of|the|and|de|la|von|van|in)\s+)*[A-Z0-9][^\s,?]*)*?)"
    rf"['’]s?\s+(?P<owned>{_OWNED_WORDS})"
)
_NAME = re.compile(r"[\"“][^\"”]+[\"”]|(?:^|\s)[A-Z0-9][\w'’.&-]*")
_NAMES = re.compile(
    r"(?:[Tt]he\s+)?(?:[\"“][^\"”]+[\"”]|[A-Z0-9(][^\s?]*)(?:\s+(?:(?:of|the|and|in|on|for|de|la|von|van|to|a|with|or|from)\s+)*(?:[A-Z0-9(&][^\s?]*))*"
)
_CLAUSE_END = compile_pattern("nested_questions", "clause_end", flags=0)
_SECOND_VERB = compile_pattern("nested_questions", "second_verb", flags=0)
_LIGHT = load_word_set("nested_questions", "light_heads")
"""Heads that describe nothing by themselves."""


def nested_descriptions(question: str) -> Sequence[str]:
    """The descriptions inside ``question``, innermost first, and last the question about what they describe.

    Empty when there is none, or when the question asks for nothing but what is described.
    """
    found = _descriptions(question)
    possessive = _possessive(question)
    phrases = list(dict.fromkeys(phrase for phrase in (possessive, *found) if phrase))
    grounded = [phrase for phrase in phrases if _NAME.search(phrase.removeprefix("The ").strip())]
    asked = set(content_terms(question))
    inside = [phrase for phrase in sorted(grounded, key=len) if _asks_more(asked, phrase)]
    if not inside:
        return ()
    kept = _without_repeats(inside)
    return (*kept, _outside(question, kept[-1]))


def _descriptions(question: str) -> list[str]:
    phrases: list[str] = []
    for start in [found.start() for found in _DESCRIPTION.finditer(question)]:
        opener = _OPENER.match(question, start)
        if opener is None or _says_little(opener["head"], opener["link"]):
            continue
        end = _end(question, opener.end(), opener["link"])
        phrases.append(question[start:end].strip(" ,?."))
    return phrases


def _says_little(head: str, link: str) -> bool:
    first, *_, last = head.casefold().split()
    return last in _LIGHT or (first != "the" and link.casefold() == "of")


def _end(question: str, start: int, link: str) -> int:
    """Where the description whose link word ends at ``start`` ends."""
    rest = question[start:]
    if link.casefold() == "of":
        inner = _OPENER.match(rest)
        if inner is not None:
            return start + _end(rest, inner.end(), inner["link"])
        named = _NAMES.match(rest)
        if named is None:
            return len(question)
        owned = _OWNED.match(rest, named.end()) if named[0].endswith(("'s", "’s", "s'", "s’")) else None
        return start + (owned or named).end()
    comma = re.search(r",\s|[?]|$", rest)
    limit = comma.start() if comma else len(rest)
    closed = _CLAUSE_END.search(rest, 0, limit)
    if closed is not None:
        return start + closed.end()
    verbs = [verb.start() for verb in _SECOND_VERB.finditer(rest, 0, limit)]
    first_is_own = bool(verbs) and len(rest[: verbs[0]].split()) <= 1
    later = verbs[1:] if first_is_own else verbs
    return start + (later[0] if later and later[0] > 0 else limit)


def _possessive(question: str) -> str:
    found = _POSSESSIVE.search(question)
    if found is None:
        return ""
    owner = found["owner"]
    first, _, rest = owner.partition(" ")
    if first.casefold() in STOP_WORDS and rest:
        owner = rest
    return f"{owner}'s {found['owned']}"


def _asks_more(asked: set[str], phrase: str) -> bool:
    """Whether the question holds a word with a meaning besides those of ``phrase``."""
    return bool(asked - set(content_terms(phrase)) - {"name", "titl"})


def _without_repeats(phrases: Sequence[str]) -> list[str]:
    """Phrases that add a word to the one before, at most three."""
    kept: list[str] = []
    for phrase in phrases:
        if not kept or set(content_terms(phrase)) - set(content_terms(kept[-1])):
            kept.append(phrase)
    return kept[:3]


def _outside(question: str, phrase: str) -> str:
    """The question with ``phrase`` cut down to what kind of thing it describes."""
    opener = _OPENER.match(phrase)
    kind = opener["head"] if opener else WORD.findall(phrase)[-1]
    return question.replace(phrase, kind, 1)
