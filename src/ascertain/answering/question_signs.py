"""What a question asks that passages on its subject seldom say, so that they answer it less often than they
seem to.

A date, a number, the first or largest of all, a plain yes or no: fitted on the development sets, each of
these makes an answer less likely at the same nearness of the passages.
"""

from __future__ import annotations

import re

from ascertain.language.tokens import folded
from ascertain.language.word_lists import load_alternatives, load_word_set

_YES_NO = re.compile(rf"\W*(?:{load_alternatives('question_signs', 'yes_or_no')})(?:n't)?\b")
_EXTREME = re.compile(rf"\b(?:{load_alternatives('question_signs', 'extremes')}|[a-z]{{3,}}(?:est|most))\b")
_NO_EXTREME = load_word_set("question_signs", "no_extremes")
"""Words that merely end so; ``latest`` asks for the news, not for a comparison."""
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


def asks_yes_or_no(question: str) -> bool:
    """Whether ``question`` opens with a verb."""
    return _YES_NO.match(folded(question)) is not None


def asks_for_extreme(question: str) -> bool:
    """Whether ``question`` asks for the first, the largest, the only one."""
    return any(match.group() not in _NO_EXTREME for match in _EXTREME.finditer(folded(question)))


def is_of_other_year(question: str, title: str) -> bool:
    """Whether ``title`` names a year that ``question`` does not: ``1997 Madrid summit`` for the summit of
    2022.
    """
    return bool(set(_YEAR.findall(title)) - set(_YEAR.findall(question)))
