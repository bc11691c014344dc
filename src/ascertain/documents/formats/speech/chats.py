"""Conversations of messengers exported as text: ``[12/05/2024, 10:31:22] Ada: words`` or ``12.05.24, 10:31 - Ada: words`` (WhatsApp).

Days and times are written as the file has them: which number is the month, only its owner knows.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ascertain.core.documents.blocks import Place
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.documents.formats.drafts.draft import Draft, clean_line
from ascertain.documents.formats.reader import Extracted

_DAY = r"(?P<day>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})"
_TIME = r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[AaPp]\.? ?[Mm]\.?)?)"
_FORMS = (re.compile(rf"\[{_DAY}, {_TIME}\] (?P<rest>.*)"), re.compile(rf"{_DAY}, {_TIME} [-–] (?P<rest>.*)"))
_NAMED = re.compile(r"(?P<name>[^:\n]{1,80}): ?(?P<words>.*)")
_MEDIA = re.compile(r"<[^<>\n]{1,200}>|[\w.-]{1,100} \([^()\n]{1,40}\)")
"""What stands for a picture or a recording: ``<Media omitted>``, ``<attached: 1.jpg>``, ``IMG-1.jpg (file attached)``."""
_FEWEST = 2


@dataclass(slots=True)
class _Message:
    day: str
    time: str
    name: str | None
    """None for what the messenger itself notes."""
    lines: list[str] = field(default_factory=list[str])


def read_chat(text: str) -> Extracted | None:
    """The conversation in ``text``, a section each day; None when it is something else."""
    lines = text.split("\n")
    form = next((form for form in _FORMS if form.match(lines[0])), None)
    messages = list(_split_messages(lines, form)) if form else []
    names = Counter(message.name for message in messages if message.name)
    if sum(names.values()) < _FEWEST:
        return None
    draft = Draft()
    day = ""
    for message in messages:
        if message.day != day:
            day = message.day
            draft.turn(Place())
            draft.heading(day, 1)
        draft.turn(Place(speaker=message.name))
        words = "\n".join(message.lines)
        draft.add(f"{message.name} ({message.time}): {words}" if message.name else f"({message.time}) {words}")
    shown, blocks = draft.finish()
    media = sum(_MEDIA.fullmatch("\n".join(message.lines).strip()) is not None for message in messages)
    return Extracted(
        shown,
        kind=DocumentKind.TRANSCRIPT,
        author=", ".join(name for name, _ in names.most_common(8)),
        blocks=blocks,
        left_out=(LeftOut("pictures and recordings", media),) if media else (),
    )


def _split_messages(lines: list[str], form: re.Pattern[str]) -> Iterator[_Message]:
    message: _Message | None = None
    for line in lines:
        found = form.match(line)
        if found is None:
            if message is not None:
                message.lines.append(line)
            continue
        if message is not None:
            yield message
        match = _NAMED.fullmatch(found["rest"])
        name = clean_line(match["name"]) if match else None
        message = _Message(found["day"], found["time"], name, [match["words"] if match else found["rest"]])
    if message is not None:
        yield message
