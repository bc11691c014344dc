"""The ask workflow as a graph of its own, which ``langgraph dev`` and its Studio open (``langgraph.json``).

It has the nodes and edges of ``workflow.ask.graph``. What those run on is opened for it: the knowledge base of ``ASCERTAIN_HOME``, or the one in
the folder it is started in. A question is the last message, or the field ``question``.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from typing import Any, TypedDict, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.requests import AskRequest, Turn
from ascertain.workflow.ask.graph import wire_nodes
from ascertain.workflow.ask.routes import Node
from ascertain.workflow.ask.run import begin_state
from ascertain.workflow.ask.state import AskState, Update
from ascertain.workflow.ask.steps import Context

BEGIN, REPLY = "begin", "reply"
MOST_QUESTIONS = 100
"""Questions whose surroundings are kept at once; one that was interrupted and is older begins a new account of what it cost."""


class Question(TypedDict, total=False):
    """What the graph is given: the turns of a conversation, or one question."""

    question: str
    messages: list[AnyMessage]


class Surroundings:
    """The knowledge base that questions are asked of, and the context of each question under way. Safe to use from threads."""

    def __init__(self, knowledge: Ascertain) -> None:
        self._knowledge = knowledge
        self._contexts: OrderedDict[str, Context] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, given: Question) -> Update:
        """The state of a new question; UsageError where there is none."""
        request = _read_request(given)
        update, _ = begin_state(request, self._open_context(request.answer_id))
        # the messages are there already
        return {key: value for key, value in update.items() if key != "messages"}

    def context_of(self, state: AskState) -> Context:
        """The context of the question that ``state`` is of."""
        return self._open_context(state["request"].answer_id)

    def _open_context(self, answer_id: str) -> Context:
        with self._lock:
            found = self._contexts.get(answer_id)
        if found is not None:
            return found
        made = self._knowledge.asking.build_context()
        with self._lock:
            self._contexts[answer_id] = made
            while len(self._contexts) > MOST_QUESTIONS:
                self._contexts.popitem(last=False)
        return made


def make_ask_graph() -> Any:
    """The compiled graph over the knowledge base of the settings; nothing of it is opened before the first question."""
    return build_ask_graph(Ascertain.open())


def build_ask_graph(knowledge: Ascertain) -> Any:
    """The same over ``knowledge``."""
    surroundings = Surroundings(knowledge)
    graph = cast(Any, StateGraph(AskState, input_schema=Question))

    def begin(given: Question) -> Update:
        return surroundings.begin(given)

    graph.add_node(BEGIN, begin)
    graph.add_node(REPLY, _reply)
    graph.add_edge(START, BEGIN)
    graph.add_edge(BEGIN, Node.REWRITE)
    wire_nodes(graph, REPLY, surroundings.context_of)
    graph.add_edge(REPLY, END)
    return graph.compile()


def _reply(state: AskState) -> Update:
    """The answer as the last message, for those who look at the conversation."""
    return {"messages": [AIMessage(state["answer"].text)]}


def _read_request(given: Question) -> AskRequest:
    messages = list(given.get("messages") or ())
    asked = given.get("question", "")
    if not asked and messages:
        asked = _text_of(messages.pop())
    history = tuple(
        Turn("user" if isinstance(each, HumanMessage) else "assistant", _text_of(each)) for each in messages
    )
    return AskRequest(asked, history=history, answer_id=uuid.uuid4().hex, use_cache=False)


def _text_of(message: AnyMessage) -> str:
    return str(message.text)
