"""The questions that one message asks: "Who wrote it, and when? And how is it tested?" (QU-6).

Only a separate question counts; a comparison, a list of things and a description within a question stay whole.
"""

from __future__ import annotations

import re

from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_pattern

MOST_PARTS = 4
"""Each is answered by itself."""
LONGEST = 600
"""Characters of a message; a longer one is a text with a question in it."""
_SENTENCE_END = re.compile(r"(?<=\?)\s+")
_CLAUSE = compile_pattern("question_parts", "between_clauses")
_OPENING = re.compile(rf"(?:and\s+|also\s+|or\s+)*(?={load_pattern('question_parts', 'opening')}\b)", re.IGNORECASE)


_ASKING_LAST = re.compile(rf"\b{load_pattern('question_parts', 'question_words')}$", re.IGNORECASE)
_SIDES = tuple(compile_patterns("question_parts", "comparing"))


def list_parts(question: str, language: str) -> tuple[str, ...]:
    """The questions in ``question``, each as it would be asked after those before it; empty where it asks one thing."""
    if len(question) > LONGEST:
        return ()
    text = " ".join(question.split())
    parts = [part for sentence in _SENTENCE_END.split(text) for part in _split_clauses(sentence, language)]
    if not 2 <= len(parts) <= MOST_PARTS or not all(_OPENING.match(part) for part in parts):
        return ()
    return tuple(_finish(part) for part in parts)


def list_sides(question: str) -> tuple[str, ...]:
    """What a bare comparison holds against each other: ``critical bugs`` and ``grave bugs`` of "what is the difference between critical and
    grave bugs?"; empty for any other question, and where it says in what respect.
    """
    if len(question) > LONGEST:
        return ()
    bare = " ".join(question.split()).rstrip(" ?!.")
    match = next((found for pattern in _SIDES if (found := pattern.fullmatch(bare))), None)
    if match is None:
        return ()
    one, other = match["one"], match["other"] or match.groupdict().get("another") or ""
    head = other.rpartition(" ")[2]
    is_shared = " " in other and " " not in one and one.islower() and head.islower() and not one.endswith("s")
    return (f"{one} {head}" if is_shared else one, other)


def _split_clauses(sentence: str, language: str) -> list[str]:
    """The clauses of ``sentence`` that ask something of their own; "and why?" belongs to what is asked before it."""
    pieces = [piece.strip(" ,;") for piece in _CLAUSE.split(sentence)]
    asks = all(_OPENING.match(piece) and content_terms(piece, language) for piece in pieces)
    # "say how and where to install it"
    return pieces if asks and not any(map(_ASKING_LAST.search, pieces)) else [sentence]


def _finish(part: str) -> str:
    match = _OPENING.match(part)
    rest = part[match.end() :] if match else part
    return f"{rest[:1].upper()}{rest[1:].rstrip(' ?.,;')}?"
