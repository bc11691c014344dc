import pytest

from ascertain.documents.formats.drafts.numerals import letter_numeral, repeated_letter, roman_numeral, write_number


@pytest.mark.parametrize(
    ("number", "roman", "letter", "repeated"),
    [
        (1, "i", "a", "a"),
        (4, "iv", "d", "d"),
        (26, "xxvi", "z", "z"),
        (28, "xxviii", "ab", "bb"),
        (1994, "mcmxciv", "bxr", "1994"),
        (0, "0", "0", "0"),
        (-3, "-3", "-3", "-3"),
        (4000, "4000", "ewv", "4000"),
    ],
)
def test_numbers_stand_in_roman_numerals_and_letters(number, roman, letter, repeated):
    assert (roman_numeral(number), letter_numeral(number), repeated_letter(number)) == (roman, letter, repeated)


@pytest.mark.parametrize(
    ("number", "style", "shown"),
    [
        (4, "upperRoman", "IV"),
        (4, "lowerLetter", "d"),
        (4, "decimalZero", "04"),
        (22, "ordinal", "22nd"),
        (21, "ordinalText", "Twenty-first"),
        (6, "chicago", "††"),
        (4, "I", "IV"),
        (4, "", ""),
        (4, "klingon", "4"),
    ],
)
def test_numbers_stand_in_the_styles_of_office_files(number, style, shown):
    assert write_number(number, style) == shown
