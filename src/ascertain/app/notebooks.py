"""Notebooks: sources that somebody often asks together, under a name; their own, and of the tenant where they share them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.core.errors import NotYours, UsageError
from ascertain.core.service.service import Notebook

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

MOST = 200
"""Notebooks of one user: more is no list that somebody chooses from (by judgement)."""


def list_notebooks(knowledge: Ascertain) -> list[Notebook]:
    """The viewer's own and those that are shared, by name."""
    found = [
        notebook for notebook in knowledge.service.notebooks.notebooks(knowledge.tenant) if _sees(knowledge, notebook)
    ]
    return sorted(found, key=lambda notebook: (notebook.name.casefold(), notebook.id))


def find_notebook(knowledge: Ascertain, notebook_id: str) -> Notebook | None:
    """One that the viewer may see."""
    found = knowledge.service.notebooks.get(notebook_id, knowledge.tenant)
    return found if found and _sees(knowledge, found) else None


def make_notebook(knowledge: Ascertain, name: str, sources: Sequence[str]) -> Notebook:
    """A new one, of the viewer. Raises UsageError where it has no name or there are too many."""
    owner = knowledge.viewer.user or ""
    if sum(each.owner == owner for each in knowledge.service.notebooks.notebooks(knowledge.tenant)) >= MOST:
        raise UsageError(f"there are {MOST} notebooks already; delete one first")
    notebook = Notebook(
        uuid.uuid4().hex, _clean_name(name), _clean_sources(sources), datetime.now(UTC), owner, tenant=knowledge.tenant
    )
    knowledge.service.notebooks.put(notebook)
    return notebook


def change_notebook(
    knowledge: Ascertain,
    notebook: Notebook,
    *,
    name: str | None = None,
    sources: Sequence[str] | None = None,
    is_shared: bool | None = None,
) -> Notebook:
    """The notebook with what is given put in place. Raises NotYours for another's."""
    _check_owner(knowledge, notebook)
    changed = replace(
        notebook,
        name=notebook.name if name is None else _clean_name(name),
        sources=notebook.sources if sources is None else _clean_sources(sources),
        is_shared=notebook.is_shared if is_shared is None else is_shared,
        changed_at=datetime.now(UTC),
    )
    if changed.is_shared != notebook.is_shared:
        with knowledge.access.audited("share_notebook" if changed.is_shared else "unshare_notebook", changed.name):
            knowledge.service.notebooks.put(changed)
    else:
        knowledge.service.notebooks.put(changed)
    return changed


def delete_notebook(knowledge: Ascertain, notebook: Notebook) -> None:
    """Forget a notebook; what is in it stays. Raises NotYours for another's."""
    _check_owner(knowledge, notebook)
    with knowledge.access.audited("delete_notebook", notebook.name):
        knowledge.service.notebooks.delete(notebook.id, knowledge.tenant)


def _sees(knowledge: Ascertain, notebook: Notebook) -> bool:
    return notebook.is_shared or knowledge.viewer.owns(notebook.owner)


def _check_owner(knowledge: Ascertain, notebook: Notebook) -> None:
    if not knowledge.viewer.owns(notebook.owner):
        raise NotYours("this notebook is somebody else's; make one of your own of the same sources")


def _clean_name(name: str) -> str:
    shown = " ".join(name.split())
    if not shown:
        raise UsageError("a notebook needs a name")
    return shown


def _clean_sources(sources: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sources))
