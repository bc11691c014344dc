"""Results of a tool: text for a model with the same as data, or an error message for it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from ascertain.app.asking.rendering import answer_as_material, disarm_answer, passages_as_material
from ascertain.app.asking.several import take_in_turn
from ascertain.app.wire.documents import SearchJson
from ascertain.app.wire.shape import Shape
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.requests import SearchResult
from ascertain.core.errors import AscertainError
from ascertain.interfaces.mcp.shapes import Answered, Found


@contextmanager
def tell_errors() -> Generator[None]:
    """Errors with messages for the caller become the tool's; for all others the caller only learns that there
    was one.
    """
    try:
        yield
    except AscertainError as error:
        raise ToolError(str(error)) from error


def make_result(text: str, shape: Shape) -> CallToolResult:
    """The text, and the shape as structured content."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shape.to_json())


def show_answers(answers: Sequence[tuple[str, Answer]]) -> CallToolResult:
    """The surest, which comes first; of several with the name of its knowledge base, and what the others have."""
    (name, answer), *others = answers
    told = Answered.from_noun(disarm_answer(answer))
    told.knowledge_base = name or None
    lines = [f"From the knowledge base {name}." if name else "", *(_offer(*each) for each in others)]
    return make_result("\n\n".join(filter(None, [" ".join(lines).strip(), answer_as_material(answer)])), told)


def _offer(name: str, answer: Answer) -> str:
    if answer.type is AnswerType.REJECTION:
        return f"Nothing in {name}."
    return f"{name} has an answer too ({answer.confidence.score}/100): ask it alone."


def show_found(results: Sequence[tuple[str, SearchResult]], k: int) -> CallToolResult:
    """The passages, of several in turn, each with the name of its knowledge base."""
    surest = results[0][1]
    passages = take_in_turn([(name, found.passages) for name, found in results])[:k]
    whole = SearchJson.from_noun(replace(surest, passages=tuple(passage for _, passage in passages)))
    told = Found.from_noun(whole)
    for (name, _), each in zip(passages, told.results, strict=True):
        each.knowledge_base = name or None
    return make_result(passages_as_material(passages, surest.confidence), told)
