"""Statements of a document turned into questions whose answers they are, by rules.

"A token is valid for 90 days" is asked as "A token is valid for how many days?". Asked for are numbers, dates and sums, definitions, what
something named does, who did something, causes, what abbreviations stand for, headings that are questions, cells of tables that no other
row has, and what a speaker said.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ascertain.core.documents.blocks import Block, BlockKind
from ascertain.core.documents.documents import Document
from ascertain.language.languages import ENGLISH
from ascertain.language.numbers import find_quantities
from ascertain.language.sentences import is_fragment, leans_on_previous, split_sentences
from ascertain.language.tables import BLANK, TableFinder, is_row, split_cells
from ascertain.language.tokens import is_stop_word
from ascertain.language.word_lists import load_alternatives, load_pairs, load_pattern, load_patterns, load_word_set

TOPIC = "proposed_questions"
SHORTEST, LONGEST = 40, 260
"""Characters of a statement that is made a question: shorter ones are labels, longer ones say many things at once."""
LONGEST_FILLED = 180
"""The same where the question is the whole statement but for the answer: longer ones are no question that a person would ask."""
MOST_CELL = 60
"""Characters of a cell that can be an answer; a longer one is prose."""
MOST_TITLE = 60
"""Characters of a title that is put before a question."""
SAID_WORDS = 8
"""Words of a definition, a cause or an action that are expected in the answer."""

_AMOUNTS = tuple(
    (re.compile("|".join(load_patterns(TOPIC, name))), asked) for name, asked in load_pairs(TOPIC, "how_asked").items()
)
_COUNTED = tuple(re.compile(pattern) for pattern in load_patterns(TOPIC, "counted"))
_DEFINITIONS = tuple(re.compile(pattern) for pattern in load_patterns(TOPIC, "definitions"))
_ACTIONS = load_pairs(TOPIC, "actions")
_ACTION = re.compile(
    rf"(?P<subject>[A-Z][\w.+-]*(?: [\w.+-]+){{0,4}}?) (?P<verb>{'|'.join(map(re.escape, _ACTIONS))}) (?P<said>[^;:]{{20,}})\.$"
)
_AGENT = re.compile(
    rf"\b(?:{load_alternatives(TOPIC, 'done_by')}) by (?P<agent>[A-Z][\w'’-]{{2,}}(?: (?:(?:and|of|the|de|van|von) )?[A-Z][\w.'’-]*)*)"
    r"(?=[.,;]| (?:in|on|at|during|and)\b)"
)
_CAUSE = re.compile(rf"(?P<said>[^;:]{{15,}}?),? (?:{load_pattern(TOPIC, 'causes')}) (?P<cause>[^;:]{{15,600}})\.$")
_ABBREVIATED = re.compile(r"(?P<long>(?:[\w’'-]{1,40} ){1,9})\((?P<short>[A-Z][A-Z]{1,7})\)")
_NO_TERMS = load_word_set(TOPIC, "no_terms")
_VAGUE = load_word_set(TOPIC, "vague")
_SHARES = load_word_set(TOPIC, "shares")
_NEVER_LAST = load_word_set(TOPIC, "never_last")
_LEANS_ON = re.compile(load_pattern(TOPIC, "leaning_on"))
_BEFORE_GAPS = load_word_set(TOPIC, "before_gaps")
_OWN_WORDS = load_word_set(TOPIC, "own_words")
_SPOKEN_WORDS = load_word_set(TOPIC, "spoken_words")
_POINTING_BACK = re.compile(load_pattern(TOPIC, "pointing_back"))
_OPEN_ENDS = load_word_set(TOPIC, "open_ends")
_NO_COLUMNS = load_word_set(TOPIC, "no_columns")
_JOINING = load_word_set(TOPIC, "joining")
_WORDS_TO_NAME = 5
"""Words within which a statement names what it is about, or else it is about what its document is about."""
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question, what is expected of its answer, and the words of the document that it was made of."""

    kind: str
    question: str
    answers: tuple[str, ...]
    quote: str


def propose_from(document: Document) -> Iterator[Proposal]:
    """Every question that a document gives, in its order."""
    yield from _ask_titles(document)
    yield from _ask_statements(document)
    yield from _ask_rows(document)


def _ask_titles(document: Document) -> Iterator[Proposal]:
    """A title or heading that is a question, answered by the first sentence below it."""
    headed = [(document.title, 0)] if document.title.endswith("?") else []
    for block in document.blocks_of(BlockKind.SECTION):
        heading = block.place.section[-1] if block.place.section else ""
        if heading.endswith("?"):
            headed.append((heading, block.span.start))
    for heading, start in headed:
        below = document.text[start : start + 2_000].replace(heading, " " * len(heading), 1)
        first = next((span.of(below) for span in split_sentences(below) if len(span.of(below)) >= SHORTEST), None)
        if first is not None:
            yield Proposal("heading", heading, (), " ".join(first.split()))


def _ask_statements(document: Document) -> Iterator[Proposal]:
    turns = [block for block in document.blocks_of(BlockKind.TURN) if block.place.speaker]
    asking = _Asking(shorten_title(document.title), frozenset(re.findall(r"(?<![\w-])[a-z][\w-]*", document.text)))
    explained: set[str] = set()
    for span in split_sentences(document.text):
        sentence = " ".join(span.of(document.text).split())
        speaker = _find_speaker(turns, span.start)
        said = sentence.removeprefix(f"{speaker}:").strip() if speaker else sentence
        if not SHORTEST <= len(said) <= LONGEST or not said.endswith(".") or is_row(said):
            continue
        for proposal in _ask_abbreviations(said):
            if proposal.question not in explained:
                explained.add(proposal.question)
                yield proposal
        if is_fragment(said) or leans_on_previous(said) or _LEANS_ON.match(said) or not said[0].isupper():
            continue
        if not stands_alone(said, is_spoken=speaker is not None):
            continue
        proposal = (asking if speaker is None else replace(asking, title="")).ask_statement(said)
        if proposal is None:
            continue
        if speaker is None:
            yield proposal
        elif proposal.kind != "definition":
            yield Proposal("speaker", f"According to {speaker}: {proposal.question}", proposal.answers, said)


def stands_alone(said: str, *, is_spoken: bool) -> bool:
    """Whether a statement means the same to someone who has not read, or heard, what stands before it.

    What is spoken points at people and things by small words; in a text these mostly mean what the statement itself names.
    """
    words = {word.lower() for word in re.findall(r"[\w'’]+", said.replace("’", "'"))}
    pointing = _OWN_WORDS | _SPOKEN_WORDS if is_spoken else _OWN_WORDS
    has_quotes = said.count('"') % 2 == 0 and said.count("“") == said.count("”")
    return has_quotes and not words & {word.lower() for word in pointing} and not _POINTING_BACK.search(said)


def _find_speaker(turns: Sequence[Block], position: int) -> str | None:
    return next((r.place.speaker for r in turns if r.span.start <= position < r.span.end), None)


@dataclass(frozen=True, slots=True)
class _Asking:
    """How the statements of one document are asked: its ``title``, and the words that it has in small letters."""

    title: str
    small: frozenset[str]

    def ask_statement(self, said: str) -> Proposal | None:
        """The first that applies: a definition, a cause, who did it, the first date, amount or number, what something named does."""
        found = self._ask_definition(said) or self._ask_cause(said)
        if found is None and len(said) <= LONGEST_FILLED:
            found = self._ask_gap(said)
        return found or self._ask_action(said)

    def _ask_definition(self, said: str) -> Proposal | None:
        for pattern in _DEFINITIONS:
            match = pattern.match(said)
            is_number_right = match and (match["verb"] == "is" or not re.match("an? ", match["said"]))
            if match and is_number_right and self._is_term(match["term"]):
                question = f"What {match['verb']} {self._lower_start(match['term'])}?"
                return Proposal("definition", question, (take_words(match["said"]),), said)
        return None

    def _ask_cause(self, said: str) -> Proposal | None:
        match = _CAUSE.match(said)
        if match is None or match["said"].rstrip(", ").split()[-1].lower() in _OPEN_ENDS:
            return None
        question = f"Why is it that {self._lower_start(match['said'].rstrip(', '))}?"
        return Proposal("cause", self._give_context(question, said), (take_words(match["cause"]),), said)

    def _ask_gap(self, said: str) -> Proposal | None:
        agent = _AGENT.search(said)
        if agent:
            return self._fill_gap("agent", said, (agent.start("agent"), agent.end("agent")), "whom")
        for pattern, asked in _AMOUNTS:
            match = pattern.search(said)
            if match:
                return self._fill_gap("number", said, match.span(), asked)
        for pattern in _COUNTED:
            match = pattern.search(said)
            if match is None or is_stop_word(match["unit"].split()[0], ENGLISH) or _YEAR.fullmatch(match["number"]):
                continue
            if not _follows_share(said, match.start()):
                return self._fill_gap("number", said, match.span(), f"how many {match['unit']}")
        return None

    def _fill_gap(self, kind: str, said: str, gap: tuple[int, int], asked: str) -> Proposal | None:
        """None where the question would give its answer away, be none, or be about the second of two statements."""
        start, end = gap
        before = said[:start].split()
        gone, said_terms = (
            {(quantity.value, quantity.kind) for quantity in find_quantities(part)}
            for part in (said[start:end], f"{said[:start]}, {said[end:]}")
        )
        if (before and before[-1].lower() in _BEFORE_GAPS) or gone & said_terms or ": " in said:
            return None
        question = f"{said[:start]}{asked}{said[end:]}".rstrip(".") + "?"
        left = said[:start] + said[end:]
        return Proposal(
            kind, self._give_context(question[0].upper() + question[1:], left), (said[start:end].rstrip("."),), said
        )

    def _ask_action(self, said: str) -> Proposal | None:
        match = _ACTION.match(said)
        if match is None or not self._is_term(match["subject"]) or not self._has_name(match["subject"]):
            return None
        question = f"What does {self._lower_start(match['subject'])} {_ACTIONS[match['verb']]}?"
        return Proposal("action", question, (take_words(match["said"]),), said)

    def _is_term(self, term: str) -> bool:
        """Whether these words can be asked for without what stands before them."""
        words = term.split()
        return (
            words[0] not in _NO_TERMS
            and len(words[-1]) > 1
            and not _VAGUE & {word.lower().strip(",") for word in words}
        )

    def _has_name(self, words: str) -> bool:
        """Whether a word of these is written as names are; the first one of a sentence only where it is no common word."""
        first, *others = words.split()
        names = [*others, *([] if is_stop_word(first, ENGLISH) or first.endswith("ing") else [first])]
        return any(word[0].isupper() and word.lower() not in self.small for word in names)

    def _lower_start(self, said: str) -> str:
        """In small letters at its begin, unless that is a name or an abbreviation."""
        first, _, rest = said.partition(" ")
        is_common = is_stop_word(first, ENGLISH) or (
            (first.lower() in self.small or first.endswith("ing")) and not rest[:1].isupper()
        )
        return said[0].lower() + said[1:] if (is_common and first[1:].islower()) or first == "A" else said

    def _give_context(self, question: str, said: str) -> str:
        """With the title of the document before it, where it speaks of "the" something and names nothing at its begin."""
        begin = " ".join(said.split()[:_WORDS_TO_NAME])
        if not said.startswith("The ") or self._has_name(begin) or not self.title:
            return question
        return f"{self.title}: {self._lower_start(question)}"


def shorten_title(title: str) -> str:
    """A long title without its subtitle, and no longer than can be read before a question."""
    short = re.split(r"(?<=\w)[:?!]\s| [-–—|] ", title, maxsplit=1)[0] if len(title) > MOST_TITLE else title
    return short if len(short) <= MOST_TITLE else short[:MOST_TITLE].rsplit(" ", 1)[0] + " …"


def take_words(said: str) -> str:
    """The first words of what is said, without one at the end that something must follow."""
    words = said.rstrip(".").split()[:SAID_WORDS]
    while len(words) > 1 and words[-1].lower().strip(",") in _NEVER_LAST:
        words.pop()
    return " ".join(words).rstrip(",")


def _ask_abbreviations(said: str) -> Iterator[Proposal]:
    """Words before an abbreviation in brackets whose first letters it has."""
    for match in _ABBREVIATED.finditer(said):
        words, letters = match["long"].split(), match["short"].lower()
        for start in range(len(words) - 1, -1, -1):
            parts = [part for word in words[start:] for part in word.split("-") if part]
            initials = "".join(part[0].lower() for part in parts if part not in _NEVER_LAST)
            if initials == letters and words[start] not in _NEVER_LAST:
                yield Proposal(
                    "abbreviation", f"What does {match['short']} stand for?", (" ".join(words[start:]),), said
                )
                break


def _follows_share(said: str, start: int) -> bool:
    """Whether the number belongs to the word before it: ``version 3``, ``TLS 1.3``, ``from 5 to 10 days``; a code has no space before it."""
    before = said[:start]
    if not before:
        return False
    *others, last = before.split()
    return not before[-1].isspace() or last.lower() in _SHARES or (bool(others) and last[0].isupper())


def _ask_rows(document: Document) -> Iterator[Proposal]:
    """Cells of each table, by the first cell of their row and the name of their column."""
    finder = TableFinder(document.text, document.tree)
    end = 0
    for match in re.finditer(r"^.*$", document.text, re.MULTILINE):
        if match.start() < end or not is_row(match[0]):
            continue
        table = finder.find_at(match.start())
        if table is None:
            continue
        end = table.span.end
        header = split_cells(table.header.of(document.text))
        rows = [row.of(document.text) for row in table.rows]
        yield from _ask_cells(header, rows, shorten_title(document.title))


def _ask_cells(header: Sequence[str], rows: Sequence[str], title: str) -> Iterator[Proposal]:
    """Of cells that say the same in several rows none is asked for: many rows would answer, or none needs to be looked for."""
    cut = [(row, split_cells(row)) for row in rows]
    whole = [(row, cells) for row, cells in cut if len(cells) == len(header) and cells[0]]
    held = [[cells[place] for _, cells in whole] for place in range(len(header))]
    if not header[0]:
        return  # rows that nothing says the kind of may be what the columns have, or have what the columns are
    for row, cells in whole:
        if held[0].count(cells[0]) > 1 or (find_quantities(cells[0]) and cells[0].isalpha()):
            continue
        for place, (column, cell) in enumerate(zip(header, cells, strict=True)):
            is_asked = place and _is_property(column) and cell and cell != BLANK and len(cell) <= MOST_CELL
            if is_asked and held[place].count(cell) == 1:
                asked = "what are the" if re.fullmatch(r"\w+[a-rt-z]s", column.lower()) else "what is the"
                yield Proposal("table", f"{title}: {asked} {column.lower()} of {cells[0]}?", (cell,), row.strip())


def _is_property(column: str) -> bool:
    """Whether the head of a column may be the name of something that each row has."""
    words = column.lower().split()
    small = {word for word in words if is_stop_word(word, ENGLISH)} - _JOINING
    return (
        bool(words) and not small and words[0] not in _NO_COLUMNS | _JOINING and words[-1] not in _NO_COLUMNS | _JOINING
    )
