"""What kind of answer a question wants, by its words (QU-4).

The first rule that fits decides. Kinds of one material only (prices, news) are tried before the general ones,
where a profile names them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ascertain.core.plans import QuestionType
from ascertain.language.word_lists import compile_pattern

READ = 1000
"""Characters of a question that are read."""

_SPECIAL: tuple[tuple[QuestionType, re.Pattern[str]], ...] = tuple(
    (kind, compile_pattern("question_types", kind.value))
    for kind in (QuestionType.ANALYSIS, QuestionType.PRICE, QuestionType.NEWS)
)
_COMPARATIVE = compile_pattern("question_types", "comparative")
_PROCEDURAL = compile_pattern("question_types", "procedural")
_CONCEPTUAL = compile_pattern("question_types", "conceptual")
_ASKING = compile_pattern("question_types", "asking")


def question_type(question: str, special: Collection[QuestionType]) -> QuestionType:
    """The kind of ``question``; ``special`` are kinds that the material has besides the general ones."""
    read = question[:READ]
    for kind, pattern in _SPECIAL:
        if kind in special and pattern.search(read):
            return kind
    if _COMPARATIVE.search(read):
        return QuestionType.COMPARATIVE
    if _PROCEDURAL.search(read):
        return QuestionType.PROCEDURAL
    if _CONCEPTUAL.search(read):
        return QuestionType.CONCEPTUAL
    if QuestionType.GENERAL in special and not _ASKING.search(read):
        return QuestionType.GENERAL
    return QuestionType.FACTUAL
