import pytest

from ascertain.answering.writing.language import find_other_language, find_wanted_language

ENGLISH = "The bridge was built in 1912 by Ada Stone, and it carries two lanes of traffic over the Elm."
GERMAN = "Die Brücke wurde 1912 von Ada Stone gebaut, und sie trägt zwei Fahrspuren über die Elm."
UKRAINIAN = "Міст був побудований у 1912 році, і він має дві смуги для руху через річку."


@pytest.mark.parametrize(
    ("question", "setting", "code"),
    [
        ("Who built the bridge?", "", "en"),
        ("Wer hat die Brücke gebaut?", "", "de"),
        ("Who built the bridge?", "German", "de"),
        ("Wer hat die Brücke gebaut?", "en", "en"),
        ("Who built the bridge?", "the Queen's English", None),
        ("AS-206?", "", None),
    ],
)
def test_the_language_wanted_is_that_of_the_setting_or_the_question(question, setting, code):
    assert find_wanted_language(question, setting) == code


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        (ENGLISH, "en", None),
        (GERMAN, "de", None),
        (ENGLISH, "de", "en"),
        (GERMAN, "en", "de"),
        (UKRAINIAN, "en", "uk"),
        (GERMAN, None, None),
        ("Ada Stone, 1912", "de", None),
        (f'It says: "{GERMAN}" The bridge is of stone and was opened in May.', "en", None),
        ("Los Angeles, San Francisco, Santa Fe, El Paso and La Paz are on the list of the cities.", "en", None),
    ],
)
def test_finds_an_answer_in_another_language(text, wanted, found):
    assert find_other_language([text], wanted) == found
