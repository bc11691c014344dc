"""``/docs``: the operations on one page, written from their OpenAPI description; no script, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from fastapi.responses import HTMLResponse

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: light-dark(#0b6663, #6ccabf); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { margin: 2.2rem 0 .6rem; font-size: 1.15rem; text-transform: capitalize }
details { border: 1px solid var(--line); border-radius: 10px; margin: .45rem 0; padding: 0 .9rem }
summary { cursor: pointer; padding: .6rem 0; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap }
summary code { font-size: .95rem } .method { color: var(--accent); font-weight: 700; min-width: 4.2rem }
.what { opacity: .8 } pre { background: var(--soft); padding: .8rem; border-radius: 8px; overflow-x: auto; font-size: .85rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem } td { border-top: 1px solid var(--line); padding: .3rem .5rem; vertical-align: top }
a { color: var(--accent) }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def reference_router(app: FastAPI) -> APIRouter:
    """The page of ``app``."""
    router = APIRouter()

    @router.get("/docs", include_in_schema=False)
    def reference() -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return HTMLResponse(_page(app.openapi()), headers={"Content-Security-Policy": POLICY})

    return router


def _page(described: Mapping[str, Any]) -> str:
    about = described["info"]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(about['title'])} {escape(about['version'])}</title><style>{STYLE}</style>",
        f"<h1>{escape(about['title'])} {escape(about['version'])}</h1>",
        *(f"<p>{_inline(part)}</p>" for part in about["description"].split("\n\n")),
        "<p><a href=openapi.json>openapi.json</a> describes all of it for programs.</p>",
    ]
    group = ""
    for method, path, operation in _operations(described):
        tag = operation["tags"][0]
        if tag != group:
            group = tag
            parts.append(f"<h2>{escape(tag)}</h2>")
        parts.append(_operation(method, path, operation, described))
    return "".join(parts)


def _operations(described: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _operation(method: str, path: str, operation: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    first, _, rest = operation.get("description", "").partition("\n\n")
    examples = _examples(operation, described)
    return "".join(
        (
            f"<details><summary><span class=method>{method}</span><code>{escape(path)}</code>",
            f"<span class=what>{_inline(first)}</span></summary>",
            f"<p>{_inline(rest)}</p>" if rest else "",
            _table("Parameters", [_parameter(each) for each in operation.get("parameters", ())]),
            *(f"<p>Example</p><pre>{escape(json.dumps(each, indent=2))}</pre>" for each in examples),
            _table("Answers", [(code, told["description"]) for code, told in operation["responses"].items()]),
            "</details>",
        )
    )


def _parameter(parameter: Mapping[str, Any]) -> tuple[str, str]:
    needed = ", required" if parameter.get("required") else ""
    return parameter["name"], f"{parameter['in']}{needed}. {parameter.get('description', '')}"


def _examples(operation: Mapping[str, Any], described: Mapping[str, Any]) -> Sequence[object]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return cast("Sequence[object]", described["components"]["schemas"].get(name, {}).get("examples", ()))


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    if not rows:
        return ""
    cells = "".join(f"<tr><td><code>{escape(name)}</code><td>{_inline(told)}" for name, told in rows)
    return f"<p>{title}</p><table>{cells}</table>"


def _inline(text: str) -> str:
    """Text with `code` in it, as HTML."""
    pieces = escape(" ".join(text.split())).split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))
