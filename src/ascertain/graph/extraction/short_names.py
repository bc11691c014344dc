"""Last names, and first names of speakers, that stand for one full name of their document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ascertain.graph.extraction.kinds import PERSON
from ascertain.graph.extraction.other_names import FIRST_NAME, LAST_NAME

_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


def short_names(
    kinds: Mapping[str, str], keys: Iterable[str], speakers: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """The full name of each short one, and why: by keys, for one document.

    ``keys`` are all that it mentions, ``kinds`` what they are, ``speakers`` the keys of who speaks in it. A short name that two
    people of the document share stands for neither.
    """
    present = set(keys) | set(speakers)
    people = {key for key in present if kinds.get(key) == PERSON and len(key.split()) > 1} | {
        key for key in speakers if len(key.split()) > 1
    }
    last: defaultdict[str, set[str]] = defaultdict(set)
    first: defaultdict[str, set[str]] = defaultdict(set)
    for person in people:
        words = [word for word in person.split() if word not in _SUFFIXES]
        if len(words) > 1:
            last[words[-1]].add(person)
            first[words[0]].add(person)
    speaking = set(speakers)
    full: dict[str, tuple[str, str]] = {}
    for key in present:
        if " " in key:
            continue
        if len(last[key]) == 1 and not (first[key] - last[key]):
            full[key] = (next(iter(last[key])), LAST_NAME)
        elif not last[key] and len(first[key] & speaking) == 1 and len(first[key]) == 1:
            full[key] = (next(iter(first[key])), FIRST_NAME)
    return full
