"""Sentences: where they begin and end, whether a line is one, and whether it can stand alone.

Rules for English prose as it really comes: abbreviations, initials, decimals, quotations, headings, lists, lines broken
by a page layout, text tokenised with spaces before its stops, and run-ons with no stop at all. Full stops of Chinese,
Japanese, Hindi, Urdu and Arabic text are known too. German, French, Spanish, Italian, Portuguese and Dutch text is split by the
abbreviations and ordinals of its own language.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.language.languages import ENGLISH, known_language
from ascertain.language.remembering import remember_texts
from ascertain.language.scripts import estimate_words
from ascertain.language.tables import is_row
from ascertain.language.word_lists import list_names, load_pattern, load_word_set

MAX_SENTENCE = 600
"""Longer sentences are cut at a clause mark; a quotation longer than this is not one a reader checks at a glance."""

_SHORT_LINE = 40
"""A line under this that does not run on is a heading, an item or the end of a paragraph, even in two-column layouts.
"""
_LONG_LINE = 160
"""No page layout breaks lines this late: a break after one ends a paragraph."""

_LINE = re.compile(r"(?<![^\n\r\f\v\u2028\u2029])[^\S\n\r\f\v\u2028\u2029]*+\S[^\n\r\f\v\u2028\u2029]*")
_BREAK = re.compile(r"\r\n|[\n\r\v\u2028]|[\f\u2029]")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·–—]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s|#{1,6}\s|\||>|```|\[\^?\w+\]:)")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|={2,}|=\s|-{3,}|```|\|.*\|\s*$)")
_RUNS_ON = re.compile(rf"(?:[,\-‐–—(]|\b{load_pattern('sentences', 'runs_on')})\s*$", re.I)

_STOP = re.compile(
    # a run of stops is tried once, from its beginning: 100 kB of dots behind which no space comes take no more than any text
    r"(?P<stop>(?<![.!?…])[.!?…]++(?:[ ][.!?]++(?=\s|$))*)"
    r"(?P<close>[\"'”’»)\]*_`]*(?:\[\d+(?:,\s?\d+)*\])*)"
    r"(?P<gap>\s+|$)"
    r"|[。！？｡।॥؟۔]+[」』”’）】\"']*"
)
_CLOSING_QUOTE = re.compile(r"[\"'”’]\s+|(?:''|``)\s+")
_WORD_BEFORE = re.compile(r"[\w.&'’-]{0,40}$")
_WORD_AFTER = re.compile(r"[\"'“‘«(\[*_`]*(\w[\w’'-]*)?")
_LONGEST_QUOTE = 20 * MAX_SENTENCE
"""Characters looked back at for the mark that a quotation began with."""
_LONGEST_OPENING = 100
"""Characters before a stop in which it shows whether more than marks stands before the word."""
_CLAUSE = re.compile(r"(?:[;:—,]|--)\s+|[、，；：]")
_SPACE = re.compile(r"\s+")
_NO_LETTER = re.compile(r"[^A-Za-z\s]+")


_NEVER_LAST = load_word_set("sentences", "never_last")
_FIGURE = re.compile(r"\d{1,3}|[ivxlc]{1,5}")
"""What a stop makes an ordinal of, where a language writes ordinals so."""
_BEFORE_NUMBER = load_word_set("sentences", "before_number")
_MAY_BE_LAST = load_word_set("sentences", "may_be_last")
_STARTERS = load_word_set("sentences", "starters")

_FRAGMENT = re.compile(r"#{1,6}\s|={3,}|-{3,}$")
_TABLE = re.compile(r"^\||\|.*\||\t.*\t")
_ENDS = re.compile(r"[.!?…:;。！？।؟][\"'”’»)\]*_`]*(?:\[\d+\])*$")
_LEANS = re.compile(rf"[\"'“‘(]*{load_pattern('sentences', 'leaning')}\b", re.I)

MARGIN = 700
"""Characters looked at on either side, more than a sentence can have, so that cut sentences are seen whole."""


def split_sentences(text: str, language: str | None = None) -> list[Span]:
    """Spans of the sentences of ``text``, in order; by the rules of its ``language``, English where none is named or known.

    They never overlap, have no white space at either end, are at most ``MAX_SENTENCE`` long, and together cover every
    character that is not white space.
    """
    return list(_split_text(text, known_language(language)))


@remember_texts(1_000)
def _split_text(text: str, language: str) -> tuple[Span, ...]:
    uncased = _is_lower_case(text)
    sentences: list[Span] = []
    for block in _split_blocks(text):
        for sentence in _split_block(text, block, uncased, language):
            sentences.extend(_cut_long(text, sentence))
    return tuple(sentences)


def cut_at_sentence(text: str, most: int) -> str:
    """``text``, or as many whole sentences of its beginning as fit into ``most`` characters; whole words of the first one where
    that alone is longer.
    """
    if len(text) <= most:
        return text
    ends = [span.end for span in split_sentences(text) if span.end <= most]
    if ends:
        return text[: ends[-1]]
    head = text[:most]
    return head if text[most].isspace() else re.sub(r"(?<!\S)\S+$", "", head).rstrip() or head


def sentences_touching(document: Document, stretch: Span) -> Iterator[Span]:
    """Sentences of ``document`` that overlap ``stretch``, whole and in order."""
    length = len(document.text)
    start, end = max(0, stretch.start - MARGIN), min(length, stretch.end + MARGIN)
    for piece in _split_window(document, Span(start, end)):
        for sentence in split_sentences(piece.of(document.text), document.language):
            span = sentence.shift(piece.start)
            cut = (span.start == start > 0) or (span.end == end < length)
            if span.overlap(stretch) and not (cut and not stretch.contains(span)):
                yield span


@remember_texts(1_000)
def is_fragment(text: str) -> bool:
    """Whether ``text`` (one line) reads as a heading, a table row, a bare link or another scrap, not as a sentence."""
    words = estimate_words(text)
    if words < 4 or _FRAGMENT.match(text) or _TABLE.search(text):
        return True
    # of text in ASCII a pattern counts the same, faster
    letters = len(_NO_LETTER.sub("", text)) if text.isascii() else sum(c.isalpha() or c.isspace() for c in text)
    if letters < 0.6 * len(text):
        return True
    return words < 12 and not _ENDS.search(text)


def leans_on_previous(text: str) -> bool:
    """Whether a sentence begins with a pronoun or a connective that needs the sentence before it."""
    return _LEANS.match(text) is not None


def _trim_span(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(end - len(piece.lstrip()), start + len(piece.rstrip())) if piece.strip() else Span(start, start)


def _is_lower_case(text: str) -> bool:
    """Whether sentences commonly begin in lower case, as in chats: then a small letter tells nothing of a stop."""
    lower = upper = 0
    for match in _STOP.finditer(text, 0, 20_000):
        following = text[match.end() : match.end() + 1]
        lower += following.islower()
        upper += following.isupper()
    return lower >= 3 and lower > upper


def _split_blocks(text: str) -> Iterator[Span]:
    """Runs of lines that can share a sentence: paragraphs, headings, items, rows."""
    lines = [Span(*match.span()) for match in _LINE.finditer(text)]
    if not lines:
        return
    start = 0
    widest = lines[0].length
    for index, line in enumerate(lines):
        widest = max(widest, line.length)
        following = lines[index + 1] if index + 1 < len(lines) else None
        if following is None or _ends_block(text, line, following, widest):
            yield _trim_span(text, lines[start].start, line.end)
            start = index + 1
            widest = following.length if following else 0


def _ends_block(text: str, line: Span, following: Span, widest: int) -> bool:
    if len(_BREAK.findall(text, line.end, following.start)) > 1 or "\f" in text[line.end : following.start]:
        return True
    if line.length > _LONG_LINE or _HEADING.match(text, line.start, line.end):
        return True
    if _ITEM.match(text, following.start, following.end):
        return True
    if " | " in line.of(text) and " | " in following.of(text):
        return True
    words = line.of(text).strip()
    begins = following.of(text).lstrip()[0]
    is_short = len(words) < _SHORT_LINE or len(words) < 0.6 * max(widest, following.length)
    return is_short and not begins.islower() and not _RUNS_ON.search(words)


def _split_block(text: str, block: Span, uncased: bool, language: str) -> Iterator[Span]:
    if is_row(block.of(text), fewest=3):
        yield block
        return
    start = block.start
    for match in _STOP.finditer(text, block.start, block.end):
        if match.end() <= start:
            continue
        end = match.end()
        if match["stop"] is not None:
            end = _past_spaced_quote(text, start, match, block.end)
            if not _ends_sentence(text, start, match, end, limit=block.end, uncased=uncased, language=language):
                continue
        if (sentence := _trim_span(text, start, end)).length:
            yield sentence
        start = end
    if (rest := _trim_span(text, start, block.end)).length:
        yield rest


def _past_spaced_quote(text: str, start: int, match: re.Match[str], limit: int) -> int:
    """The end of the stop and of a mark that closes it: tokenised text has ``. " He``, and an odd count of marks."""
    quote = _CLOSING_QUOTE.match(text, match.end(), limit)
    if quote is None:
        return match.end()
    mark = quote.group().strip()
    opened = max(start, match.end() - _LONGEST_QUOTE)
    closes = mark == "”" or (mark not in "'’" and text.count(mark, opened, match.end()) % 2 == 1)
    return quote.end() if closes else match.end()


def _ends_sentence(
    text: str, start: int, match: re.Match[str], end: int, *, limit: int, uncased: bool, language: str
) -> bool:
    if end >= limit:
        return True
    stop, closes = match["stop"], bool(match["close"])
    after = _WORD_AFTER.match(text, end, limit)
    word = (after.group(1) or "") if after else ""
    begins_small = word[:1].islower() and word.lower() == word
    if "!" in stop or "?" in stop:
        return not (begins_small and closes and not uncased)
    if begins_small and not uncased:
        return False
    if stop != "." or match.start() == start or text[match.start() - 1].isspace():
        return True
    before = _word_before(text, start, match.start())
    if language != ENGLISH:
        sentence = text[max(start, match.start() - _LONGEST_OPENING) : match.start()]
        return _is_last_word_in(language, sentence, before, word)
    return _is_last_word(text, start, match.start(), before, after=word)


def _is_last_word_in(language: str, sentence: str, before: str, after: str) -> bool:
    """The same for another language than English: neither an abbreviation, an initial, an enumerator nor an ordinal."""
    small = before.casefold().strip(".'’-")
    opening = sentence[: len(sentence) - len(before)].casefold()
    if small in _abbreviations(language) or re.fullmatch(r"(?:[^\W\d_]\.\s?)+[^\W\d_]", small):
        return False
    if not opening.strip("([\"'“*_ \t") and _is_enumerator(small):
        return False
    if len(small) == 1 and small.isalpha():
        return False
    if _FIGURE.fullmatch(small) is None:
        return True
    leading, following = _words_around_ordinals(language)
    return after.casefold() not in following and not leading.intersection(opening.split()[-1:])


@cache
def _abbreviations(language: str) -> frozenset[str]:
    return load_word_set("words", "never_last", language)


@cache
def _words_around_ordinals(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """What stands before and behind an ordinal; nothing in a language that marks them by no stop."""
    names = ("before_ordinal", "after_ordinal")
    known = list_names("words", language)
    before, after = (load_word_set("words", name, language) if name in known else frozenset[str]() for name in names)
    return before, after


def _word_before(text: str, start: int, stop: int) -> str:
    match = _WORD_BEFORE.search(text, max(start, stop - 40), stop)
    return match.group() if match else ""


def _is_last_word(text: str, start: int, stop: int, before: str, *, after: str) -> bool:
    """Whether the full stop at ``stop`` ends the sentence rather than marking ``before`` as shortened."""
    small = before.lower().strip(".'’-")
    starts = after.lower() in _STARTERS and after[:1].isupper()
    opening = text[max(start, stop - _LONGEST_OPENING) : stop - len(before)]
    if not opening.strip("([\"'“*_ \t") and _is_enumerator(small):
        return False
    if small in _NEVER_LAST:
        return False
    if small in _BEFORE_NUMBER and any(map(str.isdigit, after)):
        return False
    if len(small) == 1 and before[-1:].isupper():
        return starts or small == "i"
    if small in _MAY_BE_LAST:
        return starts or (small in {"etc", "min", "max", "ed"} and not after[:1].isdigit())
    return starts or re.fullmatch(r"(?:[a-z]\.)+[a-z]", small) is None


def _is_enumerator(word: str) -> bool:
    """``1``, ``2.1``, ``a`` or ``iv`` at the very start: the number of an item or a section, not its words."""
    return re.fullmatch(r"\d{1,3}(?:\.\d{1,3})*|[a-z]|[ivx]{1,4}", word) is not None


def _cut_long(text: str, sentence: Span) -> Iterator[Span]:
    start, end = sentence
    while end - start > MAX_SENTENCE:
        cut = _clause_end(text, start, start + MAX_SENTENCE)
        if (piece := _trim_span(text, start, cut)).length:
            yield piece
        start = cut
    if (rest := _trim_span(text, start, end)).length:
        yield rest


def _clause_end(text: str, start: int, limit: int) -> int:
    """Where to cut ``text[start:limit]``: after its last clause mark or space, past the first third where possible."""
    earliest = start + (limit - start) // 3
    for mark in (_CLAUSE, _SPACE):
        ends = [match.end() for match in mark.finditer(text, earliest, limit)]
        if ends:
            return ends[-1]
    return limit


def _split_window(document: Document, window: Span) -> Iterator[Span]:
    """``window`` cut at the edges of blocks, and behind the name of the speaker that opens a turn."""
    edges = {window.start, window.end}
    for block in _parting_blocks(document, window):
        name = f"{block.place.speaker}: "
        opening = len(name) if document.text.startswith(name, block.span.start) else 0
        edges.update(e for e in (*block.span, block.span.start + opening) if window.start < e < window.end)
    ordered = sorted(edges)
    return (Span(a, b) for a, b in pairwise(ordered))


def _parting_blocks(document: Document, window: Span) -> Iterator[Block]:
    """The blocks that no sentence goes across, as far as they touch ``window``: all but pages and lines."""
    for kind in (BlockKind.PART, BlockKind.SECTION, BlockKind.TURN):
        blocks = document.blocks_of(kind)
        first = bisect_right(blocks, window.start, key=lambda block: block.span.end)
        for block in islice(blocks, first, None):
            if block.span.start >= window.end:
                break
            yield block
    yield from document.tree.around(window.start)
    yield from document.tree.starting_in(window)
