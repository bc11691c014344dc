"""The normal form in which names are compared: without case, accents, articles, possessives, legal endings and the
plural of common nouns.

Two names with one key are one name to the graph, without a claim that says so; so the key forgives only what never
distinguishes two things.
"""

import re
from functools import lru_cache

from ascertain.language.folding import is_invisible
from ascertain.language.tokens import STOP_WORDS, fold_words
from ascertain.language.word_lists import load_pairs, load_word_set, load_words

_ARTICLES = load_word_set("names", "determiners")
"""Determiners, which are no part of a name wherever one is written with one."""
_LEGAL = load_word_set("legal_forms", "common") | load_word_set("legal_forms", "only_in_keys")
"""Legal endings of companies, after at least one word; in "The Limited" or "General Motors Company" nothing goes."""
_MIXED_CASE_LEGAL = load_word_set("legal_forms", "words_or_initials")
"""Endings that are words or initials too; they go only where they are written as companies write them."""
_NEEDS_ENDING = load_word_set("legal_forms", "needed_after")
"""Words that are no name without the ending: "News Corp"."""
_PART = re.compile(r"\w+(?:['’.]\w+)*(?:[+#]+(?!\w)|['’])?")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?")
_SHORT_PLURAL = re.compile(r"[A-Z][A-Z0-9]+s")
"""The plural of an abbreviation: "CNNs"."""
_COUNTRIES = load_pairs("places", "abbreviations")
"""Abbreviations that every reader knows and no text explains; in lower case they are words."""
_OF_COUNTRY = {"united states of america": "united states"}
_SAME_IN_PLURAL = load_word_set("noun_phrases", "same_in_plural")
_PLURAL_ENDS = load_words("noun_phrases", "no_plural_endings")
_LONGEST = 300
"""Characters of a name that are compared; a longer one is a text."""


@lru_cache(maxsize=20_000)
def key_of(written: str) -> str:
    """The key of a name as it is written; "" when it holds no letter or figure.

    Words are parted by single spaces. The last word loses a plural ending when it is written in lower case, as common
    nouns are, or is an abbreviation; "Williams" stays.
    """
    text = _drop_invisible(written[:_LONGEST])
    parts = [part for found in _PART.findall(text) if (part := _without_possessive(found))]
    while len(parts) > 1 and fold_words(parts[0]) in _ARTICLES:
        del parts[0]
    while len(parts) > 1 and _is_legal(parts[-1]) and not (len(parts) == 2 and fold_words(parts[0]) in _NEEDS_ENDING):
        del parts[-1]
    if len(parts) == 1 and (country := _COUNTRIES.get(parts[0].replace(".", ""))) is not None:
        return country
    words = [_fold_word(part) for part in parts]
    if parts and _SHORT_PLURAL.fullmatch(parts[-1]):
        words[-1] = words[-1][:-1]
    if parts and parts[-1].islower() and parts[-1].isalpha():
        words[-1] = singular_form(words[-1])
    key = " ".join(word for word in words if word)
    return _OF_COUNTRY.get(key, key)


def singular_form(word: str) -> str:
    """A folded English common noun in the singular; unknown forms stay as they are."""
    if len(word) < 4 or not word.endswith("s") or word in _SAME_IN_PLURAL or word.endswith(_PLURAL_ENDS):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _drop_invisible(text: str) -> str:
    return text if text.isascii() else "".join(c for c in text if not is_invisible(c))


def _without_possessive(part: str) -> str:
    part = part.replace("’", "'")
    part = part[:-2] if part[-2:] in {"'s", "'S"} else part
    return part.rstrip("'").strip("_")


def _is_legal(part: str) -> bool:
    word = fold_words(part).replace(".", "")
    if word not in _LEGAL:
        return False
    return word not in _MIXED_CASE_LEGAL or not part.islower()


def _fold_word(part: str) -> str:
    """Folded; the stops of "U.S.A." go, those of "node.js" and "3.5" stay."""
    return fold_words(part.replace(".", "") if _DOTTED.fullmatch(part) else part)


# Short forms that no text explains: a figure for the letters left out ("k8s", "a16z"), and initials ("SEC").

_COUNTED = re.compile(r"([^\W\d_])(\d{1,2})([^\W\d_])")
_FEWEST_COUNTED = 5
"""Letters that a figure stands for; with fewer it is a code ("h2o", "b2b")."""
_SMALL = STOP_WORDS - {"it", "us"}
"""Words that initials may leave out."""


def is_counted_form(key: str) -> bool:
    """Whether ``key`` is written as "k8s" is."""
    match = _COUNTED.fullmatch(key)
    return match is not None and int(match[2]) >= _FEWEST_COUNTED


def shortens_by_count(short: str, key: str) -> bool:
    """Whether ``short`` is the key with the number of its inner letters in their place: "k8s" of "kubernetes"."""
    letters = key.replace(" ", "")
    return (
        is_counted_form(short)
        and len(letters) == int(short[1:-1]) + 2
        and (letters[0], letters[-1]) == (short[0], short[-1])
        and letters.isalpha()
    )


def find_initials(key: str) -> tuple[str, ...]:
    """The initials of a key of several words, of all of them and without the small ones; none of a single word."""
    words = key.split()
    if len(words) < 2:
        return ()
    full = "".join(word[0] for word in words)
    short = "".join(word[0] for word in words if word not in _SMALL)
    return tuple(dict.fromkeys(each for each in (short, full) if len(each) > 1))


# Slips of the fingers, in one word of a key; what tells two words of a language apart (an ending, a figure) is none.

_FEWEST_DROPPED = 6
"""Letters of a word in which one may be missing inside; shorter words are others then ("Jon", "John")."""
_FEWEST_SWAPPED = 5


def is_slip_of(typed: str, key: str) -> bool:
    """Whether ``typed`` is ``key`` with a letter doubled or not doubled, left out inside a word or swapped with the
    next: "sqllite" of "sqlite", "richard hip" of "richard hipp".
    """
    pair = _differing_words(typed, key)
    return pair is not None and _is_slip(*sorted(pair, key=len))


def is_typed_for(typed: str, key: str) -> bool:
    """Whether ``typed`` is a slip of ``key`` or has one letter of a word wrong: "spielburg" of "spielberg"."""
    pair = _differing_words(typed, key)
    if pair is None:
        return False
    short, long = sorted(pair, key=len)
    wrong = [place for place in range(len(short)) if short[place] != long[place]] if len(short) == len(long) else []
    is_wrong_letter = len(wrong) == 1 and len(short) >= _FEWEST_DROPPED and 0 < wrong[0] < len(short) - 1
    return is_wrong_letter or _is_slip(short, long)


def _differing_words(one: str, other: str) -> tuple[str, str] | None:
    """The one word in which two keys differ, by a letter; None where there is none, or more, or it holds a figure."""
    if abs(len(one) - len(other)) > 1:
        return None
    words, others = one.split(), other.split()
    if len(words) != len(others):
        return None
    pairs = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1 or not "".join(pairs[0]).isalpha() or pairs[0][0][0] != pairs[0][1][0]:
        return None
    return pairs[0]


def _is_slip(short: str, long: str) -> bool:
    if len(short) == len(long):
        wrong = [place for place in range(len(short)) if short[place] != long[place]]
        return (
            len(short) >= _FEWEST_SWAPPED
            and len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and short[wrong[0]] == long[wrong[1]]
            and short[wrong[1]] == long[wrong[0]]
        )
    if len(long) != len(short) + 1 or len(short) < 3:
        return False
    place = next((place for place in range(len(short)) if short[place] != long[place]), len(short))
    if long[:place] + long[place + 1 :] != short:
        return False
    is_doubled = long[place] == long[place - 1]
    return is_doubled or (len(long) >= _FEWEST_DROPPED and place < len(long) - 1)
