"""Names in a text: runs of capitalised words, which is how English and its neighbours write them.

A rule, not a model: in scripts without capitals nothing is found, and what follows names then follows nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words
from ascertain.language.word_lists import load_word_set, load_words

Words = tuple[str, ...]

_INSIDE = load_word_set("names", "inside_in_a_line")
"""Small words that stand inside a name: "University of Vienna"."""
_JOINS = re.compile(r"[ ]|[-–&]|\.[ ]?|[ ]&[ ]|[ ]?['’]")
"""What stands between the words of one name; a full stop only after an initial."""
_LOOK_BACK = 100
"""Characters before a name in which the end of the sentence before it stands, with its marks."""
_SENTENCE_END = re.compile(r"(?:^|[.!?:;…\n][\"'”’)\]]{0,20}\s{0,50})[\"'“‘(\[]{0,20}$")
_QUALIFIER = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)\s*$")
_CALENDAR = frozenset(
    word for name in ("months", "month_abbreviations", "weekdays") for word in load_words("months_and_days", name)
)
"""A date is written with capitals and names nothing."""
_SHORTEST = 3
"""Letters; shorter names ("UK" excepted by its capitals) are initials and roman numbers."""


@remember_texts(1_000)
def words_of(text: str) -> Words:
    """Folded words without possessive endings: the form in which names are compared."""
    return tuple(word.replace("’", "'").removesuffix("'s") for word in WORD.findall(fold_words(text)))


def names_in(text: str) -> dict[Words, str]:
    """The names in ``text``, each by its folded words, as it is first written there; in order of appearance.

    A single word that only ever opens a sentence is left out: its capital says nothing.
    """
    return dict(_find_names(text))


@remember_texts(500)
def _find_names(text: str) -> Mapping[Words, str]:
    found: dict[Words, str] = {}
    openers: dict[Words, str] = {}
    for run in _find_runs(text):
        written = text[run[0].start() : run[-1].end()]
        words = words_of(written)
        if not _is_name(written, words):
            continue
        opens = (
            len(run) == 1
            and _SENTENCE_END.search(text, max(0, run[0].start() - _LOOK_BACK), run[0].start()) is not None
        )
        (openers if opens else found).setdefault(words, written)
    inside = {word for words in found for word in words}
    return found | {words: written for words, written in openers.items() if words[0] in inside}


def _find_runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Maximal runs of capitalised words; a small word belongs to one when a capitalised word follows it."""
    run: list[re.Match[str]] = []
    waiting: list[re.Match[str]] = []
    for word in WORD.finditer(text):
        last = (waiting or run or [None])[-1]
        if last is not None and not _continues_run(text, last, word):
            yield from _trim_stop_words(run)
            run, waiting = [], []
        if word[0][0].isupper() or (word[0][0].isdigit()):
            run += [*waiting, word]
            waiting = []
        elif run and word[0] in _INSIDE:
            waiting.append(word)
        else:
            yield from _trim_stop_words(run)
            run, waiting = [], []
    yield from _trim_stop_words(run)


def _continues_run(text: str, last: re.Match[str], word: re.Match[str]) -> bool:
    gap = text[last.end() : word.start()]
    if _JOINS.fullmatch(gap) is None:
        return False
    return not gap.startswith(".") or len(last[0]) == 1


def _trim_stop_words(run: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """``run`` without the stop words it begins with ("In Brooklyn")."""
    start = next((place for place, word in enumerate(run) if fold_words(word[0]) not in STOP_WORDS), len(run))
    if start < len(run):
        yield list(run[start:])


def _is_name(written: str, words: Words) -> bool:
    letters = sum(character.isalpha() for character in written)
    if all(word in _CALENDAR or word.isdigit() for word in words):
        return False
    return letters >= _SHORTEST or (letters == 2 and written.isupper())


def without_qualifier(title: str) -> str:
    """``title`` without what tells it from others of its name: "Brother (Pearl Jam song)" → "Brother"."""
    return _QUALIFIER.sub("", title).strip()
