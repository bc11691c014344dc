"""Follow-ups on documents that the last answer shows: "summarise the second one", "what does it say?", "and the oldest?"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascertain.core.asking.plans import Aspect
from ascertain.language.word_lists import compile_pattern
from ascertain.questions.kinds.catalogue import read_catalogue_question
from ascertain.questions.kinds.documents import read_document_question

_TOPIC = "catalogue_questions"
_EDGES = " ?!."
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_TITLE = re.compile(r"(?m:^)“([^“”\n]+)”(?=(?: \([^()\n]*\):?)?(?m:$))")
"""A line that is nothing but a title, with what kind of document it is of and when."""


def name_shown(asked: str, told: str) -> tuple[str, str] | None:
    """``asked`` with the title of the document that it points at among those in the last answer, ``told``, and that title; None
    where it points at none.
    """
    titles = list(dict.fromkeys(_TITLE.findall(told)))
    for start, end, title in _find_pointing(asked, titles):
        named = f"{asked[:start]}“{title}”{asked[end:]}"
        if read_document_question(named) is not None:
            return named, title
    bare = read_document_question(asked) if len(titles) == 1 else None
    if bare is not None and not bare.name:
        return f"{asked.rstrip(_EDGES)} in “{titles[0]}”?", titles[0]
    return None


def shift_end(asked: str, last: str) -> str | None:
    """The ``last`` question, for the newest or the oldest document, asked of the other end; None where ``asked`` is anything else."""
    match = compile_pattern(_TOPIC, "other_end").fullmatch(asked.strip(_EDGES))
    before = read_catalogue_question(last) if match else None
    if match is None or before is None or before.aspect not in {Aspect.NEWEST, Aspect.OLDEST}:
        return None
    return f"which {before.name or 'document'} is the {match['end'].lower()}?"


def _find_pointing(asked: str, titles: list[str]) -> Iterator[tuple[int, int, str]]:
    """Where ``asked`` points at one of ``titles``, and at which."""
    for match in compile_pattern(_TOPIC, "shown_by_place").finditer(asked):
        place = match["place"].lower()
        number = len(titles) - 1 if place == "last" else _read_place(place)
        if 0 <= number < len(titles):
            yield match.start(), match.end(), titles[number]
    if len(titles) == 1:
        for match in compile_pattern(_TOPIC, "shown_alone").finditer(asked):
            yield match.start(), match.end(), titles[0]


def _read_place(place: str) -> int:
    """``second`` and ``2nd`` as 1, counted from 0."""
    return _PLACES.index(place) if place in _PLACES else int(place[0]) - 1
