"""Whether an answer is in the requested language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascertain.language.languages import NAMES, detect_language, detect_question_language

_QUOTED = re.compile(r"[\"“„«»”‟][^\"“”„«»‟]*[\"“”„«»‟]")
"""Quotes stay in the language of their source."""


def find_wanted_language(question: str, setting: str) -> str | None:
    """ISO 639-1 code of the language that an answer to ``question`` must be in, by ``setting`` (``answers.language``, a name
    or a code) where there is one; None where neither says.
    """
    if not setting:
        return detect_question_language(question)
    named = setting.strip().casefold()
    return next((code for code, name in NAMES.items() if named in (code, name.casefold())), None)


def find_other_language(texts: Iterable[str], wanted: str | None) -> str | None:
    """The language of ``texts`` where it is not the ``wanted`` one.

    Two ways of detecting it must agree that it is not: by words of grammar and letters, and by a model of what documents are
    written in. Each alone sometimes takes an English sentence full of names for another language.
    """
    text = _QUOTED.sub(" ", " ".join(texts))
    if wanted is None or detect_question_language(text) in (None, wanted):
        return None
    other_language = detect_language(text)
    return None if other_language in (None, wanted) else other_language


def name_language(code: str) -> str:
    """The English name of a language."""
    return NAMES.get(code, code)
