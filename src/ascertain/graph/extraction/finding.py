"""All names of a sentence, by their marks: title, quotation and code marks, a recogniser, capitals, recurrence."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ascertain.core.documents.blocks import Span
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.capitals import DocumentWords, is_name, names_of, without_small_ends
from ascertain.graph.extraction.kinds import PRODUCT
from ascertain.graph.extraction.terms import Terms
from ascertain.graph.extraction.words import OPENERS, TOKEN, VERBS, Found, Reading, Run, Sentence, Word, build_found
from ascertain.language.names import without_qualifier
from ascertain.language.tokens import STOP_WORDS, fold_words
from ascertain.language.word_lists import load_word_set

_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,80})[\"”]|``([^`'\n]{2,80})''|«([^»\n]{2,80})»")
_CODE = re.compile(r"(?<!`)`([^`\n]{2,40})`(?!`)|(?<![\w-])(--[a-z][\w-]+)|(?<![\w./:@`])([a-z]\w*(?:\.\w+)*\(\))")
_MAYBE_QUOTED = re.compile(r"[\"“`«]")
_MAYBE_CODE = re.compile(r"`|--|_|\(\)")
"""What is nowhere in most sentences, and quickly looked for."""
_IDENTIFIER = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_SENTENCE_END = (".", "!", "?", ",", ";", "…")
_LONGEST_QUOTED = 8
"""Words of a title in quotation marks."""
_SHORTEST = 3
"""Characters of a name of one word; shorter ones are met inside anything that is written in capitals."""
LONGEST_TITLE = 120
"""Characters; a longer title is a sentence and names nothing as a whole."""
_CLOSES = re.compile(r"[\"”)\n]")
"""What no title runs over."""
_LONGEST_SENTENCE_LIKE = 7
"""Of a title with small words in it; headlines are longer. Chosen by reading the titles of Wikipedia and of news."""
_SENTENCE = re.compile(r"[:?!]")
_BE = frozenset("is are was were has have".split())
_QUESTION = load_word_set("openers", "questions")
Forms = tuple[str, ...]


def quoted_titles(text: str, sentence: Sentence) -> Iterator[tuple[Run, Span]]:
    """Titles of works: what stands in quotation marks with capitals on all words but small ones."""
    if not sentence.is_cased or _MAYBE_QUOTED.search(text, *sentence.span) is None:
        return
    for match in _QUOTED.finditer(text, *sentence.span):
        span = Span(*match.span(match.lastindex or 0))
        inside = span.of(text)
        if inside != inside.strip() or inside.endswith(_SENTENCE_END):
            if not (inside.endswith(",") and len(inside) > 2):  # American typesetting: "Night Moves," he
                continue
            span = Span(span.start, span.end - 1)
        run = words_in(sentence, span)
        words = [word.written for word in sentence.words[slice(*run)]]
        if words and len(words) <= _LONGEST_QUOTED and _is_title(words):
            yield run, span


def _is_title(words: list[str]) -> bool:
    content = [word for word in words if word.lower() not in STOP_WORDS]
    if not content or not all(word[0].isupper() or word[0].isdigit() for word in content) or not words[0][0].isupper():
        return False
    return len(words) > 1 or (len(words[0]) > 2 and words[0].lower() not in OPENERS)


def find_code(text: str, sentence: Sentence) -> Iterator[tuple[Run, Span]]:
    """Identifiers: in code marks, options of commands, calls, words with underscores."""
    if _MAYBE_CODE.search(text, *sentence.span) is None:
        return
    marked = (match.span(match.lastindex or 0) for match in _CODE.finditer(text, *sentence.span))
    bare = (
        (word.start, word.end)
        for word in sentence.words
        if "_" in word.written and _IDENTIFIER.fullmatch(word.written) and not _is_column(text, word)
    )
    last = -1
    for start, end in sorted(chain(marked, bare)):
        span = Span(start, end)
        run = words_in(sentence, span)
        if (
            start > last
            and run[0] < run[1]
            and any(map(str.isalpha, span.of(text)))
            and span.of(text) == span.of(text).strip()
        ):
            yield run, span
            last = end


def _is_column(text: str, word: Word) -> bool:
    """Whether a word is all of the cell of a row: "date | amount_gbp"."""
    before = text[max(0, word.start - 3) : word.start].rstrip(" ")
    after = text[word.end : word.end + 3].lstrip(" ")
    return (before.endswith("|") or after.startswith("|")) and (
        (not before or before[-1] in "|\n") and (not after or after[0] in "|\n")
    )


def words_in(sentence: Sentence, span: Span) -> Run:
    """The words of ``sentence`` that lie inside ``span``; an empty run when none does."""
    inside = [place for place, word in enumerate(sentence.words) if span.start <= word.start and word.end <= span.end]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


class KnownNames:
    """Names by their folded words."""

    def __init__(self, forms: Iterable[Sequence[str]]) -> None:
        by_first: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for form in sorted({tuple(form) for form in forms}, key=lambda form: (-len(form), form)):
            first = "".join(form[:1])
            if len(form) > 1 or (len(first) >= _SHORTEST and first not in STOP_WORDS):
                by_first[first].append(form)
        self._by_first = dict(by_first)

    def within(self, sentence: Sentence) -> Iterator[Run]:
        """Where a sentence has the names, the longest first word by word, none inside another."""
        if not self._by_first:
            return
        end = 0
        for place, word in enumerate(sentence.words):
            if place < end:
                continue
            for form in self._by_first.get(_bare_word(word), ()):
                if tuple(map(_bare_word, sentence.words[place : place + len(form)])) == form:
                    end = place + len(form)
                    yield place, end
                    break


def names_of_document(names: Iterable[Found]) -> KnownNames:
    """The names that a document writes with capitals."""
    return KnownNames(
        tuple(map(_bare_word, name.sentence.words[name.first : name.end]))
        for name in names
        if name.origin == "capitals"
    )


def names_of_profile(profile: Profile | None) -> KnownNames:
    """The names that the aliases of a profile stand for: Bitcoin, Kubernetes; those written small are words."""
    tables = profile.aliases.values() if profile else ()
    named = (
        canonical.partition(" (")[0]
        for table in tables
        for canonical in (*table.strong.values(), *table.ambiguous.values())
    )
    return KnownNames(
        tuple(fold_words(match[0]) for match in TOKEN.finditer(name)) for name in named if name[:1].isupper()
    )


def _bare_word(word: Word) -> str:
    small = word.small
    return small.replace("’", "'").removesuffix("'s") if "'" in small or "’" in small else small


def title_name(title: str) -> str:
    """What a title names, without its qualifier; "" for a headline or a question, which names nothing as a whole."""
    bare = without_qualifier(title) or title.strip()
    bare = bare if " " in bare else bare.replace("_", " ").strip()
    return bare if len(bare) <= LONGEST_TITLE and _names_something(bare) else ""


def _names_something(title: str) -> bool:
    words = [match[0] for match in TOKEN.finditer(title)]
    content = [word for word in words if word.lower() not in STOP_WORDS]
    if all(not word[0].islower() for word in content):
        return True
    small = [word.lower() for word in words]
    if len(words) > _LONGEST_SENTENCE_LIKE or _SENTENCE.search(title) or small[0] in _QUESTION:
        return False
    return not any(word in _BE or (word in VERBS and word.endswith("s")) for word in small)


def title_forms(title: str) -> Forms:
    """The folded words of what a title names."""
    return tuple(fold_words(match[0]) for match in TOKEN.finditer(title_name(title)))


def places_of_title(text: str, sentence: Sentence, title: Forms) -> Iterator[Run]:
    """Where a sentence says the title of its own document."""
    if not title or len(title) > len(sentence.words):
        return
    forms: list[str] | None = None
    for place, word in enumerate(sentence.words):
        if not word.small.startswith(title[0]):
            continue
        forms = forms or [fold_words(each.written).replace("’", "'").removesuffix("'s") for each in sentence.words]
        end = place + len(title)
        if tuple(forms[place:end]) == title and not _CLOSES.search(text, word.start, sentence.words[end - 1].start):
            yield place, end


@dataclass(frozen=True, slots=True)
class Marks:
    """What a whole document says of the names in its sentences."""

    words: DocumentWords
    terms: Terms
    title: Forms
    listed: KnownNames
    """The names that its profile knows."""


def find_names(
    reading: Reading,
    sentence: Sentence,
    marks: Marks,
    recognised: Sequence[tuple[Span, str]] = (),
    known: KnownNames | None = None,
) -> list[Found]:
    """The names in ``sentence`` from left to right: the surer mark wins, then the longer name.

    ``recognised`` are names in the text of the chunk, with their kinds; ``known`` are names to be known again where
    capitals say nothing. Only a term may hold another name.
    """
    text = reading.chunk.text
    taken = [False] * len(sentence.words)
    names: list[Found] = []
    for (first, end), origin, marked, kind in _find_candidates(text, sentence, marks, recognised, known=known):
        if not any(taken[first:end]):
            taken[first:end] = [True] * (end - first)
            names.append(build_found(reading, sentence, (first, end), origin, marked=marked, kind=kind))
    for first, end in marks.terms.within(sentence, text):
        # A term may hold a name ("Riemann integral"), as long as it is not all of it.
        overlapping = [one for one in names if one.first < end and first < one.end]
        if all(first <= one.first and one.end <= end and one.end - one.first < end - first for one in overlapping):
            names.append(build_found(reading, sentence, (first, end), "term"))
    return sorted((name for name in names if name.key), key=lambda one: (one.span.start, -one.span.end))


def _find_candidates(
    text: str, sentence: Sentence, marks: Marks, recognised: Sequence[tuple[Span, str]], *, known: KnownNames | None
) -> Iterator[tuple[Run, str, Span | None, str]]:
    for run in places_of_title(text, sentence, marks.title):
        yield run, "title", None, ""
    for run, span in quoted_titles(text, sentence):
        yield run, "quoted", span, ""
    for run, span in find_code(text, sentence):
        yield run, "code", span, ""
    for span, kind in recognised:
        if sentence.span.contains(span):
            first, end = without_small_ends(sentence.words, words_in(sentence, span))
            if first < end and is_name(sentence.words[first:end]):
                yield (first, end), "capitals", None, kind
    for run in known.within(sentence) if known else ():
        yield run, "recalled", None, ""
    for run in names_of(text, sentence, marks.words):
        yield run, "capitals", None, ""
    for run in marks.listed.within(sentence):
        yield run, "listed", None, PRODUCT
