"""The chat: questions, their answers, and the one under way as it comes about."""

from contextlib import closing
from dataclasses import dataclass

import streamlit as st

from ascertain.ui.answer_view import answer_data
from ascertain.ui.citations import open_citation
from ascertain.ui.client import NotThere, ServiceProblem
from ascertain.ui.conversations import show_fetched_sources
from ascertain.ui.filters import Selection, choose_filters
from ascertain.ui.graph.entities import show_in_graph
from ascertain.ui.markup import show_note, show_state
from ascertain.ui.parts import follow_thread, show_answer
from ascertain.ui.progress import Pending, progress_html, question_html
from ascertain.ui.session import begin_conversation, conversation_id, current_service, keep_in_address
from ascertain.ui.states import show_problem, show_welcome
from ascertain.wire.answers import AnswerJson
from ascertain.wire.conversations import TurnJson
from ascertain.wire.documents import DocumentsJson

REASONS = {"failed": "This question failed", "interrupted": "The service ended while it worked on this question"}
KNOWN_DOCUMENTS = 200
"""Looked at for folders, tags and example questions."""
LONGEST_QUESTION = 10_000


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer; of old turns only its ``text`` is kept. ``thumb`` is ``up``, ``down`` or None."""

    id: str
    question: str
    state: str
    reason: str
    text: str
    answer: AnswerJson | None
    thumb: str | None


def load_turns() -> list[Turn]:
    """Those of the conversation under way, kept between runs of the page until another is asked."""
    identifier = conversation_id()
    if identifier is None:
        return []
    kept = st.session_state.get("turns")
    if kept is None:
        kept = _fetch_turns(identifier)
        st.session_state["turns"] = kept
    return kept


def forget_turns() -> None:
    """Ask the service anew next time."""
    st.session_state.pop("turns", None)


def resume_question(given: list[Turn]) -> Pending | None:
    """The question that the service still works on, to go on listening after a reload."""
    last = given[-1] if given else None
    if last is None or last.state != "running":
        return None
    return Pending(last.question, {}, answer_id=last.id)


def turn_of(given: TurnJson) -> Turn:
    """A turn as the service tells it."""
    return Turn(
        id=given.turn_id,
        question=given.question,
        state=given.state,
        reason=given.reason,
        text=given.answer or "",
        answer=given.whole,
        thumb=given.feedback.thumb if given.feedback else None,
    )


def _fetch_turns(identifier: str) -> list[Turn]:
    try:
        return [turn_of(each) for each in current_service().turns(identifier)]
    except NotThere:
        return []


def show_chat() -> None:
    """The page."""
    keep_in_address()
    # drawn first, so that it stands at the same place in every run and goes on from one to the next
    following = st.container()
    documents = _known_documents()
    selection, question = _show_composer(documents)
    earlier = load_turns()
    if _pending_question() is None and (running := resume_question(earlier)):
        st.session_state["pending"] = running
    if not earlier and _pending_question() is None and question is None:
        # in one container, which the first question takes the place of at once
        with st.container(key="welcome"):
            question = show_welcome(documents.documents, documents.total)
    if question is not None:
        _begin_question(question, selection)
        st.rerun()
    pending = _pending_question()
    shown = [turn for turn in earlier if pending is None or turn.id != pending.answer_id]
    with following:
        follow_thread(f"{conversation_id()} {len(shown) + (pending is not None)}", key="thread")
    for turn in shown:
        _show_turn(turn)
    if pending is not None:
        _follow_question(pending)
    show_fetched_sources()


def _show_composer(documents: DocumentsJson) -> tuple[Selection, str | None]:
    with st.bottom:
        selection = choose_filters(documents.documents)
        news = selection.mode == "news"
        question = st.chat_input(
            "Ask about the news" if news else "Ask your documents",
            max_chars=LONGEST_QUESTION,
            key="question",
            submit_mode="disable",
        )
    return selection, (question.strip() or None) if question else None


def _known_documents() -> DocumentsJson:
    if "documents" not in st.session_state:
        st.session_state["documents"] = current_service().documents(limit=KNOWN_DOCUMENTS)
    return st.session_state["documents"]


def _begin_question(question: str, selection: Selection) -> None:
    if conversation_id() is None:
        # a new conversation has none, which the service need not be asked: it may be away
        st.session_state["turns"] = list[Turn]()
    identifier = begin_conversation()
    st.session_state["pending"] = Pending(question, selection.request(question, identifier))


def _pending_question() -> Pending | None:
    return st.session_state.get("pending")


def _show_turn(turn: Turn) -> None:
    st.html(question_html(turn.question))
    if turn.answer is not None:
        _show_answer(turn.answer, turn.id, turn.thumb)
    elif turn.text:
        st.text(turn.text)
        show_note("Of older answers only the text is kept.")
    elif turn.state in REASONS:
        show_state(REASONS[turn.state], [turn.reason] if turn.reason else [], "bad")


def _show_answer(answer: AnswerJson, turn_id: str, thumb: str | None) -> None:
    judged: dict[str, str] = st.session_state.setdefault("judged", {})
    said = show_answer(answer_data(answer, judged.get(answer.id, thumb)), key=f"answer_{turn_id}")
    if said.judged is not None:
        try:
            current_service().give_feedback(answer.id, said.judged["thumb"], said.judged.get("comment", ""))
        except ServiceProblem as problem:
            show_problem(problem)
        else:
            judged[answer.id] = said.judged["thumb"]
            # The answer thanks at once; this is said when the service has it.
            st.toast("Your feedback is kept.")
    if said.opened is not None:
        open_citation(answer.citations, said.opened)
    if said.explored is not None:
        show_in_graph(said.explored)


def _follow_question(pending: Pending) -> None:
    """Show the question under way until it is answered; a run of the page that ends before goes on in the next."""
    st.html(question_html(pending.question))
    place = st.empty()
    place.html(progress_html(pending))
    if pending.answer_id:
        events = current_service().follow(pending.answer_id, pending.last_event)
    else:
        events = current_service().ask(pending.request)
    try:
        with closing(events):
            for event in events:
                pending.take(event)
                place.html(progress_html(pending))
    except NotThere:
        # its events are gone; the conversation tells what became of it
        pass
    except ServiceProblem as problem:
        _give_up(pending, problem)
        return
    st.session_state.pop("pending", None)
    forget_turns()
    st.rerun()


def _give_up(pending: Pending, problem: ServiceProblem) -> None:
    st.session_state.pop("pending", None)
    forget_turns()
    show_problem(problem, can_retry=not pending.request)
    if pending.request:
        st.button("Ask again", key="ask_again", on_click=_ask_again, args=(pending,))


def _ask_again(pending: Pending) -> None:
    st.session_state["pending"] = Pending(pending.question, pending.request)
