"""Names as reports write them, from runs of capitalised words: without what somebody is, whole where two subjects are joined, and apart
where only an article stands between two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

from ascertain.language.tokens import STOP_WORDS, WORD
from ascertain.language.word_lists import load_word_set

_ARTICLE = re.compile(r"(?<![Oo]f)(?<!\sand) the (?=\S)")
"""Between two names, as in "under Gensler the SEC sued"; "Bank of the West" is one."""
_FIRST_HALF = r"(\b[A-Z][\w-]{0,40}) and $"
_MOST_BEFORE = 50
_MOST_WORDS = 12
"""Words of a name of which short forms are looked for."""


def read_written_names(run: str, text: str) -> Iterator[str]:
    """The names in a run of capitalised words, which stands in ``text``."""
    for name in _ARTICLE.split(run):
        bare = _drop_role(name)
        # "the President" is the current holder
        if all(word.lower() in STOP_WORDS or word.lower() in _roles() for word in WORD.findall(bare)):
            continue
        yield _join_halves(bare, text)


def find_whole_names(names: Iterable[str]) -> dict[str, str]:
    """The one longer name that ends in a name, where there is one: Donald Trump for Trump."""
    longer: dict[str, set[str]] = defaultdict(set)
    for name in names:
        words = name.split()
        for place in range(1, len(words) if len(words) <= _MOST_WORDS else 0):
            longer[" ".join(words[place:])].add(name)
    return {name: next(iter(full)) for name, full in longer.items() if len(full) == 1}


def _drop_role(name: str) -> str:
    """``name`` without what somebody is: "Coach Marta Lindqvist"."""
    words = name.split()
    while len(words) > 2 and words[0].lower() in _roles() and words[1].lower() in load_word_set("names", "given_names"):
        words = words[1:]
    return " ".join(words)


def _join_halves(name: str, text: str) -> str:
    """The whole name of a body that has two subjects: "Securities and Exchange Commission"."""
    last = name.rsplit(maxsplit=1)[-1].lower()
    if " " not in name or last not in load_word_set("name_kinds", "bodies_of_two_subjects"):
        return name
    place = text.find(name)
    first = re.search(_FIRST_HALF, text[max(0, place - _MOST_BEFORE) : place])
    return f"{first[1]} and {name}" if first else name


@cache
def _roles() -> frozenset[str]:
    lists = ("titles", "titles_to_drop", "honorifics", "roles", "leads_out", "office_words")
    return frozenset(word for each in lists for word in load_word_set("names", each))
