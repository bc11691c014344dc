"""The nodes for messages about the last answer, or the conversation, and not the documents (QU-11)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import cast

from ascertain.answering.composition import find_offer
from ascertain.answering.conversation import NO_ANSWER, recap_answers
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType
from ascertain.core.asking.requests import AnsweredQuestion, Standalone
from ascertain.language.languages import say_sentence
from ascertain.questions.conversation.acts import Act, RequestedAct
from ascertain.questions.conversation.rewriting import complete_history
from ascertain.workflow.ask import finish, nodes
from ascertain.workflow.ask.finish import build_reply
from ascertain.workflow.ask.nodes import Outcome, read_question, visible_filter
from ascertain.workflow.ask.state import AskState, Update
from ascertain.workflow.ask.steps import Context

WELCOME = "You are welcome."
GOODBYE = "Goodbye!"
ALL_RIGHT = "All right. What would you like to know?"
OPEN = "What does “{title}” say?"
NOTHING_ASKED = "Nothing was asked in this conversation yet."


def read_message(state: AskState, context: Context) -> Outcome:
    """Read the message with its conversation: an act on it works on the last question, everything else is a question."""
    act = state["act"]
    if act is None:
        return nodes.rewrite_question(state, context)
    offered = _find_offered(state) if act.act is Act.AGREE else ""
    if offered:
        return Outcome(
            read_question(state, context, OPEN.format(title=offered), ()), act.act, "what was offered is shown"
        )
    is_on_record = state["request"].previous is not None
    last = _last_question(state)
    if not act.act.needs_answer or not last or (is_on_record and not _is_reworded(act, context)):
        message, why = state["request"].question, "is asked of the conversation"
        plan = Plan(Intent.GREETING, QuestionType.GENERAL, Complexity.SIMPLE, why, wording=message)
        standalone = Standalone(message, False, reason=why)
        asked = context.steps.reading.read(message, state["language"])
        update: Update = {"standalone": standalone, "plan": plan, "query": message, "asked": asked}
        return Outcome(update, act.act, "nothing has to be looked up for it")
    update = read_question(state, context, last, ())
    standalone = replace(cast(Standalone, update["standalone"]), is_follow_up=True, reason="works on the last answer")
    plan = cast(Plan, update["plan"])
    if _is_reworded(act, context):
        plan = replace(plan, wording=f"{last}\n(Asked of the answer: {state['request'].question})")
    return Outcome({**update, "standalone": standalone, "plan": plan}, act.act, "the last question is answered again")


def answer_from_conversation(state: AskState, context: Context) -> Outcome:
    """The reply about the conversation, or the last answer in the requested form; nothing is searched."""
    act, previous = state["act"], state["request"].previous
    assert act is not None
    if previous is not None and act.act.needs_answer:
        shown = context.steps.writing.present_again(act, previous, state["language"], visible_filter(state))
        answer = replace(
            build_reply(state, context, shown.text, AnswerType.FOLLOWUP_ANSWER, confidence=shown.confidence),
            sentences=shown.sentences,
            citations=shown.citations,
            strategy=shown.strategy,
            groundedness=shown.groundedness,
            standalone=previous.standalone or previous.question,
            computation=shown.computation,
        )
        if not shown.sentences:
            answer = replace(answer, type=previous.type)
        return Outcome({"answer": answer}, act.act, "the last answer, whose words still stand in its sources")
    answer = build_reply(
        state, context, _say(act.act, state), AnswerType.GREETING, confidence=Confidence(Level.NONE, 0)
    )
    asked = (state["request"].answered or _list_said(state)) if act.act is Act.RECAP else ()
    if asked:
        return Outcome(
            {"answer": recap_answers(asked, answer, state["language"])},
            act.act,
            "the answers of the conversation, as they are on record",
        )
    return Outcome({"answer": answer}, act.act, "nothing was searched")


def finish_answer(state: AskState, context: Context) -> Outcome:
    """The answer, in the form that an act requests unless a chat model has already worded it so."""
    outcome = finish.finish_answer(state, context)
    act = state["act"]
    if act is None or _is_reworded(act, context):
        return outcome
    answer = context.steps.writing.present_again(
        act, cast(Answer, outcome.update["answer"]), state["language"], visible_filter(state)
    )
    return replace(outcome, update={**outcome.update, "answer": answer})


def _find_offered(state: AskState) -> str:
    """The document that the last reply offered to show."""
    replies = [turn.text for turn in state["request"].history if turn.role == "assistant"]
    return find_offer(replies[-1]) if replies else ""


def _is_reworded(act: RequestedAct, context: Context) -> bool:
    return act.act.rewords and context.steps.writing.rewords


def _last_question(state: AskState) -> str:
    whole = complete_history(state["request"].history, state["language"])
    return next((turn.text for turn in reversed(whole) if turn.role == "user"), "")


def _list_said(state: AskState) -> tuple[AnsweredQuestion, ...]:
    """The questions of a conversation that is not stored, each with its reply."""
    history = complete_history(state["request"].history, state["language"])
    pairs = (pair for pair in pairwise(history) if (pair[0].role, pair[1].role) == ("user", "assistant"))
    return tuple(AnsweredQuestion(question.text, reply.text) for question, reply in pairs)


def _say(act: Act, state: AskState) -> str:
    asked = [turn.text for turn in state["request"].history if turn.role == "user"]
    match act:
        case Act.THANK:
            return say_sentence(WELCOME, state["language"])
        case Act.LEAVE:
            return say_sentence(GOODBYE, state["language"])
        case Act.AGREE | Act.DECLINE:
            return say_sentence(ALL_RIGHT, state["language"])
        case Act.RECALL_FIRST | Act.RECALL_LAST if asked:
            return f"“{asked[0 if act is Act.RECALL_FIRST else -1]}”"
        case Act.RECALL_ALL if asked:
            return "\n".join(f"{number}. {question}" for number, question in enumerate(asked, 1))
        case Act.RECALL_FIRST | Act.RECALL_LAST | Act.RECALL_ALL | Act.RECAP:
            return say_sentence(NOTHING_ASKED, state["language"])
        case _:
            return say_sentence(NO_ANSWER, state["language"])
