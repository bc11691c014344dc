"""The subjects that a question lists: "compare SQLite, MySQL and Postgres", "what are the rent and the deposit of the lease?".

Each is looked up by itself: what is compared as a bare subject, with the respect it is compared in; what is listed in a
question as that question about it alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ascertain.graph.extraction.capitals import DocumentWords, names_of
from ascertain.graph.extraction.words import sentence_of
from ascertain.language.tokens import STOP_WORDS, content_terms
from ascertain.language.word_lists import compile_patterns, load_phrases, load_word_set

LONGEST = 400
"""Characters of a question that is read; a longer one is a text."""
LONGEST_SUBJECT = 6
"""Words; a longer piece is a clause."""

_COMPARING = compile_patterns("research", "comparing")
_BETWEEN = re.compile(
    r",\s*(?:(?:and|or|versus|vs\.?)\s+)?|\s+(?:and|or|with|to|against|versus|vs\.?)\s+", re.IGNORECASE
)
_RESPECT = re.compile(
    r"\s+(?P<respect>(?:in terms of|with regard to|with respect to|regarding|when it comes to|as to|for|in|on)\s.+)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;:?!]+")
_JOINS = frozenset({"and", "or", "&"})
_INSIDE = frozenset({"the", "a", "an"})
_ENDS = (STOP_WORDS - _INSIDE) | load_word_set("noun_phrases", "verbs") | load_word_set("research", "orders")
_BARE_ORDERS = load_word_set("research", "orders") - {"explain", "describe"}
_ONE_THING = frozenset(load_phrases("research", "one_thing"))
_TO_SINGULAR = {"are": "is", "were": "was", "do": "does"}


@dataclass(frozen=True, slots=True)
class Subjects:
    """``names`` are the subjects, ``questions`` what is looked up of each, in their order."""

    names: tuple[str, ...]
    questions: tuple[str, ...]
    is_comparison: bool


def find_subjects(question: str, language: str) -> Subjects | None:
    """What ``question`` lists; None where it asks about one thing, or names what its "and" belongs to."""
    text = " ".join(question.split()).strip(" ?!.")
    if len(text) > LONGEST:
        return None
    subjects = _find_compared(text, language) or _find_listed(text, language)
    if subjects is None or subjects.is_comparison or not question.rstrip().endswith("?"):
        return subjects
    return replace(subjects, questions=tuple(f"{each}?" for each in subjects.questions))


def _find_compared(text: str, language: str) -> Subjects | None:
    match = next((found for pattern in _COMPARING if (found := pattern.fullmatch(text))), None)
    if match is None:
        return None
    items, named = match["items"], match.groupdict()
    cut = _RESPECT.search(items)
    respect = named.get("respect") or (cut["respect"] if cut else "")
    names = _clean_names(_BETWEEN.split(items[: cut.start()] if cut else items), language)
    if names is None:
        return None
    return Subjects(names, tuple(f"{name} {respect}".strip() for name in names), is_comparison=True)


def _clean_names(pieces: list[str], language: str) -> tuple[str, ...] | None:
    """The pieces as subjects; None where there are fewer than two, or one is a clause."""
    names = tuple(dict.fromkeys(name for piece in pieces if (name := _ARTICLE.sub("", piece.strip(" ,:"), count=1))))
    is_list = len(names) > 1 and all(
        len(name.split()) <= LONGEST_SUBJECT and content_terms(name, language) for name in names
    )
    return names if is_list else None


def _find_listed(text: str, language: str) -> Subjects | None:
    words = list(_WORD.finditer(text))
    joined = [place for place, word in enumerate(words) if word[0].lower() in _JOINS]
    for place in joined:
        first, last = _first_of_list(text, words, place), _last_of_item(text, words, place)
        if first == place or last == place + 1:
            continue
        start, end = words[first].start(), words[last - 1].end()
        items = text[start:end]
        if items.casefold() in _ONE_THING or _is_inside_name(text, words[place].start()):
            continue
        pieces = [piece.strip() for piece in _BETWEEN.split(items)]
        names = _clean_names(pieces, language)
        if names is not None and len(names) == len(pieces):
            questions = (_ask_of(text[:start], piece, text[end:], pieces[0]) for piece in pieces)
            return Subjects(names, tuple(questions), is_comparison=False)
    return None


def _is_inside_name(text: str, place: int) -> bool:
    """Whether the word at ``place`` joins the words of one name: "Securities and Exchange Commission"."""
    sentence = sentence_of(text)
    runs = names_of(text, sentence, DocumentWords(frozenset(), frozenset())) if sentence else ()
    spans = [(sentence.words[first].start, sentence.words[end - 1].end) for first, end in runs] if sentence else []
    return any(start < place < end for start, end in spans)


def _first_of_list(text: str, words: list[re.Match[str]], place: int) -> int:
    """The first word of the list that the joining word at ``place`` ends."""
    first = place
    while first and words[first - 1][0].lower() not in _ENDS | _JOINS:
        gap = text[words[first - 1].end() : words[first].start()]
        if first < place and gap.strip() not in {"", ","}:
            break
        first -= 1
    return first


def _last_of_item(text: str, words: list[re.Match[str]], place: int) -> int:
    """After the last word of the item behind the joining word at ``place``."""
    last = place + 1
    while last < len(words) and words[last][0].lower() not in _ENDS | _JOINS:
        if last > place + 1 and text[words[last - 1].end() : words[last].start()].strip():
            break
        last += 1
    return last


def _ask_of(before: str, item: str, after: str, first: str) -> str:
    """The question about one item: "what are the rent and the deposit" asks "what is the rent"."""
    if before.rstrip().endswith(":") or before.strip().lower() in _BARE_ORDERS:
        return f"{_ARTICLE.sub('', item, count=1)}{after}".strip(" ,:;")
    article = _ARTICLE.match(first)
    if article and not _ARTICLE.match(item) and item.islower():
        item = f"{article[0]}{item}"
    verb = before.rstrip().rpartition(" ")[2].lower()
    if verb in _TO_SINGULAR and not item.endswith("s"):
        before = before.rstrip()[: -len(verb)] + _TO_SINGULAR[verb] + " "
    return f"{before}{item}{after}".strip(" ,:;")
