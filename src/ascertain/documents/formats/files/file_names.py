"""What the name of a file says of its text: a title and a date; and which titles and dates inside a file say nothing."""

import re
import tomllib
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.plain.text import is_section_name
from ascertain.documents.formats.reader import Extracted
from ascertain.language.dates import MONTH, month_number
from ascertain.language.word_lists import load_alternatives, load_pattern, load_word_set

_SEPARATORS = re.compile(r"[-_+\s]+")
_ACRONYMS = load_word_set("titles", "acronyms")


def title_from_name(stem: str) -> str:
    """``founders-talk-38`` → ``Founders Talk 38``; names with spaces or capitals keep their case. A date is cut off, unless it is all."""
    name, moment = split_date(stem)
    if moment and name == stem:
        return stem
    stem = name
    words = [word for word in _SEPARATORS.split(stem) if word]
    if any(character.isupper() for character in stem):
        return " ".join(words) or stem
    return " ".join(word.upper() if word in _ACRONYMS else word[0].upper() + word[1:] for word in words) or stem


# Dates. A run of digits that is longer, a version (v2025.10.02) or a number with decimals is none.

_BEFORE = r"(?<![0-9A-Za-z])(?<![0-9][.,])"
_AFTER = r"(?![0-9])(?![.,][0-9])(?![A-Za-z](?<![Tt]))"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NUMBERS = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_NAMED = MONTH.replace("?:", "?P<name>", 1)
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_GAP = r"[-_ .,]{0,3}"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BEFORE}{_YEAR}(?P<mark>[-_. ]){_NUMBERS[0]}(?P=mark){_NUMBERS[1]}{_AFTER}",
        rf"{_BEFORE}{_YEAR}{_NUMBERS[0]}{_NUMBERS[1]}{_AFTER}",
        rf"{_BEFORE}{_DAY}{_GAP}{_NAMED}{_GAP}{_YEAR}{_AFTER}",
        rf"{_BEFORE}{_NAMED}{_GAP}{_DAY}[-_ .,]{{1,3}}{_YEAR}{_AFTER}",
        rf"{_BEFORE}{_YEAR}{_GAP}{_NAMED}{_GAP}{_DAY}{_AFTER}",
    )
)
_EARLIEST_YEAR = 1970
_TIME = re.compile(r"^[T_ -]?(?:[01]\d|2[0-3])[-_.:h]?[0-5]\d(?:[-_.:]?[0-5]\d)?Z?(?![0-9A-Za-z])")
"""A time of day behind a date, as cameras and recorders write it: ``20251002_101112``."""
_LONGEST_NAME = 255


def split_date(stem: str) -> tuple[str, datetime | None]:
    """The name of a file without the one date in it, and the date at midnight UTC; the name as it is where it has none, or nothing else."""
    name = stem.replace("_", " ")[:_LONGEST_NAME]
    for form in _FORMS:
        for match in form.finditer(name):
            if moment := _date_of(match):
                end = match.end() + (time.end() if (time := _TIME.match(name[match.end() :])) else 0)
                rest = f"{stem[: match.start()].rstrip(_EDGES)} {stem[end:].lstrip(_EDGES)}".strip()
                rest = re.sub(r"[(\[]\s?[)\]]", "", rest).strip(_EDGES)
                return (rest if any(map(str.isalpha, rest)) and not is_useless_title(rest) else stem), moment
    return stem, None


_EDGES = "-_ .,;"


def _date_of(found: re.Match[str]) -> datetime | None:
    groups = found.groupdict()
    month = month_number(groups["name"]) if groups.get("name") else int(groups["month"])
    try:
        moment = datetime(int(groups["year"]), month, int(groups["day"]), tzinfo=UTC)
    except ValueError:
        return None
    return moment if _EARLIEST_YEAR <= moment.year <= datetime.now(UTC).year + 1 else None


# What programs write

_USELESS = re.compile(load_pattern("titles", "automatic", "mul"), re.IGNORECASE)
_ENDINGS = load_alternatives("titles", "file_names", "mul").replace(" ", "|")
_FILE = re.compile(
    rf".{{0,300}}\.(?:{_ENDINGS})|(?:file:|[a-z]:\\|/(?:tmp|home|var|users)/|about:).{{0,300}}"
    r"|~?\$?tmp[-_]?[0-9a-z]{4,40}|\{?[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?",
    re.IGNORECASE,
)


def is_useless_title(title: str) -> bool:
    """Whether a program wrote a title on its own (``Untitled 1``, ``Microsoft Word - doc1.docx``): it says nothing of the text."""
    line = clean_line(title)[:_LONGEST_NAME].strip(" .")
    return bool(not line or _USELESS.fullmatch(line) or _FILE.fullmatch(line))


def choose_title(extracted: Extracted, stem: str) -> str:
    """The title of a text in a file with a name of that ``stem``: its own, or its first heading where that says nothing, or the name."""
    if extracted.title is None:
        return title_from_name(stem)
    headings = [block.place.section[0] for block in extracted.blocks if block.kind is BlockKind.SECTION]
    if extracted.title in headings or not is_useless_title(extracted.title):
        return extracted.title
    heading = next(iter(headings), "")
    is_title = heading and not is_section_name(heading) and not is_useless_title(heading)
    return heading if is_title else title_from_name(stem)


def trusted_date(moment: datetime | None, suffix: str) -> datetime | None:
    """``moment``, a date in a file of the format ``suffix``; None for one that a program wrote on its own."""
    data = _load_template_dates()
    if moment is None or suffix not in data["formats"]:
        return moment
    day = date(moment.year, moment.month, moment.day)
    if moment.year < data["since"] or day in data["days"] or moment.replace(tzinfo=None) in data["moments"]:
        return None
    return moment


@cache
def _load_template_dates() -> dict[str, Any]:
    lists = tomllib.loads(files("ascertain.documents.formats.files").joinpath("template_dates.toml").read_text("utf-8"))
    return {
        "moments": frozenset(map(datetime.fromisoformat, lists["moments"]["times"])),
        "days": frozenset(map(date.fromisoformat, lists["days"]["dates"])),
        "since": int(lists["programs"]["since"]),
        "formats": frozenset(str(lists["programs"]["formats"]).split()),
    }
