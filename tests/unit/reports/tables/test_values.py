"""Cells as values."""

import pytest

from ascertain.reports.tables.values import (
    clean_cell,
    guess_decimal_mark,
    is_month_first,
    read_amount,
    read_date,
    read_duration,
    read_yes_no,
)


@pytest.mark.parametrize(
    ("cell", "value", "before", "unit"),
    [
        ("1,284", 1284, "", ""),
        ("$1,350,000", 1350000, "$", ""),
        ("-7.1", -7.1, "", ""),
        ("−7.1", -7.1, "", ""),
        ("(1,200.50)", -1200.5, "", ""),
        ("12.5 %", 12.5, "", "%"),
        ("1,200 MW", 1200, "", "MW"),
        ("3.5 million", 3_500_000, "", ""),
        ("£2.25", 2.25, "£", ""),
        ("19.00 €", 19, "", "€"),
        ("EUR 40", 40, "EUR", ""),
        ("1.5e3", 1500, "", ""),
        ("12 500", 12500, "", ""),
        ("1'250.75", 1250.75, "", ""),
    ],
)
def test_amounts_are_read_with_separators_currencies_and_units(cell, value, before, unit):
    amount = read_amount(cell)
    assert amount is not None
    assert (amount.value, amount.before, amount.unit) == (pytest.approx(value), before, unit)


@pytest.mark.parametrize(
    "cell", ["", "A-100", "12 Main Street", "3:12", "1,23,4", "two", "=SUM(A1:A9)", "12-14", "1.2.3"]
)
def test_what_is_no_amount_is_none(cell):
    assert read_amount(cell) is None


def test_the_cells_of_a_column_say_which_sign_stands_before_decimals():
    assert guess_decimal_mark(["1.234,50", "7,00"]) == ","
    assert guess_decimal_mark(["1,234", "1,234.50"]) == "."
    assert guess_decimal_mark(["12,345"]) == "."
    amount = read_amount("1.234,50", ",")
    assert amount is not None
    assert amount.value == 1234.5


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2025-09-03", "2025-09-03"),
        ("2012/01/01", "2012-01-01"),
        ("1887-05-12 00:00:00", "1887-05-12"),
        ("03.09.2025", "2025-09-03"),
        ("3 March 2025", "2025-03-03"),
        ("Mar 1 2008", "2008-03-01"),
        ("March 14, 2024", "2024-03-14"),
        ("2025-09", "2025-09"),
        ("Sept 2025", "2025-09"),
        ("August", "--08"),
        ("31/12/24", "2024-12-31"),
    ],
)
def test_days_are_read_in_the_forms_people_write(cell, day):
    assert read_date(cell) == day


@pytest.mark.parametrize("cell", ["32.01.2025", "1234", "Mayor", "12 March of some year", "2025-13-01"])
def test_what_is_no_day_is_none(cell):
    assert read_date(cell) is None


def test_months_come_first_where_a_second_part_is_no_month():
    assert is_month_first(["01/02/2024", "12/31/2024"])
    assert not is_month_first(["01/02/2024", "31/12/2024"])
    assert read_date("12/11/2024", day_first=False) == "2024-12-11"


def test_durations_yes_no_and_empty_cells():
    assert read_duration("3:12:45") == 3 * 3600 + 12 * 60 + 45
    assert read_duration("3.12") is None
    assert (read_yes_no("Yes"), read_yes_no("FALSE"), read_yes_no("maybe")) == (True, False, None)
    assert [clean_cell(cell) for cell in ("N/A", "–", "[hidden] 4", "**bold**", "0")] == ["", "", "4", "bold", "0"]
