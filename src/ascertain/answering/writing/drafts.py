"""A draft shown while a chat model writes it: what can be read of the reply so far, as Markdown, in pieces.

The reply is JSON that has no end yet. Of its last entry only whole words are shown, and nothing of a link or a tag that is not
closed, and rows and code once they are whole, so that what was shown stays. Nothing of it is checked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from pydantic_core import from_json

from ascertain.answering.writing.entries import Entry, SentenceReply, read_entries
from ascertain.core.asking.answers import AnswerSentence, Form, Verdict, VerdictLabel
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.requests import DraftText
from ascertain.core.markdown import disarm_markdown
from ascertain.models.chat.replies import is_reasoning, without_reasoning

PIECE_SECONDS = 0.05
"""How often a piece is shown at most: no eye sees more, and each is stored for clients that connect later."""
MOST_DRAFTS = 10
"""Times that a draft may begin again, as it does where the shown text turns out to be different."""


class DraftTeller:
    """Shows a draft, from what a chat model has written of its reply so far.

    ``sources`` are the texts an address may be in, ``most`` is the number of entries shown.
    """

    def __init__(
        self,
        tell: Callable[[DraftText], object],
        sources: Sequence[str],
        most: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._sources = sources
        self._most = most
        self._clock = clock
        self._shown = ""
        self._drafts = 0
        self._is_new = True
        self._reply = ""
        self._last_told = float("-inf")

    def take_reply(self, reply: str) -> None:
        """Show what can be read of ``reply``; one that does not continue the last begins another draft."""
        if len(reply) < len(self._reply):
            self._is_new = True
        self._reply = reply
        if self._clock() - self._last_told >= PIECE_SECONDS:
            self._show_draft(read_draft(reply, self._sources, self._most))

    def finish(self) -> None:
        """Show what is left; the next reply begins another draft."""
        if self._reply:
            self._show_draft(read_draft(self._reply, self._sources, self._most))
        self._reply, self._is_new = "", True

    def _show_draft(self, draft: str) -> None:
        is_new = self._is_new or not draft.startswith(self._shown)
        if not draft or (draft == self._shown and not is_new) or (is_new and self._drafts >= MOST_DRAFTS):
            return
        self._tell(DraftText(draft if is_new else draft[len(self._shown) :], is_new))
        self._drafts += is_new
        self._shown, self._is_new, self._last_told = draft, False, self._clock()


def read_draft(reply: str, sources: Sequence[str], most: int) -> str:
    """The Markdown of as much of ``reply`` as can be read, in at most ``most`` entries; empty where nothing can."""
    text = without_reasoning(reply)
    if is_reasoning(reply) or "{" not in text:
        return ""
    json, is_whole = text[text.index("{") :], False
    try:
        read: Any = from_json(json, allow_partial="trailing-strings")
        is_whole = json.rstrip().endswith("}") and from_json(json) == read
    except ValueError:
        read = None
    found: Any = cast("dict[str, Any]", read).get("sentences") if isinstance(read, dict) else None
    entries = [each for each in cast("list[Any]", found) if _is_entry(each)] if isinstance(found, list) else []
    return _lay_out(entries[:most], sources, is_whole or len(entries) > most)


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and isinstance(cast("dict[str, Any]", value).get("text"), str)


def _lay_out(fields: Sequence[dict[str, Any]], sources: Sequence[str], is_whole: bool) -> str:
    written = [_read_part(each) for each in fields]
    if written and not is_whole and next(reversed(fields[-1])) == "text":
        *written, last = written
        if last.kind not in ("row", "code") and not last.text.lstrip().startswith(("`", "~")):
            written.append(last.model_copy(update={"text": _cut_unfinished(last.text)}))
    kinds = [each.kind for each in written]
    if not is_whole and kinds[-1:] == ["row"] and kinds[-2:-1] != ["row"]:
        written.pop()  # column names are not a table before a row follows
    return join_sentences([_as_sentence(entry) for entry in read_entries(written, sources)])


def _read_part(fields: dict[str, Any]) -> SentenceReply:
    """An entry; of its quotes a draft needs only that there are any."""
    quotes = [{"text": ""}] if fields.get("quotes") else []
    return SentenceReply.model_validate({"kind": fields.get("kind"), "text": fields["text"], "quotes": quotes})


_OPEN_MARKUP = re.compile(r"(?:!?\[[^\]]*(?:\](?:\([^)]*)?)?|<[^<>]*)\Z")


def _cut_unfinished(text: str) -> str:
    """``text`` up to its last whole word, without a link or a tag that may still continue."""
    whole = text[: text.rfind(" ") + 1]
    return _OPEN_MARKUP.sub("", whole)


def _as_sentence(entry: Entry) -> AnswerSentence:
    # where the answer is Markdown, so is the draft: nothing the model copied from a source may be active in it
    text = entry.text if entry.form is Form.CODE else disarm_markdown(entry.text)
    columns = tuple(map(disarm_markdown, entry.columns))
    verdict = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
    return AnswerSentence(text, verdict, (), form=entry.form, columns=columns, language=entry.language)
