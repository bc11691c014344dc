import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.documents.formats.office.sheets.number_formats import parse_format


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("General", 1e-07, "0.0000001"),
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 5400, "5400"),
        ("General", 1e25, "1E+25"),
        ('#,##0.00 "EUR"', 1234.5, "1,234.50 EUR"),
        ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
        ("0.0 %", 0.175, "17.5 %"),
        ('0" kg"', 300, "300 kg"),
        ('"up to "0" people"', 42, "up to 42 people"),
        ("0.00", 0.125, "0.13"),
        ("0.00", -0.001, "0.00"),
        ("#.##", 0.5, ".5"),
        ("000", 7, "007"),
        ("000-00-0000", 123456789, "123-45-6789"),
        ("(###) ###-####", 5551234567, "(555) 123-4567"),
        ("#,##0.00;[Red](#,##0.00)", -3.5, "(3.50)"),
        ('0;-0;"none"', 0, "none"),
        ("0;;", -5, ""),
        ('_-* #,##0.00 €_-;-* #,##0.00 €_-;_-* "-"?? €_-;_-@_-', -1234.5, "-1,234.50 €"),
        ('_-* #,##0.00 €_-;-* #,##0.00 €_-;_-* "-"?? €_-;_-@_-', 0, "- €"),
        ('0.0,,"M"', 12_000_000, "12.0M"),
        ('[<10]"few";[>=10]"many";General', 5, "few"),
        ('[<10]"few";[>=10]"many";General', 15, "many"),
        ("0.00E+00", 1_234_567, "1.23E+06"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("# ?/?", 5.25, "5 1/4"),
        ("# ?/8", 5.25, "5 2/8"),
        ("# ??/??", 0.5, "1/2"),
        ("dd.mm.yyyy", 46113, "01.04.2026"),
        ("yyyy-mm-dd h:mm", 46144.59375, "2026-05-02 14:15"),
        ("h:mm AM/PM", 0.3958, "9:29 AM"),
        ("[h]:mm", 1.104166666666667, "26:30"),
        ("mm:ss.0", 0.0000173611, "00:01.5"),
        ("[$-407]d. mmmm yyyy", 46144, "2. Mai 2026"),
        ("dddd, d mmm yy", 46144, "Saturday, 2 May 26"),
        ("d mmm yyyy", 1, "1 Jan 1900"),
        ("yyyy-mm-dd", -5, "-5"),
    ],
)
def test_shows_numbers_as_a_spreadsheet_does(code, value, shown):
    assert parse_format(code)[0](value) == shown


def test_counts_days_from_1904_where_the_workbook_does():
    assert parse_format("yyyy-mm-dd", 1462)[0](0) == "1904-01-01"
    assert parse_format("[h]:mm", 1462)[0](1.5) == "36:00"


def test_shows_texts_in_the_part_for_texts():
    assert parse_format('0;-0;0;"Mr "@')[1]("Aas") == "Mr Aas"
    assert parse_format("0.00")[1]("Aas") == "Aas"


@given(st.text('0#?.,%/;[]<>=-hmsdyEe+"\\_*@AMP ', max_size=40), st.floats(allow_nan=False, allow_infinity=False))
def test_any_code_shows_something_in_one_line(code, value):
    shown = parse_format(code)[0](value)
    assert "\n" not in shown
    assert shown == shown.strip()


@given(st.integers(-(10**9), 10**9))
def test_no_digit_is_lost_or_added(number):
    assert parse_format("#,##0")[0](number).replace(",", "") == str(number)
    assert parse_format("0 0")[0](number).replace(" ", "").lstrip("-0") == str(abs(number)).lstrip("0")
