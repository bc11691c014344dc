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
    from ascertain.app.access.viewers import Access

MOST = 200
"""Notebooks of one user: more is no list that somebody chooses from (by judgement)."""


def list_notebooks(access: Access) -> list[Notebook]:
    """The viewer's own and those that are shared, by name."""
    notebooks = [
        notebook for notebook in access.container.service.notebooks.notebooks(access.tenant) if _sees(access, notebook)
    ]
    return sorted(notebooks, key=lambda notebook: (notebook.name.casefold(), notebook.id))


def find_notebook(access: Access, notebook_id: str) -> Notebook | None:
    """One that the viewer may see."""
    notebook = access.container.service.notebooks.get(notebook_id, access.tenant)
    return notebook if notebook and _sees(access, notebook) else None


def make_notebook(access: Access, name: str, sources: Sequence[str]) -> Notebook:
    """A new one, of the viewer. Raises UsageError where it has no name or there are too many."""
    owner = access.viewer.user or ""
    if sum(each.owner == owner for each in access.container.service.notebooks.notebooks(access.tenant)) >= MOST:
        raise UsageError(f"there are {MOST} notebooks already; delete one first")
    notebook = Notebook(
        uuid.uuid4().hex, _clean_name(name), _clean_sources(sources), datetime.now(UTC), owner, tenant=access.tenant
    )
    access.container.service.notebooks.put(notebook)
    return notebook


def change_notebook(
    access: Access,
    notebook: Notebook,
    *,
    name: str | None = None,
    sources: Sequence[str] | None = None,
    is_shared: bool | None = None,
) -> Notebook:
    """The notebook with what is given put in place. Raises NotYours for another's."""
    _check_owner(access, notebook)
    changed = replace(
        notebook,
        name=notebook.name if name is None else _clean_name(name),
        sources=notebook.sources if sources is None else _clean_sources(sources),
        is_shared=notebook.is_shared if is_shared is None else is_shared,
        changed_at=datetime.now(UTC),
    )
    if changed.is_shared != notebook.is_shared:
        with access.audited("share_notebook" if changed.is_shared else "unshare_notebook", changed.name):
            access.container.service.notebooks.put(changed)
    else:
        access.container.service.notebooks.put(changed)
    return changed


def delete_notebook(access: Access, notebook: Notebook) -> None:
    """Forget a notebook; what is in it stays. Raises NotYours for another's."""
    _check_owner(access, notebook)
    with access.audited("delete_notebook", notebook.name):
        access.container.service.notebooks.delete(notebook.id, access.tenant)


def _sees(access: Access, notebook: Notebook) -> bool:
    return notebook.is_shared or access.viewer.owns(notebook.owner)


def _check_owner(access: Access, notebook: Notebook) -> None:
    if not access.viewer.owns(notebook.owner):
        raise NotYours("this notebook is somebody else's; make one of your own of the same sources")


def _clean_name(name: str) -> str:
    shown = " ".join(name.split())
    if not shown:
        raise UsageError("a notebook needs a name")
    return shown


def _clean_sources(sources: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sources))
