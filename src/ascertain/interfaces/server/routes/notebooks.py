"""``/v1/notebooks``: sources that somebody often asks together, under a name."""

from typing import Annotated

from fastapi import APIRouter, Path

from ascertain.app.documents.notebooks import (
    change_notebook,
    delete_notebook,
    find_notebook,
    list_notebooks,
    make_notebook,
)
from ascertain.app.wire.documents import DeletedJson
from ascertain.app.wire.notebooks import NotebookBody, NotebookChangesBody, NotebookJson, NotebooksJson
from ascertain.app.wire.requests import ID_PATTERN
from ascertain.core.service.service import Notebook
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import describe_problems, missing_error

notebooks_router = APIRouter(prefix="/v1/notebooks", tags=["notebooks"])
NotebookId = Annotated[str, Path(min_length=1, max_length=100, pattern=ID_PATTERN)]


@notebooks_router.get("", responses=describe_problems())
def list_own_notebooks(who: Known) -> NotebooksJson:
    """List the notebooks of the caller and those that others of the tenant share, by name."""
    return NotebooksJson(notebooks=[_describe(who, notebook) for notebook in list_notebooks(who.knowledge.access)])


@notebooks_router.post("", status_code=201, responses=describe_problems(400))
def add_notebook(body: NotebookBody, who: Known) -> NotebookJson:
    """Make a notebook; it is the caller's alone until it is shared."""
    return _describe(who, make_notebook(who.knowledge.access, body.name, body.sources))


@notebooks_router.patch("/{notebook_id}", responses=describe_problems(400, 404))
def update_notebook(notebook_id: NotebookId, body: NotebookChangesBody, who: Known) -> NotebookJson:
    """Rename a notebook, give it other sources, or share it with the tenant; only its owner can."""
    changed = change_notebook(
        who.knowledge.access, _find(who, notebook_id), name=body.name, sources=body.sources, is_shared=body.is_shared
    )
    return _describe(who, changed)


@notebooks_router.delete("/{notebook_id}", responses=describe_problems(404))
def remove_notebook(notebook_id: NotebookId, who: Known) -> DeletedJson:
    """Delete a notebook; the documents stay."""
    delete_notebook(who.knowledge.access, _find(who, notebook_id))
    return DeletedJson(deleted=1)


def _find(who: Caller, notebook_id: str) -> Notebook:
    found = find_notebook(who.knowledge.access, notebook_id)
    if found is None:
        raise missing_error("notebook of this id")
    return found


def _describe(who: Caller, notebook: Notebook) -> NotebookJson:
    return NotebookJson.from_notebook(notebook, is_own=who.knowledge.viewer.owns(notebook.owner))
