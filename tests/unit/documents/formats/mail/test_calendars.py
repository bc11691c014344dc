import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import LeftOut
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import read_path

EVENT = """BEGIN:VCALENDAR
VERSION:2.0
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Oslo
END:VTIMEZONE
BEGIN:VEVENT
UID:1@x
DTSTART;TZID=Europe/Oslo:20240617T130000
DTEND;TZID=Europe/Oslo:20240617T140000
SUMMARY:Hull inspect
 ion
LOCATION:Dry dock two\\, quay 4
ORGANIZER;CN="Berg, Ada":mailto:ada@example.org
ATTENDEE;CN=Bo;PARTSTAT=ACCEPTED:MAILTO:bo@example.org
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:cy@example.org
RRULE:FREQ=WEEKLY;COUNT=3
DESCRIPTION:Bring the drawings.\\n\\nHelmets are worn.
CATEGORIES:docks
COMMENT:Moved from May
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
END:VCALENDAR
"""


def test_an_invitation_is_read_with_its_times_as_they_are_written(read_one):
    document = read_one("invite.ics", EVENT.replace("\n", "\r\n"))
    assert document.title == "Hull inspection"
    assert document.author == "Berg, Ada <ada@example.org>"
    assert document.text == (
        "Hull inspection\n"
        "When: 17 June 2024 13:00 Europe/Oslo\n"
        "Until: 17 June 2024 14:00 Europe/Oslo\n"
        "Repeats: FREQ=WEEKLY;COUNT=3\n"
        "Where: Dry dock two, quay 4\n"
        "Organiser: Berg, Ada <ada@example.org>\n"
        "Attendees: Bo <bo@example.org> (accepted); cy@example.org\n"
        "Categories: docks\n\n"
        "Bring the drawings.\n\nHelmets are worn.\n\nComment: Moved from May"
    )
    assert [block.label for block in document.blocks_of(BlockKind.FIELD)][:3] == ["When", "Until", "Repeats"]
    assert document.completeness.left_out == (LeftOut("reminders", 1),)


def calendar(*lines):
    return "\n".join(("BEGIN:VCALENDAR", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR", ""))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["DTSTART:20240617T110000Z"], "When: 17 June 2024 11:00 UTC"),
        (["DTSTART:20240617T110030"], "When: 17 June 2024 11:00:30"),
        (["DTSTART;VALUE=DATE:20240617", "DTEND;VALUE=DATE:20240619"], "When: 17 June 2024\nUntil: 18 June 2024"),
        (["DTSTART;TZID=/example.org/20240101/Europe/Oslo:20240617T130000"], "When: 17 June 2024 13:00 Europe/Oslo"),
        (["DTSTART:20241399T990000"], "When: 20241399T990000"),
        (["DTSTART:next week"], "When: next week"),
        (["STATUS:CANCELLED"], "Status: cancelled"),
    ],
)
def test_times(read_one, lines, expected):
    assert read_one("a.ics", calendar("SUMMARY:S", *lines)).text == f"S\n{expected}"


def test_each_event_is_a_section(read_one):
    text = EVENT + calendar("SUMMARY:Launch", "LOCATION:Slip one")
    document = read_one("all.ics", text)
    assert [block.place.section for block in document.blocks_of(BlockKind.SECTION)] == [
        ("Hull inspection",),
        ("Launch",),
    ]
    assert [block.place.part for block in document.blocks_of(BlockKind.PART)] == ["event 1", "event 2"]


def test_contacts(read_one):
    card = (
        "BEGIN:VCARD\nVERSION:3.0\nN:Berg;Ada;;;\nFN:Ada Berg\nORG:Norsk Havn;Docks\nTEL;TYPE=WORK,VOICE:+47 55 11\n"
        "item1.EMAIL;TYPE=INTERNET:ada@example.org\nADR;TYPE=WORK:;;Quay Street 5;Bergen;;5020;Norway\n"
        "NOTE:Speaks Norwegian\\, German\nPHOTO;ENCODING=b:AAAA\nEND:VCARD\n"
    )
    document = read_one("ada.vcf", card)
    assert document.title == "Ada Berg"
    assert document.text == (
        "Ada Berg\nOrganisation: Norsk Havn, Docks\nTelephone: +47 55 11 (work)\nE-mail: ada@example.org\n"
        "Address: Quay Street 5, Bergen, 5020, Norway (work)\n\nSpeaks Norwegian, German"
    )
    assert document.completeness.left_out == (LeftOut("pictures", 1),)


@pytest.mark.parametrize("name", ["a.ics", "a.vcf"])
@pytest.mark.parametrize("content", ["no calendar", "BEGIN:VCALENDAR\n" * 5000, "BEGIN:VEVENT" + ";x" * 90_000 + '"'])
def test_what_is_none_is_refused_in_a_line(write, name, content):
    with pytest.raises(SourceError, match=rf"^{name}: no (event|contact|readable text)[^\n]+$"):
        list(read_path(write(name, content)))


WORDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6))
def test_no_two_fields_touch(tmp_path_factory, events):
    path = tmp_path_factory.mktemp("calendars") / "a.ics"
    path.write_text("".join(calendar(f"SUMMARY:s{name}", f"LOCATION:l{place}") for name, place in events))
    (document,) = read_path(path)
    assert document.text.split() == [word for name, place in events for word in (f"s{name}", "Where:", f"l{place}")]
