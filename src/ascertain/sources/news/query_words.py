"""The telling words of a query, and queries as search services take them: short, and some in a syntax of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_words

_PHRASE = re.compile(r"[\"“”„]([^\"“”„]{1,200})[\"“”„]")
_WORD = re.compile(r"[^\W_]+(?:[.'’&+-][^\W_]+)*[+#]*")
_ASKING = frozenset((*load_words("asking", "asking"), *load_words("asking", "news")))
"""Words that ask for news; an article about the subject need not hold them."""
_READ = 4000
"""Characters of a query that are read for its words; what is asked about stands before."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """Each in order and as written: phrases that were quoted, names (runs of words with capitals or digits), the other content words."""

    phrases: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The most telling first."""
        return (*self.phrases, *self.names, *self.others)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    rank: int
    """0 for what must be kept, 1 for a content word, 2 for the rest."""
    is_phrase: bool = False


def query_words(text: str) -> QueryWords:
    """The words of ``text`` that an article about the same would hold; repeats are left out."""
    phrases: list[str] = []
    names: list[list[str]] = []
    others: list[str] = []
    follows_name = False
    for token in _tokens(text[:_READ]):
        is_name = token.rank == 0 and not token.is_phrase
        if token.is_phrase:
            phrases.append(" ".join(token.text.strip('"').split()))
        elif is_name and follows_name:
            names[-1].append(token.text)
        elif is_name:
            names.append([token.text])
        elif token.rank == 1:
            others.append(token.text)
        follows_name = is_name
    return QueryWords(
        _distinct(iter(phrases)), _distinct(" ".join(name) for name in names), _distinct(iter(others))
    )


def shortened(text: str, limit: int) -> str:
    """``text`` on one line in at most ``limit`` characters, cut between words.

    Quoted phrases and names stay first, then content words, then the rest, each in its order; what is kept keeps its place.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    tokens = list(_tokens(line[:_READ]))
    kept: set[int] = set()
    length = -1
    for index in sorted(range(len(tokens)), key=lambda i: (tokens[i].rank, i)):
        if length + 1 + len(tokens[index].text) <= limit:
            kept.add(index)
            length += 1 + len(tokens[index].text)
    return " ".join(tokens[index].text for index in sorted(kept)) or line[:limit].rstrip()


def _tokens(text: str) -> Iterator[_Token]:
    shouted = text.isupper()
    end = 0
    for match in _PHRASE.finditer(text):
        yield from _words(text[end : match.start()], shouted)
        if _WORD.search(match[1]):
            yield _Token(f'"{match[1].strip()}"', 0, is_phrase=True)
        end = match.end()
    yield from _words(text[end:], shouted)


def _words(text: str, shouted: bool) -> Iterator[_Token]:
    for match in _WORD.finditer(text):
        word = match[0]
        plain = word.lower().replace("’", "'")
        if plain in STOP_WORDS or plain in _ASKING:
            yield _Token(word, 2)
        else:
            is_name = any(c.isdigit() for c in word) or (
                not shouted and any(c.isupper() or c.istitle() for c in word)
            )
            yield _Token(word, 0 if is_name else 1)


def _distinct(words: Iterator[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(word.casefold(), word)
    return tuple(found.values())
