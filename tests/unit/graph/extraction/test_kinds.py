import pytest

NEWS = [
    ("They work at the University of Vienna.", "University of Vienna", "Organisation"),
    ("They bought Patomak Global Partners.", "Patomak Global Partners", "Organisation"),
    ("We met the physicist Nuria Ferrer.", "Nuria Ferrer", "Person"),
    ("We met Nuria Ferrer, who sang.", "Nuria Ferrer", "Person"),
    ("They gave it to Nuria Ferrer (born 1950).", "Nuria Ferrer", "Person"),
    ("Nuria Ferrer was born in May.", "Nuria Ferrer", "Person"),
    ("Nuria Ferrer is a Spanish painter.", "Nuria Ferrer", "Person"),
    ("It was George T. Solomon.", "George T. Solomon", "Person"),
    ("He lives in Nashville.", "Nashville", "Place"),
    ("He sailed Lake Travis.", "Lake Travis", "Place"),
    ("It was the 1920 Summer Olympics.", "1920 Summer Olympics", "Event"),
    ("They fought the Battle of Drepana.", "Battle of Drepana", "Event"),
    ("They shipped GPT-4 and more.", "GPT-4", "Product/Asset"),
    ('He read "Night Moves Again" often.', "Night Moves Again", "Product/Asset"),
    ("The Prestige is a 2006 film.", "Prestige", "Product/Asset"),
    ("Annelies Xaph called.", "Annelies Xaph", "Person"),
    ("They owe Brambleworks B.V. money.", "Brambleworks B.V.", "Organisation"),
]


@pytest.mark.parametrize(("text", "name", "kind"), NEWS)
def test_kinds_come_from_the_words_of_the_name_and_around_it(kinds, text, name, kind):
    assert kinds(text)[name] == kind


def test_nothing_is_said_of_a_name_of_which_nothing_is_known(kinds):
    assert kinds("They like Xaphista a lot.") == {"Xaphista": ""}


def test_a_kind_that_the_profile_does_not_know_is_left_out(kinds):
    assert kinds("He lives in Nashville.", profile="docs") == {"Nashville": ""}


def test_one_place_that_tells_the_kind_tells_it_for_the_document(kinds):
    assert kinds("They like Nuria Ferrer. Nuria Ferrer was born in May.") == {"Nuria Ferrer": "Person"}


@pytest.mark.parametrize(
    ("profile", "head", "kind"),
    [
        ("podcasts", "code review", "Practice"),
        ("podcasts", "revenue growth", "Outcome"),
        ("podcasts", "conference organizing", "Practice"),
        ("podcasts", "developer productivity", "Outcome"),
        ("podcasts", "machine learning", "Concept"),
        ("podcasts", "garbage collector", "Concept"),
        ("papers", "gradient network", "Method"),
        ("papers", "travel benchmark", "Dataset"),
        ("papers", "label accuracy", "Metric"),
        ("papers", "speech recognition", "Task"),
        ("docs", "session token", "Component"),
        ("docs", "blue whale", "Concept"),
    ],
)
def test_terms_are_of_the_kind_of_their_last_word_as_the_profile_has_it(kinds, profile, head, kind):
    assert kinds(f"The {head} is here. By a {head}, then. We had no {head} before.", profile=profile) == {head: kind}


def test_code_is_a_command_or_a_component(kinds):
    assert kinds("Use `graph build` and `retries`.", profile="docs") == {
        "graph build": "Command",
        "retries": "Component",
    }


def test_an_abbreviation_is_of_the_kind_of_what_it_stands_for(kinds):
    assert kinds("The European Central Bank (ECB) met.")["ECB"] == "Organisation"


def test_an_employer_and_ordinary_words_are_no_person(kinds):
    found = kinds("It was Jane Xaph from Pika, who sang. They had Wonderful, who sang.")
    assert (found["Jane Xaph"], found["Pika"] == "Person", found.get("Wonderful", "")) == ("Person", False, "")


def test_people_are_known_in_every_profile(kinds):
    assert kinds("They called Annelies Xaph.", profile="docs") == {"Annelies Xaph": "Person"}
