"""What an answer hangs on beside the words of its question and the documents: two questions of one scope are
answered alike.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.core.filters import OWN, Filter
from ascertain.core.settings import Settings
from ascertain.language.word_lists import load_alternatives
from ascertain.retrieval.timeframe import timeframe

if TYPE_CHECKING:
    from ascertain.core.requests import AskRequest
    from ascertain.stores.ports import CompleteStore

_LEFT_OUT = {"home", "store", "ingest", "cache", "server", "telemetry", "ui"}
"""Settings that change no answer: where things are kept, how they came there and who is told."""
_OWN_FOLDERS = ("profiles", "prompts")
_RELATIVE = re.compile(rf"\b(?:{load_alternatives('moving_time', 'words')})\b", re.IGNORECASE)
"""Words whose meaning may move with the calendar; one too many only makes an answer anew on another day."""


def scope_of(request: AskRequest, settings: Settings, now: datetime, reach: Filter) -> str:
    """A digest of all that an answer to ``request`` hangs on; ``reach`` is what it may see."""
    parts = {
        "settings": settings.model_dump(mode="json", exclude=_LEFT_OUT),
        "own": [list(each) for each in _own_files(settings.home)],
        "filter": repr(reach),
        "asked": [request.mode, request.strategy, request.days_back, request.time_range],
        "most": [request.max_articles, request.max_chunks],
        "history": [[turn.role, turn.text] for turn in request.history],
        "time": _time_asked_about(request, settings, now),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def reach_of(request: AskRequest, store: CompleteStore) -> Filter:
    """What a question may see; a conversation that nothing was fetched for sees what all see, and shares
    their answers.
    """
    filter, conversation = request.filter, request.conversation_id
    if conversation is None or filter.within != (OWN, conversation):
        return filter
    if store.documents(Filter(conversation_id=conversation, tenant=filter.tenant)):
        return filter
    return replace(filter, within=(OWN,))


def _time_asked_about(request: AskRequest, settings: Settings, now: datetime) -> list[str]:
    """The stretches of time that the words mean now, and the day where it may matter; empty for a timeless
    question.
    """
    texts = [request.question, *(turn.text for turn in request.history if turn.role == "user")]
    frames = [frame for text in texts if (frame := timeframe(text, now, None))]
    stretches = [f"{frame.start.isoformat()} {frame.end.isoformat()}" for frame in frames]
    moves = request.days_back is not None or settings.retrieval.rerank == "heuristic"
    if moves or any(_RELATIVE.search(text) for text in texts):
        stretches.append(now.date().isoformat())
    return stretches


def _own_files(home: Path) -> Iterator[tuple[str, int, int]]:
    """Profiles and prompts that the user wrote, as they are now."""
    for folder in _OWN_FOLDERS:
        files = (home / folder).glob("*") if (home / folder).is_dir() else ()
        for file in sorted(files):
            status = file.stat()
            yield f"{folder}/{file.name}", status.st_mtime_ns, status.st_size
