"""Questions proposed for a golden set, from any documents: a person looks at each before it counts.

A statement of a document becomes a question whose answer stands there: "A token is valid for 90 days" is asked as "A token is valid for how
many days?". Five kinds are proposed: numbers and dates, definitions, headings that are questions, rows of tables, and what a speaker
said. They are drawn in turn from all documents, by a fixed seed, so that no document and no kind has most of them.

A chat model words questions as somebody would who has not seen the document. What it replies counts only where its quote stands in the
document, the answer in the quote, and not in the question; a document that it gives nothing usable for is left to the rules.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from pydantic import BaseModel

from ascertain.core.documents import Document, DocumentRecord, Region, RegionKind
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.runs import Budget, Run, Task
from ascertain.core.service import GivenAnswer
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import contains_any
from ascertain.evaluation.golden.questions import GoldenQuestion, Relevant, find_quote
from ascertain.language.sentences import is_fragment, leans_on_previous, split_sentences
from ascertain.language.tables import BLANK, TableFinder, is_row, split_cells
from ascertain.language.word_lists import load_pairs, load_patterns, load_word_set
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts, as_data

TOPIC = "proposed_questions"
SHORTEST, LONGEST = 40, 180
"""Characters of a statement that is made a question: shorter ones are labels, longer ones no question that a person would ask."""
MOST_CELL = 60
"""Characters of a cell that can be an answer; a longer one is prose."""
DEFINED_WORDS = 12
"""Words of a definition that are expected in the answer."""

_AMOUNTS = tuple(
    (re.compile("|".join(load_patterns(TOPIC, name))), asked) for name, asked in load_pairs(TOPIC, "how_asked").items()
)
_COUNTED = tuple(re.compile(pattern) for pattern in load_patterns(TOPIC, "counted"))
_DEFINITIONS = tuple(re.compile(pattern) for pattern in load_patterns(TOPIC, "definitions"))
_NO_TERMS = load_word_set(TOPIC, "no_terms")
_SHARES = load_word_set(TOPIC, "shares")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question, what is expected of its answer, and the words of the document that it was made of."""

    kind: str
    question: str
    answers: tuple[str, ...]
    quote: str


def propose_questions(
    records: Sequence[DocumentRecord], read: Callable[[str], Document | None], wanted: int, seed: int = 0
) -> list[GoldenQuestion]:
    """At most ``wanted`` questions over the documents, each of another statement; ``read`` gives a document by its id."""
    order = [record for record in records if record.duplicate_of is None]
    random.Random(seed).shuffle(order)
    waiting = [(record, _mix_kinds(document, seed)) for record in order if (document := read(record.id)) is not None]
    found: list[GoldenQuestion] = []
    asked: set[str] = set()
    while waiting and len(found) < wanted:
        left: list[tuple[DocumentRecord, list[Proposal]]] = []
        for record, proposals in waiting:
            chosen = next((proposal for proposal in proposals if proposal.question not in asked), None)
            if chosen is None or len(found) >= wanted:
                continue
            asked.add(chosen.question)
            found.append(_build_question(chosen, record, len(found) + 1))
            left.append((record, proposals[proposals.index(chosen) + 1 :]))
        waiting = left
    return found


MODEL = "model"
"""The kind of a proposal that a chat model made."""
_MOST_ASKED = 5
"""Questions that a model is asked for about one document: with more they repeat each other."""
_SHOWN = 8_000
"""Characters of a document that a model reads: some 2,000 tokens, which every model's window holds."""
_SECONDS = 600.0
_UNLIMITED = 10**9


class ProposedQuestion(BaseModel):
    """One question as a model replies with it."""

    question: str
    answers: list[str]
    quote: str


class ProposedQuestions(BaseModel):
    """The reply of a model about one document."""

    questions: list[ProposedQuestion]


def open_proposer(settings: Settings) -> tuple[Chat, Prompts] | None:
    """What ``propose_by_model`` asks, and how; None where no chat model is set."""
    chat = open_chat(settings.models)
    return None if chat is None else (chat, Prompts(settings.home / "prompts"))


def propose_by_model(  # noqa: PLR0917
    records: Sequence[DocumentRecord],
    read: Callable[[str], Document | None],
    wanted: int,
    seed: int,
    chat: Chat,
    prompts: Prompts,
) -> list[GoldenQuestion]:
    """As ``propose_questions``, worded by ``chat``; by rules for documents of which it gives nothing usable."""
    order = [record for record in records if record.duplicate_of is None]
    random.Random(seed).shuffle(order)
    each = min(_MOST_ASKED, math.ceil(wanted / max(1, len(order))))
    found: dict[str, GoldenQuestion] = {}
    for record in order:
        document = read(record.id) if len(found) < wanted else None
        if document is None:
            continue
        proposals = ask_for_proposals(document, each, seed, chat, prompts) or _mix_kinds(document, seed)
        for proposal in proposals[: min(each, wanted - len(found))]:
            found.setdefault(proposal.question, _build_question(proposal, record, len(found) + 1))
    return list(found.values())


def ask_for_proposals(document: Document, count: int, seed: int, chat: Chat, prompts: Prompts) -> list[Proposal]:
    """What a model proposes of a document and can be used; nothing where it does not reply."""
    text = _choose_stretch(document, seed)
    shown = as_data(text, "document", {"title": document.title})
    run = Run(Budget(_UNLIMITED, _UNLIMITED, _SECONDS, float(_UNLIMITED)))
    messages = prompts.messages("propose_questions", count=str(count), document=shown)
    try:
        reply = chat.ask(Task.WRITE, messages, ProposedQuestions, run)
    except (ModelError, BudgetExceeded):
        return []
    return [proposal for one in reply.questions if (proposal := _check_proposed(one, text)) is not None]


def _choose_stretch(document: Document, seed: int) -> str:
    """The document, or a stretch of it from the begin of a line, chosen by chance."""
    text = document.text
    if len(text) <= _SHOWN:
        return text
    start = random.Random(f"{seed} {document.source}").randrange(len(text) - _SHOWN)
    line = text.find("\n", start, start + _SHOWN // 2)
    return text[max(0, line + 1) if line >= 0 else start :][:_SHOWN]


def _check_proposed(one: ProposedQuestion, text: str) -> Proposal | None:
    """The proposal, where the document says what the model says it does; its quote in the document's own characters."""
    question = " ".join(one.question.split())
    span = find_quote(one.quote, text)
    if span is None or not question.endswith("?"):
        return None
    quote = " ".join(span.of(text).split())
    answers = tuple(answer.strip() for answer in one.answers if contains_any(quote, [answer]))
    if not answers or contains_any(question, answers):
        return None
    return Proposal(MODEL, question, answers, quote)


def propose_from_feedback(judged: Sequence[GivenAnswer]) -> list[GoldenQuestion]:
    """The questions that people judged the answers of, the latest judgement of each.

    A thumb up says that answering, or declining, was right, a thumb down on a rejection that there is an answer; what is wrong with an
    answer that got a thumb down, a person has to say. The comment is in ``note``.
    """
    found: dict[str, GoldenQuestion] = {}
    for answer in judged:
        declined = answer.answer_type == "rejection"
        found[" ".join(answer.question.lower().split())] = GoldenQuestion(
            id=f"f-{answer.answer_id[:12]}",
            question=answer.question,
            answerable=not (declined and answer.thumb == "up"),
            tags=("feedback", str(answer.thumb), "declined" if declined else "answered"),
            note=answer.comment,
        )
    return list(found.values())


def _build_question(proposal: Proposal, record: DocumentRecord, number: int) -> GoldenQuestion:
    relevant = Relevant(source=name_source(record.source), quote=proposal.quote)
    return GoldenQuestion(
        id=f"p{number:03d}",
        question=proposal.question,
        answers=proposal.answers,
        relevant=(relevant,),
        tags=(proposal.kind,),
    )


def name_source(source: str) -> str:
    """The last two parts of a path, or the whole of an address: enough to tell documents apart, wherever the folder lies."""
    return source if "://" in source else "/".join(PurePath(source).parts[-2:])


def _mix_kinds(document: Document, seed: int) -> list[Proposal]:
    """The proposals of a document, its kinds in turn; within a kind in an order of chance."""
    held: dict[str, list[Proposal]] = {}
    for proposal in propose_from(document):
        held.setdefault(proposal.kind, []).append(proposal)
    chance = random.Random(f"{seed} {document.source}")
    for proposals in held.values():
        chance.shuffle(proposals)
    kinds = list(held.values())
    chance.shuffle(kinds)
    longest = max((len(proposals) for proposals in kinds), default=0)
    return [proposals[rank] for rank in range(longest) for proposals in kinds if rank < len(proposals)]


def propose_from(document: Document) -> Iterator[Proposal]:
    """Every question that a document gives, in its order."""
    yield from _ask_titles(document)
    yield from _ask_statements(document)
    yield from _ask_rows(document)


def _ask_titles(document: Document) -> Iterator[Proposal]:
    """A title or heading that is a question, answered by the first sentence below it."""
    headed = [(document.title, 0)] if document.title.endswith("?") else []
    for region in document.regions:
        heading = region.place.section[-1] if region.kind is RegionKind.SECTION and region.place.section else ""
        if heading.endswith("?"):
            headed.append((heading, region.span.start))
    for heading, start in headed:
        below = document.text[start : start + 2_000].replace(heading, " " * len(heading), 1)
        first = next((span.of(below) for span in split_sentences(below) if len(span.of(below)) >= SHORTEST), None)
        if first is not None:
            yield Proposal("heading", heading, (), " ".join(first.split()))


def _ask_statements(document: Document) -> Iterator[Proposal]:
    turns = [region for region in document.regions if region.kind is RegionKind.TURN and region.place.speaker]
    for span in split_sentences(document.text):
        sentence = " ".join(span.of(document.text).split())
        if not SHORTEST <= len(sentence) <= LONGEST or not sentence.endswith(".") or is_row(sentence):
            continue
        if is_fragment(sentence) or leans_on_previous(sentence) or sentence[0].isdigit():
            continue
        speaker = _find_speaker(turns, span.start)
        said = sentence.removeprefix(f"{speaker}:").strip() if speaker else sentence
        for proposal in _ask_statement(said, sentence):
            if speaker is None:
                yield proposal
            elif proposal.kind != "definition":
                yield Proposal("speaker", f"According to {speaker}: {proposal.question}", proposal.answers, said)


def _find_speaker(turns: Sequence[Region], position: int) -> str | None:
    return next((r.place.speaker for r in turns if r.span.start <= position < r.span.end), None)


def _ask_statement(said: str, quote: str) -> Iterator[Proposal]:
    """The first that applies: a definition, or the first date, amount or number, asked for in its place."""
    for pattern in _DEFINITIONS:
        match = pattern.match(said)
        if match and match["term"].split()[0] not in _NO_TERMS:
            words = match["said"].split()[:DEFINED_WORDS]
            yield Proposal(
                "definition", f"What {match['verb']} {_lower_article(match['term'])}?", (" ".join(words),), quote
            )
            return
    for pattern, asked in _AMOUNTS:
        found = pattern.search(said)
        if found:
            yield Proposal("number", _put_question(said, found.start(), found.end(), asked), (found[0],), quote)
            return
    for pattern in _COUNTED:
        found = pattern.search(said)
        if found and not _follows_share(said, found.start()):
            question = _put_question(said, found.start(), found.end(), f"how many {found['unit']}")
            yield Proposal("number", question, (f"{found['number']} {found['unit']}",), quote)
            return


def _put_question(said: str, start: int, end: int, asked: str) -> str:
    question = f"{said[:start]}{asked}{said[end:]}".rstrip(".") + "?"
    return question[0].upper() + question[1:]


def _follows_share(said: str, start: int) -> bool:
    """Whether the number belongs to the word before it: ``version 3``, ``from 5 to 10 days``; a code has no space before it."""
    before = said[:start]
    return bool(before) and (not before[-1].isspace() or before.split()[-1].lower() in _SHARES)


def _lower_article(term: str) -> str:
    first, _, rest = term.partition(" ")
    return f"{first.lower()} {rest}" if first in {"A", "An", "The"} and rest else term


def _ask_rows(document: Document) -> Iterator[Proposal]:
    """A cell of each row of each table, by the first cell of its row and the name of its column."""
    finder = TableFinder(document.text)
    end = 0
    for match in re.finditer(r"^.*$", document.text, re.MULTILINE):
        if match.start() < end or not is_row(match[0]):
            continue
        table = finder.find_at(match.start())
        if table is None:
            continue
        end = table.span.end
        header = split_cells(table.header.of(document.text))
        for row in table.rows:
            cells = split_cells(row.of(document.text))
            yield from _ask_row(header, cells, row.of(document.text), document.title)


def _ask_row(header: Sequence[str], cells: Sequence[str], row: str, title: str) -> Iterator[Proposal]:
    if len(header) != len(cells) or not cells[0]:
        return
    for column, cell in zip(header[1:], cells[1:], strict=True):
        if column and cell and cell != BLANK and len(cell) <= MOST_CELL:
            yield Proposal("table", f"{title}: what is the {column.lower()} of {cells[0]}?", (cell,), row.strip())
