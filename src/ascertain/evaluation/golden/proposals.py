"""Questions proposed for a golden set, from any documents: a person looks at each before it counts.

A statement of a document becomes a question whose answer stands there (``golden.statements``). They are drawn in turn from all
documents, and of a document from all kinds, by a fixed seed, so that none has most of them.

A chat model words questions like someone who has not seen the document. What it replies counts only where its quote stands in the
document, the answer in the quote, and not in the question; a document that it gives nothing usable for is left to the rules.
"""

import math
import random
from collections.abc import Callable, Sequence
from pathlib import PurePath

from pydantic import BaseModel

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.service.service import GivenAnswer
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import contains_any
from ascertain.evaluation.golden.questions import GoldenQuestion, Relevant, find_quote
from ascertain.evaluation.golden.statements import Proposal, propose_from
from ascertain.models.chat.structured import open_chat
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts, as_data


def propose_questions(
    records: Sequence[DocumentRecord], read: Callable[[str], Document | None], wanted: int, seed: int = 0
) -> list[GoldenQuestion]:
    """At most ``wanted`` questions over the documents, each from another statement; ``read`` gives a document by its id."""
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
        proposals = ask_for_proposals(document, each, seed, chat, prompts=prompts) or _mix_kinds(document, seed)
        for proposal in proposals[: min(each, wanted - len(found))]:
            found.setdefault(proposal.question, _build_question(proposal, record, len(found) + 1))
    return list(found.values())


def ask_for_proposals(document: Document, count: int, seed: int, chat: Chat, *, prompts: Prompts) -> list[Proposal]:
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
