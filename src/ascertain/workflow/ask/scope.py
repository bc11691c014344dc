"""What a question may see, and whether the web may help it."""

from __future__ import annotations

from dataclasses import replace

from ascertain.core.documents import DocumentKind
from ascertain.core.filters import Filter
from ascertain.core.requests import AskRequest
from ascertain.workflow.ask.state import AskState, Web
from ascertain.workflow.ask.steps import Researcher

FETCHED_AS = "news"
"""Profile of what is fetched."""


def visible(state: AskState) -> Filter:
    """The filter of the question's searches: in news mode the conversation's own articles, else the request's and what was fetched for it."""
    request = state["request"]
    if request.mode == "news":
        return replace(request.filter, conversation_id=request.material_id, within=None)
    within, own = request.filter.within, request.material_id
    if state["web"] is Web.SEARCHED and within is not None and own not in within:
        return replace(request.filter, within=(*within, own))
    return request.filter


def web_at_first(request: AskRequest, researcher: Researcher | None) -> Web:
    """How a question stands to the web before anything was looked up."""
    if researcher is None:
        return Web.CLOSED
    if request.mode != "news" and (not researcher.is_fallback or _keeps_out(request.filter)):
        return Web.CLOSED
    return Web.OPEN if researcher.providers else Web.UNSET


def _keeps_out(filter: Filter) -> bool:
    """Whether no fetched article could fulfil the filter."""
    return bool(
        filter.document_ids
        or filter.chunk_ids
        or filter.sources
        or filter.tags
        or filter.conversation_id
        or (filter.kinds and DocumentKind.ARTICLE not in filter.kinds)
        or (filter.profiles and FETCHED_AS not in filter.profiles)
    )
