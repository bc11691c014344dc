"""Messages that greet, thank, take leave or ask the assistant about itself, in a few languages.

Only a message that is nothing but that counts: "hello world" and "thank you notes" are for the documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ascertain.language.tokens import folded
from ascertain.language.word_lists import list_names, load_phrases, load_words

_FACES = frozenset("👋🙏👍😊🙂😀😃😄🤗❤♥")


def is_greeting(message: str) -> bool:
    """Whether ``message`` is nothing but greeting, thanks, farewell or a question about the assistant itself."""
    if len(message) > MOST_CHARACTERS:
        return False
    words = _plain(message)
    if not words:
        return any(character in _FACES for character in message)
    rest = _PHRASE.sub(" ", words)
    if rest == words:
        return False
    return not _FILLER.sub(" ", rest).strip()


MOST_CHARACTERS = 120
"""A longer message is more than a greeting."""


def _plain(text: str) -> str:
    """Folded words with single spaces between them, everything else dropped, apostrophes without a trace."""
    bare = re.sub(r"['’`´]", "", folded(text))
    kept = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in bare)
    return " ".join(kept.split())


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    plain = sorted({_plain(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, plain))})(?!\S)")


_PHRASE = _any_of(
    phrase
    for language in list_names("greetings", "mul")
    for phrase in load_phrases("greetings", language, "mul")
)
_FILLER = _any_of(load_words("conversation", "fillers"))
