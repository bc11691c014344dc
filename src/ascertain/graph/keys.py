"""The normal form in which names are compared: without case, accents, articles, possessives, legal endings and the
plural of common nouns.

Two names with one key are one name to the graph, without a claim that says so; so the key forgives only what never
tells two things apart.
"""

import re
from functools import lru_cache

from ascertain.language.folding import is_invisible
from ascertain.language.tokens import fold_words
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


@lru_cache(maxsize=200_000)
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
