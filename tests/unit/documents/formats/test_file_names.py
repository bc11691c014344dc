"""Titles and dates out of names, and those inside files that a program wrote."""

import zipfile
from datetime import UTC, datetime

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.files.file_names import is_useless_title, split_date, title_from_name, trusted_date
from ascertain.documents.sources.files import read_path

DAY = datetime(2025, 10, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stem", "title"),
    [
        ("staff-meeting-2025-10-02", "Staff Meeting"),
        ("2025_10_02 Notes", "Notes"),
        ("20251002-report", "Report"),
        ("report.2025.10.02.final", "Report Final"),
        ("notes (2025-10-02)", "Notes"),
        ("2 October 2025 minutes", "Minutes"),
        ("Minutes Oct 2, 2025", "Minutes"),
        ("minutes-02-oct-2025", "Minutes"),
        ("2025-10-02T10:15 call", "Call"),
        ("20251002T101112Z-talk", "Talk"),
        ("2025-10-02", "2025-10-02"),
        ("IMG_20251002_101112", "IMG_20251002_101112"),
    ],
)
def test_a_date_in_a_name_is_the_date_and_no_part_of_the_title(stem, title):
    assert split_date(stem)[1] == DAY
    assert title_from_name(stem) == title


@pytest.mark.parametrize(
    "stem",
    [
        "20251399",
        "2025-02-30",
        "report-2099-01-01",
        "report-1969-12-31",
        "release-v2025.10.02",
        "1.2025.10.02",
        "v1.20251002",
        "id-120251002",
        "20251002123456789",
        "abc20251002",
        "2025-10-02a",
        "2025-10_02",
        "budget-2025",
        "march-2025",
        "2025-10",
        "",
    ],
)
def test_other_numbers_are_no_dates(stem):
    assert split_date(stem) == (stem, None)


@given(st.text(max_size=300))
def test_any_name_gives_a_title(stem):
    rest, _ = split_date(stem)
    assert rest or not stem
    title_from_name(stem)


@given(
    st.dates(datetime(1970, 1, 1).date(), datetime(2026, 1, 1).date()),
    st.sampled_from(["%Y-%m-%d", "%Y%m%d", "%d %B %Y"]),
)
def test_every_day_is_found(day, form):
    rest, moment = split_date(f"minutes {day.strftime(form)}")
    assert (rest, moment.date()) == ("minutes", day)


@pytest.mark.parametrize("stem", ["1" * 255, "2025-" * 51, "may " * 60, "2 may " * 40, " " * 255, "20251002" * 31])
def test_takes_no_time_whatever_is_repeated(stem):
    split_date(stem)
    is_useless_title(stem)


@pytest.mark.parametrize(
    "title",
    [
        "Untitled",
        "untitled-2",
        "Microsoft Word - doc1.docx",
        "Document1",
        "Document (2)",
        "PowerPoint Presentation",
        "Présentation PowerPoint",
        "untitled.indd",
        "tmpab12cd",
        "report_final.docx",
        "/tmp/print/x.html",
        "C:\\Users\\mia\\x.doc",
        "無題",
        "2f1b0c8e-1111-2222-3333-444455556666",
    ],
)
def test_titles_that_programs_write_are_useless(title):
    assert is_useless_title(title)


@pytest.mark.parametrize(
    "title",
    [
        "Annual report",
        "1984",
        "The document",
        "Documentation",
        "README.md",
        "Book of Hours",
        "Test plan",
        "Untitled No. 4 by Rothko",
    ],
)
def test_other_titles_stand(title):
    assert not is_useless_title(title)


def test_a_useless_title_gives_way_to_the_heading_and_then_to_the_name(read_one, a_docx):
    headed = a_docx((1, "Rules of the pier"), "Boats are moored at the pier.", title="Document1")
    assert read_one("pier.docx", headed).title == "Rules of the pier"
    assert read_one("pier-rules.docx", a_docx("Boats are moored.", title="Untitled")).title == "Pier Rules"
    assert read_one("pier.docx", a_docx((1, "Rules"), "Boats.", title="Mooring")).title == "Mooring"
    page = "<html><head><title>Untitled Document</title></head><body><h1>Tides</h1><p>The tide is high at noon today, says the table of the office.</p></body></html>"
    assert read_one("tides.html", page).title == "Tides"


def test_a_heading_of_the_text_itself_is_its_title(read_one):
    assert read_one("a.md", "# Presentation 1\n\nWords.\n\n## More\n\nWords.").title == "Presentation 1"


def test_the_date_of_a_name_stands_in_for_one_that_a_template_brings(write, tmp_path):
    path = tmp_path / "2025-10-02 Minutes.docx"
    document = docx.Document()
    document.add_paragraph("The board met.")
    document.save(str(path))
    (found,) = read_path(path)
    assert (found.title, found.published_at) == ("Minutes", DAY)
    plain = tmp_path / "minutes.docx"
    path.rename(plain)
    assert next(read_path(plain)).published_at is None


def test_the_date_that_a_document_names_is_believed_before_its_name(read_one):
    text = "---\ndate: 2024-01-31\n---\n\nWords."
    assert read_one("notes-2025-10-02.md", text).published_at == datetime(2024, 1, 31, tzinfo=UTC)
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Mia>The meeting is open.\n"
    document = read_one("staff-meeting-2025-10-02.vtt", vtt)
    assert (document.title, document.published_at) == ("Staff Meeting", DAY)


def test_files_in_archives_are_dated_by_their_own_names(write, tmp_path):
    path = tmp_path / "backup-2025-11-11.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("minutes-2025-10-02.txt", "The board met.")
        archive.writestr("rules.txt", "Boats are moored.")
    dated, undated = read_path(path)
    assert (dated.title, dated.published_at) == ("Minutes", DAY)
    assert (undated.title, undated.published_at) == ("Rules", None)


@pytest.mark.parametrize(
    ("moment", "suffix", "is_trusted"),
    [
        (datetime(2013, 12, 23, 23, 15, tzinfo=UTC), "docx", False),
        (datetime(2013, 12, 23, 12, 0, tzinfo=UTC), "docx", True),
        (datetime(2013, 1, 27, 9, 15, 58, tzinfo=UTC), "pptx", False),
        (datetime(1980, 1, 1, tzinfo=UTC), "xlsx", False),
        (datetime(1899, 12, 30, tzinfo=UTC), "ods", False),
        (datetime(1989, 5, 5, tzinfo=UTC), "pdf", False),
        (datetime(1851, 10, 18, tzinfo=UTC), "epub", True),
        (datetime(1980, 1, 1, tzinfo=UTC), "json", True),
        (datetime(2024, 5, 5, tzinfo=UTC), "docx", True),
    ],
)
def test_dates_that_programs_write_are_distrusted(moment, suffix, is_trusted):
    assert trusted_date(moment, suffix) == (moment if is_trusted else None)
