"""Calendars (iCalendar, RFC 5545) and address books (vCard, RFC 6350): files of content lines, ``NAME;PARAMETER=VALUE:value``.

An event is a section with its fields on lines of their own. Times are written as the file has them, with the zone that it names.
"""

import quopri
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.documents.formats.dom.markup import markup_text
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, short_line
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of

_FOLD = re.compile(r"\n[ \t]")
_SOFT_BREAK = re.compile(r"=\n")
_ESCAPE = re.compile(r"\\([\\;,nN:])")
_LIST_MARK = re.compile(r"(?<!\\)[;,]")
_LONGEST_HEAD = 4_000
"""Characters in which the value of a line begins; names of people and zones stand before it."""
_MAX_DEPTH = 10
"""Of components in each other; the standard has two."""
_MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True, slots=True)
class _Property:
    """One line: the value as it is written, before it is unescaped."""

    name: str
    parameters: Mapping[str, str]
    value: str

    @property
    def text(self) -> str:
        return clean_text(_ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.value))

    @property
    def line(self) -> str:
        return clean_line(self.text)


@dataclass(slots=True)
class _Component:
    """What stands between ``BEGIN`` and ``END`` of one name, without what lies deeper."""

    name: str
    properties: list[_Property] = field(default_factory=list[_Property])

    def lines(self, name: str) -> list[str]:
        return [each.line for each in self.properties if each.name == name and each.line]

    def first(self, name: str) -> _Property | None:
        return next((each for each in self.properties if each.name == name and each.line), None)


def read_calendar(file: SourceFile) -> Iterator[Extracted]:
    """The events, tasks and notes of a calendar, a section each. Raises SourceError where there is none."""
    components = _read_components(text_of(file))
    entries = [each for each in components if each.name in ("VEVENT", "VTODO", "VJOURNAL")]
    if not entries:
        raise file.error("no event in it; a calendar has lines that say BEGIN:VEVENT")
    calendar = next((each for each in components if each.name == "VCALENDAR"), _Component("VCALENDAR"))
    draft = Draft()
    for number, entry in enumerate(entries, 1):
        draft.part = f"event {number}" if len(entries) > 1 else None
        _write_event(draft, entry, calendar)
    titles = calendar.lines("X-WR-CALNAME") or (entries[0].lines("SUMMARY") if len(entries) == 1 else [])
    text, blocks = draft.finish()
    yield Extracted(
        text,
        title=short_line(titles[0]) if titles else None,
        author=_name_person(organiser) if (organiser := entries[0].first("ORGANIZER")) else None,
        blocks=blocks,
        left_out=tuple(_list_left_out(components)),
    )


def read_contacts(file: SourceFile) -> Iterator[Extracted]:
    """The people of an address book, a section each. Raises SourceError where there is none."""
    cards = [each for each in _read_components(text_of(file)) if each.name == "VCARD"]
    draft = Draft()
    names: list[str] = []
    for number, card in enumerate(cards, 1):
        draft.part = f"contact {number}" if len(cards) > 1 else None
        names.append(_write_contact(draft, card))
    text, blocks = draft.finish()
    if not text:
        raise file.error("no contact in it; an address book has lines that say BEGIN:VCARD")
    pictures = sum(each.name in ("PHOTO", "LOGO") for card in cards for each in card.properties)
    left_out = (LeftOut("pictures", pictures),) if pictures else ()
    yield Extracted(text, title=short_line(names[0]) if len(names) == 1 else None, blocks=blocks, left_out=left_out)


def _read_components(text: str) -> list[_Component]:
    """All components in the order in which they begin, each with its own lines; what has no end reaches to the file's."""
    components: list[_Component] = []
    waiting: list[_Component] = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "QUOTED-PRINTABLE" in text[:100_000].upper():
        text = _SOFT_BREAK.sub("", text)
    for line in _FOLD.sub("", text).split("\n"):
        read = _read_property(line)
        if read is None:
            continue
        if read.name == "BEGIN" and len(waiting) < _MAX_DEPTH:
            waiting.append(_Component(read.value.strip().upper()))
            components.append(waiting[-1])
        elif read.name == "END":
            del waiting[-1:]
        elif waiting:
            waiting[-1].properties.append(read)
    return components


def _read_property(line: str) -> _Property | None:
    mark = _find_mark(line[:_LONGEST_HEAD])
    if mark < 0:
        return None
    name, *given = _split_parameters(line[:mark])
    parameters = {key.upper(): value.strip('"') for key, _, value in (each.partition("=") for each in given)}
    value = line[mark + 1 :]
    is_quoted = "QUOTED-PRINTABLE" in (*parameters, parameters.get("ENCODING", "").upper())
    if is_quoted:
        value = quopri.decodestring(value.encode("utf-8", "replace")).decode("utf-8", "replace")
    # "item1.TEL": a group of lines (RFC 6350, 3.3)
    return _Property(name.rpartition(".")[2].strip().upper(), parameters, value)


def _find_mark(line: str) -> int:
    """Where the colon before the value stands, those between quotation marks passed; -1 where there is none."""
    is_quoted = False
    for place, character in enumerate(line):
        if character == '"':
            is_quoted = not is_quoted
        elif character == ":" and not is_quoted:
            return place
    return -1


def _split_parameters(head: str) -> list[str]:
    parts, is_quoted = [""], False
    for character in head:
        is_quoted ^= character == '"'
        if character == ";" and not is_quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _add_field(draft: Draft, label: str, value: str | None) -> None:
    if value:
        draft.add(f"{label}: {value}", "\n", BlockKind.FIELD, label=label)


def _write_event(draft: Draft, event: _Component, calendar: _Component) -> None:
    draft.leave_sections()
    draft.heading(next(iter(event.lines("SUMMARY")), "Event"), 1)
    start, end, due = (event.first(name) for name in ("DTSTART", "DTEND", "DUE"))
    _add_field(draft, "When", _write_time(start) if start else None)
    # the end of whole days is the day after (RFC 5545, 3.6.1)
    _add_field(draft, "Until", _write_time(end, days=-1) if end else None)
    _add_field(draft, "Due", _write_time(due) if due else None)
    for label, name in (("Duration", "DURATION"), ("Repeats", "RRULE")):
        _add_field(draft, label, "; ".join(event.lines(name)))
    _add_field(draft, "Except", "; ".join(_write_time(each) for each in event.properties if each.name == "EXDATE"))
    _add_field(draft, "Where", "; ".join(event.lines("LOCATION")))
    for label, name in (("Organiser", "ORGANIZER"), ("Attendees", "ATTENDEE"), ("Contact", "CONTACT")):
        people = [_name_person(each) for each in event.properties if each.name == name]
        _add_field(draft, label, "; ".join(dict.fromkeys(people)))
    is_cancelled = any(each.upper() == "CANCEL" for each in calendar.lines("METHOD"))
    statuses = [each.lower().replace("-", " ") for each in event.lines("STATUS")] or ["cancelled"] * is_cancelled
    _add_field(draft, "Status", "; ".join(statuses))
    _add_field(draft, "Categories", "; ".join(event.lines("CATEGORIES")))
    _add_field(draft, "Link", "; ".join([*event.lines("URL"), *event.lines("ATTACH")]))
    for paragraph in _list_paragraphs(event):
        draft.add(paragraph)


def _list_paragraphs(event: _Component) -> Iterator[str]:
    described = event.first("DESCRIPTION")
    formatted = event.first("X-ALT-DESC")
    if described:
        yield from described.text.split("\n\n")
    elif formatted:
        yield from markup_text(formatted.text).split("\n\n")
    for comment in event.lines("COMMENT"):
        yield f"Comment: {comment}"


def _name_person(person: _Property) -> str:
    """``Ada Berg <ada@example.org> (accepted)``; what stands there where it is no address."""
    address = re.sub(r"^mailto:", "", person.line, flags=re.IGNORECASE)
    name = clean_line(person.parameters.get("CN", ""))
    shown = f"{name} <{address}>" if name and name != address else address
    answer = person.parameters.get("PARTSTAT", "").lower().replace("-", " ")
    return shown if answer in ("", "needs action") else f"{shown} ({answer})"


_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")


def _write_time(moment: _Property, days: int = 0) -> str:
    """``17 June 2024 13:00 Europe/Oslo``; whole days ``days`` later."""
    return ", ".join(_write_moment(each, moment.parameters, days) for each in moment.line.split(","))


def _write_moment(written: str, parameters: Mapping[str, str], days: int) -> str:
    match = _TIME.fullmatch(written.strip())
    try:
        day = date(int(match[1]), int(match[2]), int(match[3])) if match else None
        if day is not None and match is not None and match[4] is None:
            day += timedelta(days=days)
    except (ValueError, OverflowError):
        day = None
    if day is None or match is None:
        return written
    shown = f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
    if match[4] is None:
        return shown
    seconds = f":{match[6]}" if match[6] not in (None, "00") else ""
    # "/example.org/20240101/Europe/Oslo": a zone of a registry (RFC 5545, 3.8.3.1)
    zone = parameters.get("TZID", "")
    zone = "/".join(zone.split("/")[-2:]) if zone.startswith("/") else zone
    return clean_line(f"{shown} {match[4]}:{match[5]}{seconds} {'UTC' if match[7] else zone}")


def _list_left_out(components: Sequence[_Component]) -> Iterator[LeftOut]:
    """Reminders, and times that are busy: what a calendar holds besides what is entered in it."""
    counts = Counter(each.name for each in components)
    for name, what in (("VALARM", "reminders"), ("VFREEBUSY", "busy times")):
        if counts[name]:
            yield LeftOut(what, counts[name])


_CONTACT_FIELDS = (
    ("Nickname", "NICKNAME"),
    ("Organisation", "ORG"),
    ("Title", "TITLE"),
    ("Role", "ROLE"),
    ("Telephone", "TEL"),
    ("E-mail", "EMAIL"),
    ("Address", "ADR"),
    ("Web page", "URL"),
    ("Birthday", "BDAY"),
    ("Categories", "CATEGORIES"),
)
_NO_TYPES = frozenset(("internet", "pref", "voice", "x-internet"))


def _write_contact(draft: Draft, card: _Component) -> str:
    """Add the section of a card, and give the name."""
    structured = [" ".join(reversed(_split_value(each)[:2])) for each in card.properties if each.name == "N"]
    name = next(filter(None, (*card.lines("FN"), *structured, *card.lines("ORG"))), "Contact")
    draft.leave_sections()
    draft.heading(name, 1)
    for label, property_name in _CONTACT_FIELDS:
        for each in card.properties:
            if each.name == property_name and each.line:
                types = [kind for kind in _list_types(each) if kind not in _NO_TYPES]
                shown = ", ".join(_split_value(each)) or each.line
                _add_field(draft, label, f"{shown} ({', '.join(types)})" if types else shown)
    for each in card.properties:
        if each.name == "NOTE":
            for paragraph in each.text.split("\n\n"):
                draft.add(paragraph)
    return name


def _split_value(value: _Property) -> list[str]:
    """The parts of a value that has several, an address of street and town."""
    if value.name not in ("N", "ORG", "ADR", "NICKNAME", "CATEGORIES"):
        return [re.sub(r"^(?:tel|mailto):", "", value.line, flags=re.IGNORECASE)]
    parts = (_Property(value.name, {}, each).line for each in _LIST_MARK.split(value.value))
    return [part for part in parts if part]


def _list_types(value: _Property) -> list[str]:
    return [each.lower() for each in value.parameters.get("TYPE", "").split(",") if each]
