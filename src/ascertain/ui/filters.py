"""What a question may be answered from: documents or news, kinds, dates, folders, tags, languages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from ascertain.core.documents import DocumentKind
from ascertain.ui.citations import UPLOADED
from ascertain.wire.documents import DocumentJson

KIND_NAMES = {
    DocumentKind.PROSE.value: "Texts",
    DocumentKind.ARTICLE.value: "Articles",
    DocumentKind.PAPER.value: "Papers",
    DocumentKind.TRANSCRIPT.value: "Recordings",
}
MODES = {"documents": "Documents", "news": "News"}
RANGES = {"any": "Any time", "day": "Last day", "week": "Last week", "month": "Last month", "year": "Last year"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen; empty means no condition. ``until`` is the last day that counts."""

    mode: str = "documents"
    kinds: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    time_range: str = "any"

    def request(self, question: str, conversation_id: str) -> dict[str, object]:
        """The body of ``POST /v1/ask/stream``."""
        body: dict[str, object] = {"question": question, "conversation_id": conversation_id, "mode": self.mode}
        if self.mode == "news":
            return {**body, **({} if self.time_range == "any" else {"time_range": self.time_range})}
        conditions: dict[str, object] = {
            "kinds": list(self.kinds),
            "sources": list(self.sources),
            "tags": list(self.tags),
            "languages": list(self.languages),
            "published_from": self.since.isoformat() if self.since else None,
            "published_before": (self.until + timedelta(days=1)).isoformat() if self.until else None,
        }
        given = {name: value for name, value in conditions.items() if value}
        return {**body, **({"filter": given} if given else {})}

    @property
    def conditions(self) -> int:
        """How many conditions hold."""
        if self.mode == "news":
            return int(self.time_range != "any")
        given = (self.kinds, self.since or self.until, self.sources, self.tags, self.languages)
        return sum(map(bool, given))


def choose_filters(documents: Sequence[DocumentJson]) -> Selection:
    """The controls; ``documents`` tell which folders, tags and languages there are."""
    with st.container(horizontal=True, vertical_alignment="center", key="asc_controls"):
        mode = st.segmented_control(
            "Answer from",
            list(MODES),
            default="documents",
            required=True,
            format_func=MODES.__getitem__,
            key="mode",
            label_visibility="collapsed",
            persist_state="session",
        )
        return _show_controls(str(mode or "documents"), documents)


def _show_controls(mode: str, documents: Sequence[DocumentJson]) -> Selection:
    number = _kept_selection(mode).conditions
    with st.popover(f"Filters ({number})" if number else "Filters", icon=":material/tune:"):
        if mode == "news":
            chosen = st.selectbox(
                "Published", list(RANGES), format_func=RANGES.__getitem__, key="range", persist_state="session"
            )
            return Selection(mode, time_range=chosen)
        kinds = st.pills(
            "Kinds",
            list(KIND_NAMES),
            selection_mode="multi",
            format_func=KIND_NAMES.__getitem__,
            key="kinds",
            persist_state="session",
        )
        first, last = st.columns(2)
        since = first.date_input("From", None, key="since", format="YYYY-MM-DD", persist_state="session")
        until = last.date_input("To", None, key="until", format="YYYY-MM-DD", persist_state="session")
        sources = st.multiselect(
            "Folders and sites",
            list_origins(documents),
            format_func=_origin_name,
            key="sources",
            placeholder="All",
            persist_state="session",
        )
        tags = st.multiselect(
            "Tags",
            sorted({tag for each in documents for tag in each.tags}),
            key="tags",
            placeholder="All",
            persist_state="session",
        )
        languages = st.multiselect(
            "Languages",
            sorted({each.language for each in documents if each.language}),
            key="languages",
            placeholder="All",
            persist_state="session",
        )
        if since and until and since > until:
            st.caption("The first day is after the last: no document can match.")
        return Selection(mode, tuple(kinds), since, until, tuple(sources), tuple(tags), tuple(languages))


def _kept_selection(mode: str) -> Selection:
    """What the controls hold before they are drawn, for the number on the button."""
    state: Any = st.session_state
    if mode == "news":
        return Selection(mode, time_range=state.get("range", "any"))
    several = (tuple(state.get(name) or ()) for name in ("kinds", "sources", "tags", "languages"))
    kinds, sources, tags, languages = several
    return Selection(mode, kinds, state.get("since"), state.get("until"), sources, tags, languages)


def list_origins(documents: Iterable[DocumentJson]) -> list[str]:
    """The folders and sites that documents come from, as the service's filter takes them."""
    return sorted({origin for each in documents if (origin := _origin_of(each.source))})


def _origin_of(source: str) -> str:
    parts = urlsplit(source) if source.startswith(("http://", "https://")) else None
    if parts is not None:
        return f"{parts.scheme}://{parts.netloc}/*"
    if source.startswith(UPLOADED):
        return f"{UPLOADED}*"
    folder, slash, _ = source.partition("#")[0].rpartition("/")
    return folder + slash


def _origin_name(origin: str) -> str:
    """An origin as the list of them names it."""
    return "Uploaded files" if origin == f"{UPLOADED}*" else origin.removesuffix("/*")
