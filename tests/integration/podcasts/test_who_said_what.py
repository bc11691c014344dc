"""Who said what, when, in which episodes: over real files, from a question to the cited answer."""

from small_knowledge import a_document

from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.passages import Filter


def told(answer: Answer) -> list[tuple[str, str, str | None, float | None, str]]:
    """Label, title, speaker, second and words of each line, as its citation has them; the label is the line above it."""
    lines = answer.text.split("\n")
    rows: list[tuple[str, str, str | None, float | None, str]] = []
    for sentence in answer.sentences:
        at = next(i for i, line in enumerate(lines) if line.endswith(sentence.text))
        label = next(lines[i] for i in range(at, -1, -1) if i == 0 or not lines[i - 1].strip())
        (number,) = sentence.citations
        citation = answer.citations[number - 1]
        assert " ".join(citation.quote.split()) == sentence.text
        rows.append((label, citation.title, citation.place.speaker, citation.place.start_time, sentence.text))
    return rows


def ask(show, question: str) -> Answer:
    return show.ask(question, use_cache=False)


def test_who_discussed_something_and_in_which_episodes(show):
    answer = ask(show, "Who discussed sourdough and in which episodes?")
    assert told(answer) == [
        ("Ben Okoro (Episode 2 Rye)", "Episode 2 Rye", "Ben Okoro", 5.0, "Ana, what is a sourdough starter?"),
        (
            "Ben Okoro (Episode 9 Prices)",
            "Episode 9 Prices",
            "Ben Okoro",
            12.5,
            "And yet people bake more sourdough than ever.",
        ),
        (
            "Ana Flores (Episode 10: Ovens)",
            "Episode 10: Ovens",
            "Ana Flores",
            0.0,
            "Sourdough wants a hot stone and plenty of steam.",
        ),
    ]
    assert "00:05  Ana, what is a sourdough starter?" in answer.text
    assert answer.type is AnswerType.SUMMARY


def test_when_somebody_talked_about_something(show):
    answer = ask(show, "When did Tyler Cowen talk about inflation?")
    assert [(row[2], row[3]) for row in told(answer)] == [("Tyler Cowen", 3.0), ("Tyler Cowen", 3723.0)]
    assert "1:02:03  Grocery inflation came down sooner than the inflation of rents." in answer.text


def test_in_which_episodes_and_by_whom(show):
    answer = ask(show, "In which episodes is sourdough mentioned and by whom?")
    assert [row[0] for row in told(answer)] == [
        "Ben Okoro (Episode 2 Rye)",
        "Ben Okoro (Episode 9 Prices)",
        "Ana Flores (Episode 10: Ovens)",
    ]


def test_what_somebody_said_about_something(show):
    answer = ask(show, "What did Ana Flores say about starters?")
    assert [(row[1], row[3], row[4]) for row in told(answer)] == [
        ("Episode 2 Rye", 9.5, "A starter is flour and water in which wild yeast lives. You feed it every day."),
        ("Episode 2 Rye", 930.0, "Rye flour wakes a tired starter within two days."),
        ("Episode 10: Ovens", 65.0, "Mine is older than I am, and the starter does not mind."),
    ]
    assert "15:30  Rye flour" in answer.text
    assert all(row[2] == "Ana Flores" for row in told(answer))


def test_a_first_name_is_enough_and_case_does_not_matter(show):
    assert [row[3] for row in told(ask(show, "when did tyler mention inflation"))] == [3.0, 3723.0]


def test_in_which_episodes_somebody_speaks(show):
    rows = told(ask(show, "In which episodes does Tyler Cowen appear?"))
    assert {row[1] for row in rows} == {"Episode 9 Prices", "Episode 10: Ovens"}
    assert {row[2] for row in rows} == {"Tyler Cowen"}


def test_a_filter_holds_for_reports_too(show):
    sources = tuple(each.source for each in show.documents() if "Ovens" in each.source)
    answer = show.ask("Who discussed sourdough?", filter=Filter(sources=sources), use_cache=False)
    assert {citation.title for citation in answer.citations} == {"Episode 10: Ovens"}


def test_what_nobody_said_is_no_report(show):
    answer = ask(show, "Who discussed thermodynamics and in which episodes?")
    assert "(" not in answer.text.split("\n")[0] or answer.type is AnswerType.REJECTION
    assert not any("thermodynamics" in sentence.text for sentence in answer.sentences)


def test_another_tenant_hears_nothing(show):
    other = show.as_tenant("somebody-else")
    other.add_documents([a_document("note", "Rivers carry sand to the sea.", "somebody-else")])
    answer = other.ask("Who discussed sourdough?", use_cache=False)
    assert not any("sourdough" in sentence.text for sentence in answer.sentences)
