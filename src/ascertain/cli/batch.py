"""Many questions from a JSONL file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.cli.options import Asked
    from ascertain.core.answers import Answer
    from ascertain.core.filters import Filter
    from ascertain.core.passages import Strategy


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """One line of the file."""

    question: str
    conversation_id: str | None


def read_questions(file: Path, check: Callable[[str], None]) -> list[BatchQuestion]:
    """All questions of ``file`` ("-" is standard input); UsageError names the first bad line.

    ``check`` raises UsageError for a question that cannot be asked. The whole file is read before the first question is asked. Blank lines are passed over.
    """
    name = "standard input" if str(file) == "-" else str(file)
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}; --batch needs a file of JSON lines") from None
    questions = [
        _read_line(line, f"{name}:{number}", check)
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
        if line.strip()
    ]
    if not questions:
        raise UsageError(f'{name}: no questions in it; write one {{"question": "..."}} a line')
    return questions


def answer_all(
    knowledge: Ascertain,
    questions: Sequence[BatchQuestion],
    *,
    strategy: Strategy | None,
    filter: Filter,
    days_back: int | None,
    news: Asked,
) -> Iterator[Answer]:
    """Answers in the order of the questions; those with a conversation's id are turns of it and are kept."""
    for question in questions:
        yield knowledge.ask(
            question.question,
            strategy=strategy,
            filter=filter,
            days_back=days_back,
            conversation_id=question.conversation_id,
            **news,
        )


def _read_line(line: bytes, where: str, check: Callable[[str], None]) -> BatchQuestion:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = (
            error.msg if isinstance(error, json.JSONDecodeError) else "not UTF-8 text or nested too deeply"
        )
        raise UsageError(f"{where}: not JSON ({reason}); each line is an object with a question") from None
    if not isinstance(value, dict):
        raise UsageError(f'{where}: not an object; write {{"question": "..."}}')
    fields = cast("dict[str, Any]", value)
    question, conversation = fields.get("question"), fields.get("conversation_id")
    if not isinstance(question, str):
        raise UsageError(f'{where}: "question" is missing or not a string')
    if conversation is not None and not isinstance(conversation, str):
        raise UsageError(f'{where}: "conversation_id" is not a string')
    try:
        check(question)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return BatchQuestion(question, conversation)
