"""Other names of one thing: abbreviations in brackets, "also known as", aliases of the profile, first and last names.

Abbreviations are found as by Schwartz & Hearst (PSB 2003): the characters of the short form are met from right to left
in the words before the bracket, the first one at the start of a word.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import NamedTuple

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.kinds import PERSON
from ascertain.graph.extraction.words import CALENDAR, VERBS, Found, Reading, Sentence
from ascertain.graph.keys import find_initials, key_of
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_alternatives

_BRACKET = re.compile(r"\s?[(\[]([^()\[\]\n]{2,80})[)\]]")
_WORD = re.compile(r"[^\s(),;:\"“”]+")
_SHORT = re.compile(r"[^\W_][\w.&/-]{1,9}(?: [\w.&/-]{1,6})?")
_LONGEST_SHORT = 10
_MOST_LONG = 12
"""Words of a long form, whatever the length of the short one."""
_any_of = partial(load_alternatives, "other_names")
"""A list of words as alternatives of a regular expression."""
ABBREVIATION = "abbreviation"
ALSO_KNOWN_AS = "also known as"
FORMERLY = "formerly"
INITIALS = "initials"
SHORTEST_INITIALS = 3
"""Letters; those of two are short for too much."""
LAST_NAME = "last name"
FIRST_NAME = "first name"
ALIAS_TABLE = "alias table"
_ADVERBS = rf"(?:(?:{_any_of('adverbs')}) ){{0,5}}"
_ALSO = re.compile(
    rf",? ?\(?,?(?:who |which |and )?(?:is |was |are |were )?{_ADVERBS}"
    rf"(?:(?:{_any_of('called_as')}) {_ADVERBS}"
    r"(?:as|to|by (?:the|his|her) (?:nickname|stage name|pen name|pseudonym)),?"
    rf"|a\.?k\.?a\.?|{_any_of('also')}) ",
    re.I,
)
_FORMER = re.compile(
    rf",? ?\(?(?:(?:{_any_of('formerly')}|until \d{{4}})(?: (?:{_any_of('formerly_called')}))?(?: as)?"
    r"|née|nee|born),? ",
    re.I,
)
_NEEDS_BRACKET = re.compile(r"[(,]")
_QUOTE_OR_ARTICLE = re.compile(r"(?:the |[\"“'‘*_])*", re.I)
_NAME_END = re.compile(rf"[,.;:)(\"”\[\n]| (?:{_any_of('after_name')}) ")
_MOST_WORDS = 5
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


def find_abbreviations(text: str, within: Span) -> Iterator[tuple[Span, Span]]:
    """Where ``text`` defines short forms: the span of the short form and that of the long one."""
    for bracket in _BRACKET.finditer(text, *within):
        inside = Span(*bracket.span(1))
        content = inside.of(text)
        for mark in (";", ",", " or "):
            content = content.partition(mark)[0]
        content = content.strip(" \"'“”‘’")
        start = text.find(content, inside.start) if content else -1
        if start < 0:
            continue
        inner = Span(start, start + len(content))
        if _is_short(content):
            long = long_form(text, Span(within.start, bracket.start()), content)
            if long is not None:
                yield inner, long
        elif " " in content and (before := _last_word(text, within.start, bracket.start())) is not None:
            short = before.of(text)
            if _is_short(short) and long_form(text, inner, short) == inner:
                yield before, inner


def long_form(text: str, before: Span, short: str) -> Span | None:
    """The words at the end of ``before`` that ``short`` shortens, or None."""
    short = short[:-1] if short[-1] == "s" and short[:-1].isupper() and len(short) > 2 else short  # CNNs
    letters = [c for c in short.lower() if c.isalnum()]
    words = list(_WORD.finditer(text, *before))[-min(len(letters) + 5, 2 * len(letters), _MOST_LONG) :]
    if not words or len(letters) < 2:
        return None
    # only what stands in one piece before the bracket
    for place in range(len(words) - 1, 0, -1):
        if text[words[place - 1].end() : words[place].start()].strip():
            words = words[place:]
            break
    start = _match_letters(text, words[0].start(), words[-1].end(), letters)
    if start is None:
        return None
    found = Span(start, words[-1].end())
    long = found.of(text)
    if (
        len(long) <= len(short)
        or short.lower() in long.lower().split()
        or (len(long.split()) < 2 and not short.islower())
    ):
        return None
    first = long.split()[0].lower()
    return None if first in STOP_WORDS else found


def _match_letters(text: str, start: int, end: int, letters: list[str]) -> int | None:
    """Where the long form begins: the first letter opens a word, the others are met in order."""
    place = end - 1
    for index in range(len(letters) - 1, -1, -1):
        while place >= start and (
            text[place].lower() != letters[index] or (index == 0 and place > start and text[place - 1].isalnum())
        ):
            place -= 1
        if place < start:
            return None
        place -= 1
    return place + 1


def _is_short(content: str) -> bool:
    if len(content) > _LONGEST_SHORT or _SHORT.fullmatch(content) is None:
        return False
    upper = sum(c.isupper() for c in content)
    return upper >= 2 or (upper == 1 and len(content) <= 4 and not content[0].isupper())


def _last_word(text: str, start: int, end: int) -> Span | None:
    words = list(_WORD.finditer(text, max(start, end - 30), end))
    return Span(*words[-1].span()) if words and words[-1].end() == end else None


class Claim(NamedTuple):
    """Two names of one thing: where the name stands, and where the other one."""

    name: Found
    other: Span
    reason: str


def find_other_names(names: Sequence[Found]) -> Iterator[Claim]:
    """The other names a sentence gives: "Person-centred therapy, also known as Rogerian psychotherapy, ..."."""
    for place, name in enumerate(names):
        text, sentence = name.reading.chunk.text, name.sentence.span
        limit = names[place + 1].span.start if place + 1 < len(names) else sentence.end
        limit = max(limit, min(sentence.end, name.span.end + 60))
        for cue, reason in ((_ALSO, ALSO_KNOWN_AS), (_FORMER, FORMERLY)):
            match = cue.match(text, name.span.end, limit)
            if match is None or (reason == FORMERLY and _NEEDS_BRACKET.match(match[0].lstrip()) is None):
                continue
            opening = _QUOTE_OR_ARTICLE.match(text, match.end(), sentence.end)
            start = opening.end() if opening else match.end()
            is_common = name.origin in {"term", "title"} and reason == ALSO_KNOWN_AS
            other = _name_at(text, start, sentence.end, may_be_small=is_common)
            if other is not None and other.of(text).lower() != name.written.lower():
                yield Claim(name, other, reason)
            break


def _name_at(text: str, start: int, end: int, may_be_small: bool) -> Span | None:
    """The name from ``start`` up to a mark or a word that ends it; None if it is not a name."""
    stop = _NAME_END.search(text, start, end)
    span = Span(start, stop.start() if stop else end)
    words = span.of(text).rstrip(" '’”*_").split()
    if not words or len(words) > _MOST_WORDS or words[0].lower() in STOP_WORDS or not words[0][0].isalpha():
        return None
    if any(word.lower() in VERBS or word.lower() in CALENDAR for word in words):
        return None
    if not (words[0][0].isupper() or may_be_small):
        return None
    return Span(start, start + len(span.of(text).rstrip(" '’”*_")))


class Claimed(NamedTuple):
    """A claim, and the names in it not found for themselves, each with its sentence, in the text of the chunk."""

    alias_claim: AliasClaim
    unnamed: tuple[tuple[Span, Span], ...]


def alias_claim(alias: str, key: str, reading: Reading, span: Span, reason: str) -> AliasClaim:
    """The claim made by ``span`` of the text of the chunk."""
    return AliasClaim(alias, key, reading.chunk.id, span.shift(reading.chunk.span.start), reason)


def claims_of(
    reading: Reading, sentences: Sequence[Sequence[Found]], keys: Mapping[Found, str], profile: Profile | None
) -> Iterator[Claimed]:
    """The claims of a chunk, from the names found in each of its sentences and the ``keys`` that stand for them."""
    text = reading.chunk.text
    tables = _unambiguous_aliases(profile)
    named = {name.span for sentence in sentences for name in sentence}

    def claimed(alias: str, key: str, whole: Span, reason: str, sentence: Sentence, *parts: Span) -> Iterator[Claimed]:
        if alias and key and alias != key:
            unnamed = tuple((part, sentence.span) for part in parts if part not in named)
            yield Claimed(alias_claim(alias, key, reading, whole, reason), unnamed)

    for sentence, names in zip(reading.sentences, sentences, strict=True):
        for short, long in find_abbreviations(text, sentence.span):
            alias, key = key_of(short.of(text)), key_of(long.of(text))
            whole = Span(min(short.start, long.start), max(short.end, long.end))
            yield from claimed(alias, key, whole, ABBREVIATION, sentence, short, long)
        for claim in find_other_names(names):
            alias, key = key_of(claim.other.of(text)), keys[claim.name]
            whole = Span(claim.name.span.start, claim.other.end)
            yield from claimed(alias, key, whole, claim.reason, sentence, claim.other)
        for word in sentence.words if tables else ():
            canonical = tables.get(word.small)
            if canonical and (not word.written.islower() or canonical[:1].isupper()):
                place = Span(word.start, word.end)
                yield from claimed(key_of(word.written), key_of(canonical), place, ALIAS_TABLE, sentence, place)


def claims_by_initials(
    names: Iterable[Found], headline: Sequence[Found], kinds: Mapping[str, str], explained: Set[str]
) -> Iterator[AliasClaim]:
    """What the initials of a document stand for that it does not explain: the one name in it that has them.

    ``names`` are those of its text, ``headline`` those of its title, which stand nowhere in the text; ``explained`` are
    keys that have a claim. Of all names in a corpus some other one has nearly any three initials (of 20 pairs read in
    Wikipedia 6 were right); of those in one document hardly ever (19 of 20).
    """
    in_text = list(names)
    long: defaultdict[str, set[str]] = defaultdict(set)
    for each in (*in_text, *headline):
        if kinds.get(each.key) != PERSON:
            for initials in find_initials(each.key):
                long[initials].add(each.key)
    shown = dict.fromkeys(headline, True) | dict.fromkeys(in_text, False)
    short = {
        each.key: (each, in_headline) for each, in_headline in reversed(shown.items()) if _is_initials(each.written)
    }
    for key, (each, in_headline) in sorted(short.items()):
        if key not in explained and len(long[key]) == 1:
            chunk = each.reading.chunk
            span = chunk.span if in_headline else each.span.shift(chunk.span.start)
            yield AliasClaim(key, next(iter(long[key])), chunk.id, span, INITIALS)


def _is_initials(written: str) -> bool:
    return len(written) >= SHORTEST_INITIALS and written.isalpha() and written.isupper()


def _unambiguous_aliases(profile: Profile | None) -> dict[str, str]:
    """What the short forms of a profile stand for, without those that are also ordinary words."""
    tables = profile.aliases.values() if profile else ()
    return {alias: canonical.partition(" (")[0] for table in tables for alias, canonical in table.strong.items()}


def short_names(kinds: Mapping[str, str], keys: Sequence[str], speakers: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The full name of each short one, and why: by keys, for one document.

    ``keys`` are all that it mentions in order, ``kinds`` what they are, ``speakers`` the keys of who speaks in it. A
    short name that two people of the document share stands for neither, and one that comes before the full name is
    another person's: a text introduces people in full.
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
