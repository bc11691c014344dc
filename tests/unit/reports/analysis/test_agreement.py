from analysis_documents import a_map

from ascertain.reports.analysis.agreement import find_agreements, find_contradictions


def whys(*told: tuple[str, str]) -> list[str]:
    return [
        each.why
        for each in find_contradictions([a_map(f"Report {n}", text, source) for n, (source, text) in enumerate(told)])
    ]


def test_two_sources_differ_on_a_move_of_one_day():
    one, other = "Bitcoin rose 4 % on 12 May 2025.", "Bitcoin fell 4 % on 12 May 2025."
    assert whys(("A", one), ("B", other)) == ["Bitcoin on 12 May 2025: one says that it rose, the other that it fell"]
    assert whys(("A", one), ("B", "Bitcoin gained 7.5 % on 12 May 2025.")) == ["Bitcoin on 12 May 2025: 4 % or 7.5 %"]


def test_one_source_may_tell_of_two_moves_of_a_day():
    assert whys(("A", "Bitcoin rose 4 % on 12 May 2025."), ("A", "Bitcoin fell 2 % on 12 May 2025.")) == []


def test_rounded_sizes_agree():
    maps = [
        a_map("One", "Bitcoin rose 4.1 % on 12 May 2025.", "A"),
        a_map("Two", "Bitcoin gained 4 % on 12 May 2025.", "B"),
    ]
    (found,) = find_agreements(maps)
    assert found.sources == ("A", "B")
    assert find_contradictions(maps) == []


def test_two_amounts_of_one_theft():
    assert whys(
        ("A", "Attackers stole 41 million dollars from the platform Marlow Vault on Tuesday."),
        ("B", "Attackers stole 55 million dollars from the platform Marlow Vault on Tuesday, police said."),
    ) == ["Marlow Vault: 41 million dollars or 55 million dollars"]


def test_what_one_says_and_another_denies():
    assert whys(
        ("A", "Drayton Swap has stopped all withdrawals of its customers."),
        ("B", "Drayton Swap denied that it has stopped all withdrawals of its customers."),
    ) == ["Drayton Swap: one says it, the other denies it"]


def test_like_sentences_on_two_things_are_no_contradiction():
    assert (
        whys(
            ("A", "The report of Vantor has 34 pages in English."),
            ("B", "The report of Pellworth has 91 pages in English."),
        )
        == []
    )
    assert whys(("A", "Bitcoin traded at 90 dollars."), ("B", "Solana traded at 70 dollars.")) == []


def test_a_figure_of_another_day_is_no_contradiction():
    maps = [
        a_map("Monday", "Ether changed hands at $2,304 in quiet trading in New York.", "A", "2025-05-12"),
        a_map("Tuesday", "Ether changed hands at $2,265 in quiet trading in New York.", "B", "2025-05-13"),
    ]
    assert find_contradictions(maps) == []
