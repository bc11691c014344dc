"""Reading a structured reply that may be wrapped in reasoning, prose or code fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from ascertain.core.errors import ModelError

T = TypeVar("T", bound=BaseModel)

_THOUGHT = r"(?:think|thinking|thought|reasoning|reflection)"
_REASONING_OPENS = re.compile(rf"<{_THOUGHT}\b[^<>]*>", re.IGNORECASE)
_REASONING_ENDS = re.compile(rf"</{_THOUGHT}\s*>", re.IGNORECASE)
# Possessive, so that a reply of millions of quotes or spaces is read in one pass.
_STRING_OR_TRAILING_COMMA = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|,(?=\s*+[}\]])', re.DOTALL)
_FAULTS_NAMED = 5
_MOST_OBJECTS = 200
LONGEST_REPLY = 2_000_000
"""Characters: the most tokens that can be asked for (200,000), at ten characters each; a longer one takes minutes to
read and is not from a model.
"""
_MOST_UNCLOSED = 20
"""Braces without an end after which a reply is given up, so that one of nothing but braces costs no time."""


def read_list(value: object) -> object:
    """A list as models write one: null, "none" and the like for an empty one, alone or as an item. For ``BeforeValidator``."""
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return [
        item for item in items if not (item is None or (isinstance(item, str) and item.strip().lower() in _NOTHING))
    ]


_NOTHING = frozenset({"", "none", "null", "n/a", "-", "no", "nothing"})


class BadReply(ModelError):
    """A reply that is not as requested; the message is for the model and for people."""


def read_reply(text: str, answer: type[T]) -> T:
    """The ``answer`` in ``text``.

    Reasoning blocks are taken out, also one that is never closed or opened; then the JSON object is looked for as the
    whole, and between prose and code fences, where commas before a closing bracket are forgiven. An object under a
    single key counts as the object. Raises BadReply when there is none, when it does not validate, and when there are
    several that do and differ, because one of them may be quoted from what the model read.
    """
    if len(text) > LONGEST_REPLY:
        raise BadReply(f"the reply has {len(text):,} characters, more than requested")
    if not text.strip():
        raise BadReply("the reply was empty")
    problem: str | None = None
    for candidates in _iterate_readings(without_reasoning(text)):
        valid, fault = _validate_candidates(candidates, answer)
        problem = problem or fault
        if len(valid) > 1:
            raise BadReply("the reply holds several JSON objects that differ; give one only")
        if valid:
            return valid[0]
    raise BadReply(problem or "the reply holds no complete JSON object")


def without_reasoning(text: str) -> str:
    """``text`` without closed reasoning blocks and stray tags; what follows an unclosed opening may be the reply."""
    try:
        if isinstance(_parse_json(text), dict):
            return text  # tags inside a proper reply are its words
    except ValueError:
        pass
    kept: list[str] = []
    position = 0
    while opening := _REASONING_OPENS.search(text, position):
        end = _REASONING_ENDS.search(text, opening.end())
        if end is None:
            break
        kept.append(text[position : opening.start()])
        position = end.end()
    rest = "".join(kept) + text[position:]
    # Templates that open the block in the prompt leave only its end in the reply.
    return _REASONING_OPENS.sub("", _REASONING_ENDS.split(rest)[-1])


def is_reasoning(text: str) -> bool:
    """Whether ``text`` ends within a block of reasoning."""
    opening = max((match.end() for match in _REASONING_OPENS.finditer(text)), default=None)
    return opening is not None and _REASONING_ENDS.search(text, opening) is None


def _iterate_readings(text: str) -> Iterator[Iterable[str]]:
    """Where the object may be, the likeliest places first."""
    yield [text]
    yield islice(_find_objects(text), _MOST_OBJECTS)


def _find_objects(text: str) -> Iterator[str]:
    """The outermost balanced ``{...}`` in ``text``, braces inside strings not counted."""
    start, unclosed = text.find("{"), 0
    while start >= 0 and unclosed < _MOST_UNCLOSED:
        end = _find_closing(text, start)
        if end is None:
            unclosed += 1
        else:
            yield text[start:end]
        start = text.find("{", start + 1 if end is None else end)


def _find_closing(text: str, start: int) -> int | None:
    depth, in_string, escaped = 0, False, False
    for index in range(start, len(text)):
        c = text[index]
        if in_string:
            if escaped:
                escaped = False
            elif c == "\\":
                escaped = True
            elif c == '"':
                in_string = False
        elif c == '"':
            in_string = True
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return index + 1
    return None


def _validate_candidates(candidates: Iterable[str], answer: type[T]) -> tuple[list[T], str | None]:
    """The different valid answers among ``candidates``, and what was wrong with the first that was not."""
    valid: list[T] = []
    fault: str | None = None
    for candidate in candidates:
        try:
            found = _as_answer(_parse_json(candidate), answer)
        except BadReply as bad:
            fault = fault or str(bad)
        except ValueError:
            continue
        else:
            if found not in valid:
                valid.append(found)
    return valid, fault


def _parse_json(candidate: str) -> Any:
    """JSON, line ends in strings allowed; ValueError for anything else."""
    try:
        return json.loads(candidate, strict=False, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except json.JSONDecodeError:
        forgiven = _without_trailing_commas(candidate)
        if forgiven == candidate:
            raise
        return json.loads(forgiven, strict=False, parse_constant=_refuse_constant)


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _without_trailing_commas(candidate: str) -> str:
    # A string is matched whole and kept, so that commas inside it stay.
    return _STRING_OR_TRAILING_COMMA.sub(lambda m: "" if m[0] == "," else m[0], candidate)


def _as_answer(found: Any, answer: type[T]) -> T:
    if not isinstance(found, dict):
        raise BadReply("the reply is JSON but not an object")
    fields = cast("dict[str, Any]", found)
    try:
        return answer.model_validate(fields)
    except ValidationError as error:
        (key, inner), *others = fields.items() or [("", None)]
        if isinstance(inner, dict) and not others and key not in answer.model_fields:
            return _as_answer(inner, answer)
        raise BadReply(_describe_faults(error)) from error


def _describe_faults(error: ValidationError) -> str:
    each = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in each[:_FAULTS_NAMED]]
    return "the JSON does not fit: " + "; ".join(named)


def reply_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The schema of ``answer``, closed: every key required, none besides, no defaults.

    OpenAI's strict mode insists on it, and a small model under a grammar otherwise leaves everything out. Its title is
    the name of the class; other titles and what classes say of themselves are left out, as they are read with every call.
    """
    schema = cast("dict[str, Any]", _close_schema(answer.model_json_schema()))
    defined: dict[str, dict[str, Any]] = schema.get("$defs", {})
    for node in defined.values():
        for key in ("title", "description"):
            node.pop(key, None)
    for node in (schema, *defined.values()):
        fields: dict[str, dict[str, Any]] = node.get("properties", {})
        for field in fields.values():
            field.pop("title", None)
    return schema


def is_strict(schema: object) -> bool:
    """Whether strict mode can hold the schema: maps with keys of the model's choice it cannot."""
    if isinstance(schema, dict):
        node = cast("dict[str, Any]", schema)
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            return False
        return all(is_strict(value) for value in node.values())
    if isinstance(schema, list):
        return all(is_strict(item) for item in cast("list[object]", schema))
    return True


def asking_for(schema: dict[str, Any]) -> str:
    """What is added to the system message when the schema is not sent beside it."""
    return (
        "Reply with one JSON object and nothing else: no introduction, no code fence. It must fit this JSON schema:\n"
        + json.dumps(schema, ensure_ascii=False)
    )


def asking_again(problem: str, schema: dict[str, Any]) -> str:
    """The message to a model after an unusable reply."""
    return f"That reply could not be used: {problem}.\n{asking_for(schema)}"


def _close_schema(node: Any) -> Any:
    if isinstance(node, list):
        return [_close_schema(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    fields = cast("dict[str, Any]", node)
    properties = fields.get("properties")
    if not isinstance(properties, dict):
        return {key: _close_schema(value) for key, value in fields.items() if key != "default"}
    # The keys below properties are names of the model's fields, and "default" may be one of them.
    named = {key: _close_schema(value) for key, value in cast("dict[str, Any]", properties).items()}
    rest = {
        key: _close_schema(value)
        for key, value in fields.items()
        if key not in {"properties", "default", "required", "additionalProperties"}
    }
    return {**rest, "properties": named, "required": list(named), "additionalProperties": False}
