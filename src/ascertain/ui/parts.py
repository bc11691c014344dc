"""Parts of the page that Streamlit has no element for, as its components: an answer, a source, a list of rows, a
drawing of a graph.

A part is a script and a style sheet in ``assets``. It gets JSON and draws it as text nodes, never as markup, so nothing
that a document or a model says can become part of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from streamlit.components import v2

from ascertain.ui.launch import read_resource

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

Row = Mapping[str, object]
"""``id``, ``title``; optional ``facts``, ``badges`` ({text, tone: good|warn|bad|plain}), ``note``, ``is_current``."""


SHARED = {"answer": ("drawing",), "graph": ("drawing",), "connections": ("drawing",), "entity_box": ("drawing",)}
"""Parts that draw with the building blocks of another file."""


class Said(NamedTuple):
    """What a reader just did with an answer: opened the citation of a number, judged it, chose an entity by its id."""

    opened: int | None
    judged: Mapping[str, str] | None
    explored: str | None


def show_answer(data: Mapping[str, object], key: str) -> Said:
    """Draw an answer (``answer_view.answer_data``)."""
    result: Any = _load_part("answer")(
        key=key,
        data=dict(data),
        on_opened_change=_note_click,
        on_judged_change=_note_click,
        on_explored_change=_note_click,
    )
    opened = result.get("opened")
    return Said(None if opened is None else int(opened), result.get("judged"), result.get("explored"))


def show_source(data: Mapping[str, object], key: str) -> None:
    """Draw a document around a quote (``citations.source_data``)."""
    _load_part("source")(key=key, data=dict(data))


def show_rows(
    rows: Sequence[Row], label: str, key: str, *, look: str = "cards", opens: bool = False, deletes: str = ""
) -> tuple[str | None, str | None]:
    """Draw a list; the id of a row opened, and of one to be deleted. ``deletes`` is the name of that button."""
    data = {"rows": [dict(row) for row in rows], "label": label, "look": look, "opens": opens, "deletes": deletes}
    result: Any = _load_part("rows")(key=key, data=data, on_opened_change=_note_click, on_deleted_change=_note_click)
    return result.get("opened"), result.get("deleted")


def show_graph(data: Mapping[str, object], key: str) -> str | None:
    """Draw entities and what links them (``graph.view``); the id of one just chosen."""
    result: Any = _load_part("graph")(key=key, data=dict(data), on_chosen_change=_note_click)
    return result.get("chosen")


def show_connections(
    rows: Sequence[Mapping[str, object]], label: str, key: str
) -> tuple[str | None, tuple[int, int] | None]:
    """Draw sentences in groups (``graph.view``); the id of an entity chosen, row and place of a sentence opened."""
    data = {"rows": [dict(row) for row in rows], "label": label}
    result: Any = _load_part("connections")(
        key=key, data=data, on_chosen_change=_note_click, on_opened_change=_note_click
    )
    opened = result.get("opened")
    return result.get("chosen"), (None if opened is None else (int(opened[0]), int(opened[1])))


def show_entity_box(data: Mapping[str, object], key: str) -> tuple[str | None, str | None]:
    """Draw a box for a name (``graph.entities.box_data``); what was typed, and the entity chosen, by id or name."""
    result: Any = _load_part("entity_box")(
        key=key, data=dict(data), on_typed_change=_note_click, on_chosen_change=_note_click
    )
    return result.get("typed"), result.get("chosen")


def follow_thread(turn: str, key: str) -> None:
    """Show a question as it is sent, and keep the latest turn in sight; ``turn`` names it, and is another once one is asked."""
    _load_script("thread")(key=key, data={"turn": turn})


def name_uploader_role(key: str) -> None:
    """Let the place for files be the group that its name makes it."""
    _load_script("uploader")(key=key)


@cache
def _load_part(name: str) -> ComponentRenderer:
    files = (*SHARED.get(name, ()), name)
    return v2.component(
        f"ascertain_{name}",
        html='<div class="root"></div>',
        css="\n".join(read_resource(f"{sheet}.css") for sheet in ("tokens", "part", *files)),
        js="\n".join(read_resource(f"{script}.js") for script in ("dom", *files)),
    )


@cache
def _load_script(name: str) -> ComponentRenderer:
    """A part that shows nothing itself."""
    return v2.component(
        f"ascertain_{name}",
        html='<div class="root"></div>',
        js="\n".join(read_resource(f"{script}.js") for script in ("dom", name)),
    )


def _note_click() -> None:
    """Streamlit tells what a part says only when somebody asks for it; the run that follows reads it."""
