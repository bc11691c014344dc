"""Last names, and first names of speakers, that stand for one full name of their document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ascertain.graph.extraction.kinds import PERSON
from ascertain.graph.extraction.other_names import FIRST_NAME, LAST_NAME

_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


def short_names(
    kinds: Mapping[str, str], keys: Sequence[str], speakers: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """The full name of each short one, and why: by keys, for one document.

    ``keys`` are all that it mentions in order, ``kinds`` what they are, ``speakers`` the keys of who speaks in it. A short
    name that two people of the document share stands for neither, and one that comes before the full name is somebody else's: a
    text introduces people in full.
    """
    speaking = dict.fromkeys(speakers, -1)
    met = {key: place for place, key in reversed(list(enumerate(keys)))} | speaking
    last: defaultdict[str, set[str]] = defaultdict(set)
    first: defaultdict[str, set[str]] = defaultdict(set)
    for key in met:
        words = [word for word in key.split() if word not in _SUFFIXES]
        if len(words) > 1 and (kinds.get(key) == PERSON or key in speaking):
            last[words[-1]].add(key)
            first[words[0]].add(key)
    full: dict[str, tuple[str, str]] = {}
    for key, place in met.items():
        if key in last and len(last[key]) == 1 and not (first.get(key, set()) - last[key]):
            (person,) = last[key]
            if met[person] < place:
                full[key] = (person, LAST_NAME)
        elif key in first and key not in last and len(first[key]) == 1:
            (person,) = first[key]
            if person in speaking:
                full[key] = (person, FIRST_NAME)
    return full
