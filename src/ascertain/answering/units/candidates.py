"""Candidate sentences: the whole sentences that the retrieved passages touch."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache

from ascertain.answering.matching.kinds import mentions_identifier, offers_kind
from ascertain.answering.units.referents import find_antecedent, find_referent, list_preceding, needs_previous
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Passage
from ascertain.core.documents.blocks import BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.language.blocks import find_announced, find_announced_block, find_paragraph, is_code
from ascertain.language.equivalents import held_terms
from ascertain.language.instructions import instruction_spans
from ascertain.language.scripts import UNSPACED_RUN
from ascertain.language.sentences import MAX_SENTENCE, is_fragment, sentences_touching, split_sentences
from ascertain.language.tables import TableFinder, label_row
from ascertain.language.tokens import WORD, content_terms
from ascertain.language.word_lists import load_alternatives, load_pattern
from ascertain.questions.reading.kinds import FACTS
from ascertain.questions.reading.question import Question
from ascertain.questions.reading.respelling import respell_question

LONGEST_UNIT = 2 * MAX_SENTENCE
"""Most characters of a row, of code or of a list quoted as one; as long as the longest quote of a written answer."""

SHORT_BLOCK = 400
"""Most characters of a sentence with what it introduces that are found and compared as one: as many as are embedded. A longer
one is found by its sentence."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One sentence of a stored document; ``span.of(document.text)`` is its exact quote."""

    document: Document
    span: Span
    text: str
    """The quote with runs of white space collapsed."""
    terms: tuple[str, ...]
    """Its content terms, in order, and those of what its opening pronoun refers to."""
    passage: int
    """Index of the best passage that contains it."""
    is_fragment: bool
    """Whether it is a heading, a table row, code or another piece that does not read as a sentence."""
    header: Span | None = None
    """Of a row, the header of its table; ``text`` then gives each cell with its column."""
    is_block: bool = False
    """Whether it is a sentence with the code, list or table it introduces."""
    is_entry: bool = False
    """Whether it is shown as an item of a list."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Candidates by passage and, within one, in text order; and what was omitted."""

    candidates: tuple[Candidate, ...]
    used: tuple[int, ...]
    """Indexes of the passages whose text is in a stored document as retrieved."""
    decisions: tuple[Decision, ...]


def gather_candidates(
    passages: Sequence[Passage], document: Callable[[str], Document | None], language: str
) -> Gathered:
    """Sentences of ``passages`` (best first), each once, under the best passage that contains it.

    A passage whose document is gone, or no longer reads as the passage does, is skipped with a decision; so are
    sentences that read like instructions to a model, which are not evidence.
    """
    documents: dict[str, Document | None] = {}
    units_of: dict[str, _Units] = {}
    seen: set[tuple[str, Span]] = set()
    candidates: list[Candidate] = []
    used: list[int] = []
    decisions: list[Decision] = []
    for index, passage in enumerate(passages):
        key = passage.chunk.document_id
        if key not in documents:
            documents[key] = document(key)
        stored = documents[key]
        if stored is None or passage.chunk.span.of(stored.text) != passage.chunk.text:
            reason = "its document is no longer stored" if stored is None else "its document has changed since"
            decisions.append(Decision("compose", "passage skipped", f"{passage.chunk.id}: {reason}"))
            continue
        used.append(index)
        units = units_of.setdefault(key, _Units(stored))
        fresh = [s for s in units.list_touching(passage.chunk.span) if (key, s) not in seen]
        seen.update((key, span) for span in fresh)
        honest = _without_orders(stored, passage.chunk.span, fresh)
        candidates.extend(units.build_candidate(span, index, language) for span in honest)
        if len(honest) < len(fresh):
            reason = f"{passage.chunk.id}: {len(fresh) - len(honest)} read like instructions to a model"
            decisions.append(Decision("compose", "sentences skipped", reason))
    return Gathered(tuple(candidates), tuple(used), tuple(decisions))


def collapse_spaces(text: str) -> str:
    """``text`` with every run of white space made one space, none at the ends."""
    return " ".join(text.split())


def count_noun(number: int, noun: str) -> str:
    """``1 document``, ``1,200 documents``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _without_orders(document: Document, chunk: Span, sentences: Sequence[Span]) -> list[Span]:
    """``sentences`` of the passage under ``chunk`` that overlap nothing that reads like instructions to a model."""
    orders = [span.shift(chunk.start) for span in instruction_spans(chunk.of(document.text))]
    return [s for s in sentences if not any(s.overlap(order) for order in orders)]


class _Units:
    """What can be quoted from one document: its sentences, the rows of its tables, its paragraphs of code."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._tables = TableFinder(document.text, document.tree)
        self._blocks: set[Span] = set()
        self._code_parts: dict[Span, tuple[Span, ...]] = {}
        self._code: dict[Span, bool] = {}
        """Whether a paragraph is code: one may be the whole document, and is checked for each of its sentences."""

    def list_touching(self, stretch: Span) -> Iterator[Span]:
        """Those that overlap ``stretch``, whole, in order and each once; without the headers of tables."""
        last: Span | None = None
        for sentence in sentences_touching(self._document, stretch):
            for unit in self._find_units(sentence):
                if unit != last:
                    last = unit
                    yield unit

    def build_candidate(self, span: Span, passage: int, language: str) -> Candidate:
        """The candidate of a unit."""
        text = collapse_spaces(span.of(self._document.text))
        if span in self._blocks:
            return Candidate(self._document, span, text, content_terms(text, language), passage, False, is_block=True)
        table = self._tables.find_at(span.start)
        if table is not None and span in table.rows:
            text = label_row(table.header.of(self._document.text), span.of(self._document.text))
            return Candidate(self._document, span, text, content_terms(text, language), passage, True, table.header)
        # what its pronoun refers to is part of what a sentence says
        told = f"{text} {find_antecedent(self._document, span)}"
        return Candidate(
            self._document,
            span,
            text,
            content_terms(told, language),
            passage,
            is_fragment(text) or self._find_code(span) is not None,
        )

    def _find_units(self, sentence: Span) -> list[Span]:
        table = self._tables.find_at(sentence.start)
        if table is not None:
            if table.header.overlap(sentence):
                return []
            rows = (row for row in table.rows if row.contains(sentence) and row.length <= LONGEST_UNIT)
            return [next(rows, sentence)]
        code = self._find_code(sentence)
        if code is not None:
            is_whole = code.contains(sentence) and code.length <= LONGEST_UNIT
            return [code] if is_whole else self._list_code_parts(code, sentence)
        block = with_announced(self._document, sentence, SHORT_BLOCK)
        if block != sentence:
            self._blocks.add(block)
        return [block]

    def _list_code_parts(self, code: Span, sentence: Span) -> list[Span]:
        """Those of ``code`` that begin in ``sentence``; the one it lies in where none does."""
        parts = self._code_parts.setdefault(code, tuple(_divide_code(self._document.text, code)))
        first = bisect_left(parts, sentence.start, key=lambda part: part.start)
        after = bisect_left(parts, sentence.end, key=lambda part: part.start)
        return list(parts[first:after] or parts[max(0, first - 1) : first] or (sentence,))

    def _find_code(self, span: Span) -> Span | None:
        """The code that contains ``span``, including a comment that reads like a sentence; None outside code."""
        around = self._document.tree.around(span.start)
        if around and around[-1].kind is BlockKind.CODE:
            return around[-1].span
        paragraph = find_paragraph(self._document.text, span.start)
        if paragraph not in self._code:
            self._code[paragraph] = is_code(paragraph.of(self._document.text))
        is_spoken = bool(self._document.place_of(span).speaker)
        return paragraph if self._code[paragraph] and not is_spoken else None


def _divide_code(text: str, code: Span) -> Iterator[Span]:
    """The parts of code too long to be quoted as one: its paragraphs, and the lines of longer paragraphs."""
    for match in _CODE_PARAGRAPH.finditer(code.of(text)):
        paragraph = Span(*match.span()).shift(code.start)
        if paragraph.length <= LONGEST_CODE:
            yield paragraph
            continue
        for line in _LINE.finditer(paragraph.of(text)):
            yield Span(*line.span()).shift(paragraph.start)


_CODE_PARAGRAPH = re.compile(r"[^\s](?:[^\n]|\n(?!\s*\n))*")
_LINE = re.compile(r"[^\s][^\n]*")


def with_announced(document: Document, lead: Span, limit: int) -> Span:
    """A sentence with what it introduces, of at most ``limit`` characters together: code, a list, a table, a sentence.

    The sentence alone where it introduces nothing, in speech, where a heading follows, and where what follows reads like
    instructions to a model.
    """
    if document.place_of(lead).speaker:
        return lead
    whole = find_announced_block(document, lead, limit) or find_announced(document.text, lead, limit)
    last = Span(whole.end - 1, whole.end)
    if document.place_of(lead).section != document.place_of(last).section or instruction_spans(whole.of(document.text)):
        return lead
    return whole


OPENING, ALIKE = 6, 0.5
"""Content terms at the beginning of sentences, and the share of them that sentences of a series have in common: reports
of one series begin alike and give different reasons (by eye on the market reports of the development set of news).
"""


def begin_alike(one: Candidate, other: Candidate) -> bool:
    """Whether two sentences begin as those of one series of reports do, whatever their figures."""
    first, second = (
        {term for term in each.terms[:OPENING] if not any(c.isdigit() for c in term)} for each in (one, other)
    )
    return len(first & second) >= ALIKE * max(1, len(first | second))


LONGEST_CODE = 600
"""Characters of a sentence with the code it introduces, after which only lines with words of the question are quoted, and
what comes before them: what is read at a glance, as much as for any sentence.
"""


def quote_whole(candidate: Candidate, question: Question) -> Candidate:
    """The sentence with its speaker, with what its pronoun needs, or with what it introduces on lines of its own; a row as
    it is.
    """
    if candidate.header is not None:
        return candidate
    text = candidate.document.text
    lead = split_sentences(candidate.span.of(text))[0].shift(candidate.span.start)
    span = candidate.span if candidate.is_block else with_attribution(candidate.document, candidate.span)
    if candidate.is_block or span == lead:
        whole = _shorten_code(text, lead, with_announced(candidate.document, lead, LONGEST_UNIT), question)
        if whole != lead:
            lines = [line.rstrip() for line in text[lead.end : whole.end].strip("\n").split("\n")]
            return replace(candidate, span=whole, text="\n".join((collapse_spaces(lead.of(text)), *lines)))
    span = with_previous(candidate.document, span)
    return replace(candidate, span=span, text=collapse_spaces(span.of(text)))


def _shorten_code(text: str, lead: Span, whole: Span, question: Question) -> Span:
    """``whole`` without the last lines of long code, where these contain nothing from ``question``."""
    if whole.length <= LONGEST_CODE or not is_code(text[lead.end : whole.end].strip("\n")):
        return whole
    end = lead.end
    for line in re.finditer(r"(?m:^)[^\S\n]*+\S[^\n]*", text[lead.end : whole.end]):
        place = lead.end + line.end()
        words = " ".join(re.split(r"[\W_]+", line.group()))
        if place - whole.start <= LONGEST_CODE or question.weights.keys() & set(
            content_terms(words, question.language)
        ):
            end = place
    return Span(whole.start, end)


# A person who asks about error TP-4107 is not helped by what is known of TP-4120, however alike the two sentences read.

PENALTY = 8.0
"""Log-odds deducted from a sentence that is not about the requested code: more than any other signal can offset."""
UNNAMED = 0.6
"""Factor on the confidence when a name of the question is in none of the passages."""


def find_unmentioned_codes(codes: Sequence[str], passages: Sequence[Passage]) -> tuple[str, ...]:
    """The codes that no passage has in its text or heading."""
    return tuple(
        code for code in codes if not any(mentions_identifier(passage.chunk.indexed_text, code) for passage in passages)
    )


def is_about(candidate: Candidate, codes: Sequence[str]) -> bool:
    """Whether the sentence, or the heading of its section, contains one of the codes."""
    section = " ".join(candidate.document.place_of(candidate.span).section)
    return any(mentions_identifier(candidate.text, code) or mentions_identifier(section, code) for code in codes)


def is_entry_of(candidate: Candidate, codes: Sequence[str]) -> bool:
    """Whether the sentence is in the section headed by one of the codes, as in a list of errors."""
    section = candidate.document.place_of(candidate.span).section
    return bool(section) and any(_ENTRY.sub("", section[-1]).lower() == code.lower() for code in codes)


def find_entry(candidates: Sequence[Candidate], codes: Sequence[str]) -> list[int]:
    """The sentences of the section headed by one of the codes, in order, up to ``LONGEST_UNIT``; none where
    there are several.
    """
    found = [i for i, each in enumerate(candidates) if not each.is_fragment and is_entry_of(each, codes)]
    sections = {(candidates[i].document.id, candidates[i].document.place_of(candidates[i].span).section) for i in found}
    if len(sections) != 1:
        return []
    ordered = sorted(found, key=lambda i: candidates[i].span)
    start = candidates[ordered[0]].span.start
    return [i for i in ordered if candidates[i].span.end - start <= LONGEST_UNIT] or ordered[:1]


_ENTRY = re.compile(r"^\W*(?:(?:error|code|option|setting|ticket|issue|case|version)\W+)?|(?<!\W)\W+$", re.I)
"""What may surround a code in the heading of its entry."""


def find_missing_names(question: Question, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Names of the question, as written there, that are in no passage.

    Scripts without spaces have no capitals to know a name by: any word counts of which no passage contains a part.
    """
    read = set[str]().union(*(held_terms(passage.chunk.indexed_text, question.language) for passage in passages))
    return tuple(dict.fromkeys(word for word in WORD.findall(question.text) if _is_missing_name(word, question, read)))


def is_of_unknown_name(question: Question, passages: Sequence[Passage]) -> bool:
    """Whether ``question`` names something, and no passage contains any of its names, or a close spelling: then they are about
    something else. Abbreviations do not count, since texts may write them out.
    """
    names = [
        word
        for word in WORD.findall(question.text)
        if not word.isupper()
        and not any(c.isdigit() for c in word)
        and set(content_terms(word, question.language)) & question.specifics
    ]
    if not names or not set(names) <= set(find_missing_names(question, passages)):
        return False
    return (
        respell_question(question.text, [passage.chunk.indexed_text for passage in passages], question.language)
        == question.text
    )


def _is_missing_name(word: str, question: Question, read: Set[str]) -> bool:
    if any(c.isdigit() for c in word):
        return False
    terms = content_terms(word, question.language)
    if UNSPACED_RUN.match(word):
        return bool(terms) and read.isdisjoint(terms)
    return any(term in question.specifics and term not in read for term in terms)


def is_bare(candidate: Candidate) -> bool:
    """Whether a candidate says nothing by itself: a line of code without its function, "return 1", or the names of manual pages."""
    if _PAGE_NAMES.fullmatch(candidate.text):
        return True
    return candidate.is_fragment and _BARE_STATEMENT.fullmatch(candidate.text) is not None


_PAGE_NAMES = re.compile(r"(?:(?:and )?[\w.:+@-]{1,60}\s?\(\d\w{0,3}\)(?:[,.;\s]+|$))+")
_BARE_STATEMENT = re.compile(r"(?:return|yield|break|continue|pass|raise)\b[^()]{0,20}")


def stands_in_works(candidate: Candidate) -> bool:
    """Whether the sentence is in a list of works, as under "References": it names them and says nothing about their content."""
    section = candidate.document.place_of(candidate.span).section
    return bool(section) and _works_heading().fullmatch(section[-1]) is not None


@cache
def _works_heading() -> re.Pattern[str]:
    return re.compile(rf"[\W\dIVX]*{load_pattern('paper_sections', 'references')}\W*", re.IGNORECASE)


_NAME_IN_CODE = re.compile(r"(?<!\S)--?[a-zA-Z][\w-]*\w|\b\w+(?:_\w+)+\b|\b\w+(?:\.\w+){0,9}\(\)?|\b\w+=\S+")
"""An option, a name with an underscore, a call, a setting with its value: it has no other meaning."""


def is_code_asked_for(question: Question, candidate: Candidate) -> bool:
    """Whether a paragraph of code, or a list of options, contains what ``question`` names in the spelling of code."""
    return candidate.header is None and any(
        re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", candidate.text)
        for name in _NAME_IN_CODE.findall(question.text)
        if is_code(candidate.span.of(candidate.document.text))
    )


RESTATED = 0.7
"""Share of a question's weight that a question, or what a command quotes, must contain to be the same question."""
SAYING_MORE = 2
"""Content words beyond those of the question from which a quotation says something, as the docstring of a function does (by judgement)."""
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|“[^”\n]{0,1000}”|`[^`\n]*`")


def restates_question(question: Question, candidate: Candidate) -> bool:
    """Whether a piece of a source only repeats the question and so cannot answer it.

    That is a heading or other scrap without a word of its own, a question (of an interviewer, of an FAQ) about the same
    that does not give the requested fact, and a command or a scrap that quotes the question and adds nothing.
    """
    own = set(candidate.terms)
    if not own:
        return False
    if candidate.is_fragment and own <= question.weights.keys():
        return True
    if candidate.text.rstrip("\"'”’)*_` ").endswith("?"):
        restates = question.coverage(own) >= RESTATED
        return restates and (
            question.kind not in FACTS
            or not offers_kind(question.kind, candidate.text, question.weights.keys(), question.language)
        )
    if not candidate.is_fragment and not candidate.is_block:
        return False
    rest, restated = candidate.text, False
    for quoted in _QUOTED.findall(candidate.text):
        said = set(content_terms(quoted, question.language))
        is_echo = len(said - question.weights.keys()) < SAYING_MORE
        if is_echo and question.coverage(said) >= RESTATED:
            rest, restated = rest.replace(quoted, " "), True
    return restated and question.coverage(content_terms(rest, question.language)) < 1 - RESTATED


# "It will not stop there," said Tim Draycott: of a quotation of several sentences the first does not say whose words it
# is, and to a reader it would be the document that says so.

_SAYING = re.compile(rf"\b(?:{load_alternatives('sentences', 'saying')})\b")
_WHO_SAID = re.compile(
    rf"(?:{load_alternatives('sentences', 'saying')})\b|(?:[^\s,;:]+\s+){{1,6}}(?:{load_alternatives('sentences', 'saying')})\b"
)
"""At the beginning of a sentence after a quotation."""
_AUTHOR = re.compile(
    rf"\b(?:{load_alternatives('sentences', 'authoring')})\s+[A-Z][a-z]|"
    rf"\b[A-Z][\w’'-]{{1,60}}\s+(?:{load_alternatives('sentences', 'authoring')})\b"
)
_FIRST_PERSON = re.compile(r"\bI\b|\b[Mm]y\b")
_OPENS, _CLOSES, _EITHER = "“„«", "”»", '"'
_QUOTATION = re.compile(r"[“„«][^“„«”»]*[”»]|\"[^\"]*\"")


def with_attribution(document: Document, span: Span) -> Span:
    """A sentence of ``document`` with the rest of the quotation it is part of, up to who says it.

    The sentence alone where it is not part of one, where the speaker is known anyway (a transcript), where no one is
    named, and where that would be longer than a sentence may be.
    """
    if document.place_of(span).speaker:
        return span
    around = Span(max(0, span.start - MAX_SENTENCE), min(len(document.text), span.end + MAX_SENTENCE))
    sentences = _find_paragraph(document, sentences_touching(document, around), span)
    if span not in sentences:
        return span
    index = sentences.index(span)
    for first, last in _find_quotation(document.text, sentences, index):
        whole = Span(sentences[first].start, sentences[last].end)
        text = whole.of(document.text)
        if whole != span and whole.length <= MAX_SENTENCE and _names_speaker(text) and not instruction_spans(text):
            return whole
    return span


def with_previous(document: Document, span: Span) -> Span:
    """A sentence with the one before it, where it opens with a pronoun and it is not certain what that refers
    to; the sentence alone where that would be longer than a sentence may be.
    """
    if not needs_previous(span.of(document.text)) or find_referent(document, span):
        return span
    before = list_preceding(document, span)[-1:]
    whole = Span(before[0].start, span.end) if before else span
    is_quotable = whole.length <= MAX_SENTENCE and not instruction_spans(whole.of(document.text))
    return whole if is_quotable and not is_fragment(collapse_spaces(whole.of(document.text))) else span


def _find_paragraph(document: Document, sentences: Iterable[Span], span: Span) -> list[Span]:
    """Those of ``sentences`` that are in the same paragraph as ``span``, in order."""
    paragraphs: list[Span] = []
    for sentence in sentences:
        if paragraphs and "\n\n" in document.text[paragraphs[-1].end : sentence.start]:
            if paragraphs[-1].end >= span.end:
                break
            paragraphs = []
        paragraphs.append(sentence)
    return paragraphs


def _find_quotation(text: str, sentences: Sequence[Span], index: int) -> Iterator[tuple[int, int]]:
    """First and last sentence of what is said in one breath with ``sentences[index]``, the widest first."""
    inside = [False]
    for sentence in sentences:
        inside.append(_is_quoting(sentence.of(text), inside[-1]))
    first = last = index
    while first > 0 and inside[first]:
        first -= 1
    while last < len(sentences) - 1 and inside[last + 1]:
        last += 1
    if inside[last + 1]:
        return
    following = sentences[last + 1].of(text) if last + 1 < len(sentences) else ""
    said = _QUOTATION.sub("", text[sentences[first].start : sentences[last].end])
    is_quoted = sentences[last].of(text)[-1] in _CLOSES + _EITHER
    who = _WHO_SAID.match(following)
    if who is not None and (following[0].islower() or (is_quoted and not _SAYING.search(said))):
        last += 1
    yield first, last
    if first < index:
        yield index, last


def _is_quoting(sentence: str, inside: bool) -> bool:
    """Whether a quotation is open after ``sentence``; ``inside`` says whether one was open before."""
    for position, character in enumerate(sentence):
        if character in _OPENS:
            inside = True
        elif character in _CLOSES:
            inside = False
        elif character in _EITHER:
            # inches are not a quotation
            inside = not inside and not sentence[position - 1 : position].isdigit()
    return inside


def _names_speaker(text: str) -> bool:
    return _SAYING.search(_QUOTATION.sub("", text)) is not None


def find_author(candidates: Sequence[Candidate], index: int) -> int | None:
    """The sentence of the same document that names whose opinion it is, where ``candidates[index]`` speaks as "I"."""
    own = candidates[index]
    if not _FIRST_PERSON.search(_QUOTATION.sub("", own.text)) or own.document.place_of(own.span).speaker:
        return None
    beside = (i for i, each in enumerate(candidates) if each.document.id == own.document.id and i != index)
    return next((i for i in beside if _AUTHOR.search(_QUOTATION.sub("", candidates[i].text))), None)
