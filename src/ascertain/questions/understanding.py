"""Understanding a question: as it would be asked without its conversation, and what it wants (QU-1, QU-4, QU-6).

A chat model does both in one call, and its reading of language counts: whether the question leans on the conversation, how it reads
without it, what it is for, its kind and its parts. The rules guard what no reading of language can change: a rewrite that is
empty, orders something, lost a number or a quotation of the question or is unrelated to the conversation, a greeting that asks,
an analysis of one fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, BeforeValidator

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import (
    Complexity,
    GraphQuery,
    Intent,
    Plan,
    QuestionType,
    Sources,
    SubQuery,
    SubQueryType,
)
from ascertain.core.asking.requests import Standalone, Turn
from ascertain.core.asking.runs import Clock, Run, Task
from ascertain.core.reports.analysis import AnalysisKind, AnalysisQuestion
from ascertain.language.dates import MONTH_FORMS
from ascertain.language.instructions import find_instructions
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import cut_at_sentence, split_sentences
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import compile_pattern
from ascertain.models.chat.replies import read_list
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data
from ascertain.questions.conversation.rewriting import Rewriter
from ascertain.questions.intent import without_greeting
from ascertain.questions.kinds.analysis import read_any_analysis
from ascertain.questions.model_inputs import (
    is_wording,
    lost_figures,
    lost_quotations,
    new_words,
    one_line,
    same_words,
    shares_words,
)
from ascertain.questions.planning import READ, VAGUE_WORDS, Planner, find_entity_question

TURNS = 8
"""Latest turns shown; what a follow-up leans on is rarely further back (MTRAG's conversations: the last three)."""
TURN_CHARACTERS = 600
"""Shown of each, to the end of a sentence; the subject of a reply stands at its beginning."""
MOST_PARTS = 5
"""Parts of a question that are searched; each is a search of its own."""
_ASKS_NOTHING = frozenset({Intent.GREETING, Intent.OUT_OF_SCOPE})
"""What is never searched for. Only rules decide this: a user whose question gets a greeting, or a refusal, does not
learn that the documents answer it.
"""
_PLAIN_GRAPH = frozenset({GraphQuery.NONE, GraphQuery.ENTITY})
_ONE_FACT = compile_pattern("question_types", "one_fact")
_YES_NO = compile_pattern("question_types", "yes_no")
_OF_MATERIAL = compile_pattern("question_types", "of_material")
_ASKING = compile_pattern("question_types", "asking")


@dataclass(frozen=True, slots=True)
class Understanding:
    """A question as it would be asked without its conversation, and what it wants."""

    standalone: Standalone
    plan: Plan


class Understander(Protocol):
    """Reads a question with its conversation."""

    def understand(
        self, question: str, language: str, history: Sequence[Turn], run: Run, filter: Filter = Filter()
    ) -> Understanding:
        """``question`` as it would be asked without ``history`` (oldest first) of what ``filter`` selects, and the plan for it."""
        ...


class RuleUnderstander:
    """The rules for follow-ups, then those for plans."""

    def __init__(self, rewriter: Rewriter, planner: Planner) -> None:
        self._rewriter = rewriter
        self._planner = planner

    def understand(
        self, question: str, language: str, history: Sequence[Turn], run: Run, filter: Filter = Filter()
    ) -> Understanding:
        """``question`` without ``history`` and without a greeting before it, and the plan for it."""
        standalone = self._rewriter.standalone(question, language, history, run, filter)
        text = without_greeting(standalone.text.strip() or question)
        return Understanding(replace(standalone, text=text), self._planner.plan(text, language, run))


_DATED = re.compile(rf"\b(?:{'|'.join(MONTH_FORMS)})\b|\b\d{{4}}-\d\d", re.IGNORECASE)


class PartReply(BaseModel):
    """One part of a question that asks several things."""

    text: str
    type: SubQueryType = SubQueryType.FACTUAL


class UnderstandingReply(BaseModel):
    """A question understood; the prompt says what the fields mean."""

    is_follow_up: bool
    standalone: str
    intent: Intent
    analysis: Literal["none", "overview", "mood", "trend", "disagreement", "prediction"] = "none"
    focus: str = ""
    type: QuestionType
    complexity: Complexity
    parts: Annotated[list[PartReply], BeforeValidator(read_list)] = []
    graph_query: GraphQuery = GraphQuery.NONE
    expand: bool = False
    reason: str = ""


class ModelUnderstander:
    """Asks the model once for both, and not at all where the rules are certain."""

    def __init__(self, chat: Chat, prompts: Prompts, rules: Understander, planner: Planner, clock: Clock) -> None:
        """``rules`` take over where the model gives nothing; ``planner`` is theirs."""
        self._step = PromptedStep(chat, prompts, Task.PLAN, "plan", "understand")
        self._rules = rules
        self._planner = planner
        self._clock = clock

    def understand(
        self, question: str, language: str, history: Sequence[Turn], run: Run, filter: Filter = Filter()
    ) -> Understanding:
        """``question`` as it would be asked without ``history`` (oldest first), and the plan for it.

        Without a conversation no call is made for a message that the rules are certain of: a greeting or an order, a question
        for news or about the documents as a whole, and a plain question of one sentence.
        """
        by_rules = self._rules.understand(question, language, history, run, filter)
        is_left_out = not history and is_plain(by_rules.standalone.text, language, by_rules.plan)
        return by_rules if is_left_out else self._ask_model(question, language, history, by_rules, run)

    def plan(self, question: str, language: str, run: Run) -> Plan:
        """The plan for a question that stands alone."""
        return self._ask_model(question, language, (), self._rules.understand(question, language, (), run), run).plan

    def _ask_model(
        self, question: str, language: str, history: Sequence[Turn], by_rules: Understanding, run: Run
    ) -> Understanding:
        if is_certain(by_rules.plan):
            return by_rules
        reply = self._step.reply(
            UnderstandingReply, run, history=show_history(history), question=as_data(question, "question")
        )
        if reply is None:
            return by_rules
        standalone, plan = by_rules.standalone, by_rules.plan
        if history:
            wrong = _wrong_with(reply, question, language, history)
            if wrong:
                self._step.fell_back(run, wrong)
            else:
                standalone = _read_standalone(reply, question, language)
        if standalone.text != by_rules.standalone.text:
            plan = self._planner.plan(standalone.text, language, run)
        return Understanding(standalone, self._read_plan(reply, standalone.text, language, plan, run=run))

    def _read_plan(self, reply: UnderstandingReply, question: str, language: str, by_rules: Plan, *, run: Run) -> Plan:
        if is_certain(by_rules):
            return by_rules
        if reply.intent in _ASKS_NOTHING:
            self._step.fell_back(run, f"the model took a message that asks for something for {reply.intent}")
            return by_rules
        intent, analysis = reply.intent, self._read_analysis(reply, question, language, by_rules)
        if intent is Intent.ANALYSIS and analysis is None:
            self._step.fell_back(run, "the model took a question for an analysis that one fact answers")
            intent = Intent.KNOWLEDGE
        elif analysis is not None:
            intent = Intent.ANALYSIS
        parts = _read_parts(reply.parts, question, language)
        graph_query = reply.graph_query
        if graph_query is GraphQuery.GLOBAL:
            graph_query = GraphQuery.CROSS_DOCUMENT
        return Plan(
            intent=intent,
            type=reply.type,
            complexity=Complexity.COMPLEX if parts else reply.complexity,
            reason=one_line(reply.reason)[:200] or "as a chat model understood it",
            sub_queries=parts,
            sources=Sources.PASSAGES if graph_query is GraphQuery.NONE else Sources.BOTH,
            graph_query=graph_query,
            expand=reply.expand,
            entity_question=find_entity_question(question) if intent is Intent.KNOWLEDGE else None,
            digest_question=by_rules.digest_question,
            analysis_question=analysis,
            document_question=by_rules.document_question,
        )

    def _read_analysis(
        self, reply: UnderstandingReply, question: str, language: str, by_rules: Plan
    ) -> AnalysisQuestion | None:
        """What is to be analysed; None where the model sees no analysis, except for a prediction, and for a question that one
        fact answers, or yes or no where the model does not say of what kind the analysis is.
        """
        known = by_rules.analysis_question
        if known is not None and (reply.intent is Intent.ANALYSIS or known.kind is AnalysisKind.PREDICTION):
            return known
        if reply.intent is not Intent.ANALYSIS or _ONE_FACT.match(question):
            return None
        if reply.analysis == "none" and _YES_NO.match(question):
            return None
        focus = one_line(reply.focus)
        is_said = bool(focus) and set(content_terms(focus, language)) <= set(content_terms(question, language))
        if not is_said:
            focus = read_any_analysis(question, language, self._clock.now()).focus
        kind = AnalysisKind.OVERVIEW if reply.analysis == "none" else AnalysisKind(reply.analysis)
        return AnalysisQuestion(kind, focus)


def is_certain(plan: Plan) -> bool:
    """Whether the rules leave nothing to ask: they read such messages by their whole form."""
    is_digest = plan.digest_question is not None and not plan.digest_question.for_articles
    of_document = plan.document_question
    is_formal = of_document is not None and (of_document.stretch is not None or of_document.is_of_records)
    return plan.global_question is not None or is_digest or is_formal or plan.intent in _ASKS_NOTHING


def is_plain(question: str, language: str, plan: Plan) -> bool:
    """Whether a question that stands alone is one plain English sentence with nothing in it for a model to find out: it asks by
    its form, for one thing, with words enough of its own, and neither of the documents nor of a course of time.
    """
    words = len(set(content_terms(question[:READ], language)))
    return (
        language == ENGLISH
        and plan.intent is Intent.KNOWLEDGE
        and plan.complexity is Complexity.SIMPLE
        and not plan.sub_queries
        and plan.graph_query in _PLAIN_GRAPH
        and plan.analysis_question is None
        and words > VAGUE_WORDS
        and len(split_sentences(question)) == 1
        and _ASKING.search(question) is not None
        and _OF_MATERIAL.search(question) is None
    )


def show_history(history: Sequence[Turn]) -> str:
    """The latest turns as blocks for a prompt, each to the end of a sentence."""
    return "\n".join(_show_turn(turn) for turn in history[-TURNS:]) or "(no conversation)"


def _show_turn(turn: Turn) -> str:
    text = cut_at_sentence(turn.text, TURN_CHARACTERS)
    cut = {} if text == turn.text else {"shown": f"the first {len(text)} of {len(turn.text)} characters"}
    return as_data(text, "turn", {"speaker": turn.role, **cut})


def _read_standalone(reply: UnderstandingReply, question: str, language: str) -> Standalone:
    text = without_greeting(one_line(reply.standalone))
    if not reply.is_follow_up or text.casefold() == question.strip().casefold():
        return Standalone(without_greeting(question), False, reason="the question stands on its own")
    added = new_words(text, language, question)
    return Standalone(text, True, added, "continues the conversation; a chat model completed it")


def _wrong_with(reply: UnderstandingReply, question: str, language: str, history: Sequence[Turn]) -> str:
    """Why the rewrite cannot be the question; empty when it can."""
    if not reply.is_follow_up:
        return ""
    text = one_line(reply.standalone)
    if not is_wording(text, max(400, 2 * len(question))):
        return f"the rewrite is empty or too long ({len(text)} characters)"
    if find_instructions(text) and not find_instructions(question):
        return "the rewrite holds an instruction"
    lost = (*lost_figures(text, question), *lost_quotations(text, question))
    if lost:
        return f"the rewrite lost {', '.join(lost)}"
    said = " ".join((question, *(turn.text for turn in history)))
    added = lost_figures(said, text)
    # "the day before" may well be written as a date
    if added and not _DATED.search(text):
        return f"the rewrite adds {', '.join(added)}, which nobody said"
    return "" if shares_words(text, said, language) else "the rewrite speaks of nothing that was said"


def _read_parts(replies: Sequence[PartReply], question: str, language: str) -> tuple[SubQuery, ...]:
    """The parts worth a search, in order from priority 1; none when fewer than two are left."""
    kept: list[SubQuery] = []
    for reply in replies:
        text = one_line(reply.text)
        repeats = same_words(text, question, language) or any(same_words(text, part.text, language) for part in kept)
        if is_wording(text) and shares_words(text, question, language) and not repeats:
            kept.append(SubQuery(text, reply.type, len(kept) + 1))
    return tuple(kept[:MOST_PARTS]) if len(kept) > 1 else ()
