from analysis_documents import a_map


def names_of(text: str) -> set[str]:
    return {name for name, _ in a_map("What was said", text).names}


def test_an_article_between_two_names_joins_them_to_none():
    assert {"Gensler", "SEC"} <= names_of("Under Gensler the SEC sued three exchanges.")
    assert "Bank of the West" in names_of("The loan came from Bank of the West.")


def test_what_somebody_is_belongs_to_no_name():
    found = names_of("It hurts striker Emeka Duru. Striker Emeka Duru scored for Councillor Beatrice Amoah.")
    assert {"Emeka Duru", "Beatrice Amoah"} <= found
    assert not any("Striker" in name or "Councillor" in name for name in found)
    assert "General Motors" in names_of("Traders sold General Motors.")


def test_a_body_of_two_subjects_is_named_whole():
    found = names_of("The Securities and Exchange Commission declined to comment.")
    assert "Securities and Exchange Commission" in found
    assert "Exchange Commission" not in found
    assert "Elon Musk" in names_of("He met Trump and Elon Musk.")
