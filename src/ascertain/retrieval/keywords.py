"""The telling words of a question, by how exactly they must be found.

Quoted phrases and identifiers are found whole or not at all, names nearly so; the rest of the content words may be said otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascertain.language.tokens import STOP_WORDS, WORD, folded, stem
from ascertain.language.word_lists import load_words
from ascertain.retrieval.question import PHRASE

READ = 2000
"""Characters of a question that are read for its words."""
MOST_WORDS = 40
"""Words of each kind that are kept; a longer question is a text, and its first words say what it is about."""

FEWEST = 2
"""Words below which the words of asking count too ("regional differences")."""

_AROUND = ".,;:!?()[]{}<>'’“”\"`"
_CODE = re.compile(
    r"\w*_\w*|\w*\d{3}\w*|[a-z]{2,}[A-Z]\w*|v?\d+(?:\.\d+){2,}|--?[a-z][\w-]+|\w{2,}(?:(?:::|\.)\w{2,})+"
)
"""One part of a code: an underscore, three digits, camel case, a version, an option, a dotted name."""
_DECADE = re.compile(r"\d+(?:s|st|nd|rd|th)", re.IGNORECASE)
_ASKING = frozenset((*load_words("asking", "asking"), *load_words("asking", "keywords")))


@dataclass(frozen=True, slots=True)
class Keywords:
    """Each in order of the question and as written; no word is in two of them."""

    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def exact(self) -> tuple[str, ...]:
        """What must be found as it is written."""
        return (*self.phrases, *self.identifiers)

    @property
    def all(self) -> tuple[str, ...]:
        """Every telling word, the most exact first."""
        return (*self.phrases, *self.identifiers, *self.names, *self.others)


def keywords(question: str) -> Keywords:
    """Sort the words of ``question``; words of asking are left out unless there are hardly any others."""
    read = question[:READ]
    phrases = [phrase.strip() for phrase in PHRASE.findall(read) if WORD.search(phrase)]
    tokens = PHRASE.sub(" . ", read).split()
    identifiers = [token.strip(_AROUND) for token in tokens if _is_identifier(token.strip(_AROUND))]
    rest = " ".join("." if _is_identifier(token.strip(_AROUND)) else token for token in tokens)
    names: list[str] = []
    others: list[str] = []
    asking: list[str] = []
    for match in WORD.finditer(rest):
        word = match.group()
        plain = folded(word).replace("’", "'")
        if plain in STOP_WORDS:
            continue
        if plain in _ASKING:
            asking.append(word)
        elif _is_name(rest, match):
            names.append(word)
        else:
            others.append(word)
    if len(phrases) + len(identifiers) + len(names) + len(others) < FEWEST:
        others += asking
    return Keywords(*(_distinct(words) for words in (phrases, identifiers, names, others)))


def _is_name(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if text.isupper() or not word[0].isupper():
        return word.isdigit() and len(word) == 4
    before = text[: match.start()].rstrip()
    opens = not before or before[-1] in ".?!:"
    return not opens or (word.isupper() and len(word) > 1)


def is_code(word: str) -> bool:
    """Whether an identifier is a code, whose meaning no model of language knows, rather than a name such as GPT-4."""
    return any(_CODE.fullmatch(part) for part in (word, *re.split(r"[-/:]", word)) if part) and not _is_year(
        word
    )


def _is_identifier(token: str) -> bool:
    """Letters with digits, or a code."""
    if not token or _is_year(token):
        return False
    mixed = any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
    return (mixed and not _DECADE.fullmatch(token)) or (not token.isdigit() and is_code(token))


def _is_year(word: str) -> bool:
    return re.fullmatch(r"[12]\d{3}(?:[-/]\d{2,4})?", word) is not None


def _distinct(words: list[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(stem(folded(word)), word)
    return tuple(first.values())[:MOST_WORDS]
