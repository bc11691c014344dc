"""The JSON schema of a reply, and the words that ask for it where a server takes no schema."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import BaseModel


def reply_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The schema of ``answer``, closed: every key required, none besides, no defaults.

    OpenAI's strict mode insists on it, and a small model under a grammar otherwise leaves everything out. Its title is the
    name of the class.
    """
    return cast("dict[str, Any]", _closed(answer.model_json_schema()))


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
    """What a model is told after a reply that could not be used."""
    return f"That reply could not be used: {problem}.\n{asking_for(schema)}"


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    fields = cast("dict[str, Any]", node)
    properties = fields.get("properties")
    if not isinstance(properties, dict):
        return {key: _closed(value) for key, value in fields.items() if key != "default"}
    # The keys below properties are names of the model's fields, and "default" may be one of them.
    named = {key: _closed(value) for key, value in cast("dict[str, Any]", properties).items()}
    rest = {
        key: _closed(value)
        for key, value in fields.items()
        if key not in {"properties", "default", "required", "additionalProperties"}
    }
    return {**rest, "properties": named, "required": list(named), "additionalProperties": False}
