"""What earlier turns add to a question.

A rule for the plain cases only: a question that leans on what was said before borrows the content words of the last
question of the user, for retrieval and for choosing sentences; the question shown stays as asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.conversations import Turn

MAX_WORDS_OF_A_FRAGMENT = 4
"""Up to so many words a question in a conversation is taken as a continuation ("and in 2023?")."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LEANING = frozenset(
    """it its they them their theirs this that these those he him his she her hers one ones there former latter
    same""".split()
)
_OPENINGS = ("and ", "but ", "so ", "also ", "what about", "how about", "why not", "what else", "then ")
_FUNCTION_WORDS = _LEANING | frozenset(
    """a an the of in on at to for from by with about as is are was were be been do does did has have had can could
    will would should may might must i you we me my your our us and or but not no so what which who whom whose when
    where why how if than then there here please tell explain describe give show much many any some all more most
    very just also into over under between during it's what's who's that's""".split()
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The question to look up, and the words borrowed from the conversation (empty when it stands alone)."""

    text: str
    borrowed: tuple[str, ...]


def resolve_follow_up(question: str, history: Sequence[Turn]) -> Resolved:
    """Add the last user question's content words to a question that clearly continues it."""
    previous = next((turn.text for turn in reversed(history) if turn.role == "user"), None)
    if previous is None or not _continues(question):
        return Resolved(question, ())
    present = {word.casefold() for word in _WORD.findall(question)}
    borrowed: dict[str, str] = {}
    for word in _WORD.findall(previous):
        key = word.casefold()
        if key not in _FUNCTION_WORDS and key not in present:
            borrowed.setdefault(key, word)
    if not borrowed:
        return Resolved(question, ())
    return Resolved(f"{question} {' '.join(borrowed.values())}", tuple(borrowed.values()))


def _continues(question: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(question)]
    return (
        len(words) <= MAX_WORDS_OF_A_FRAGMENT
        or question.casefold().lstrip().startswith(_OPENINGS)
        or any(word in _LEANING and not _is_bound(words, at) for at, word in enumerate(words))
    )


def _is_bound(words: Sequence[str], at: int) -> bool:
    """Whether the word is not a reference back: "is there a way", "those who"; a name earlier in the question binds it."""
    if words[at] == "there":
        return at > 0 and words[at - 1] in {"is", "are", "was", "were"}
    if words[at] in {"those", "one"}:
        return at + 1 < len(words) and words[at + 1] in {"who", "that", "of", "which"}
    # "Which plan has a trial and how long is it?": a pronoun late in a long question usually refers within it
    return at > 0 and sum(word not in _FUNCTION_WORDS for word in words[:at]) >= 2
