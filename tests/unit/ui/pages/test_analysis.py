"""The page of analyses, drawn by Streamlit itself from an analysis over documents in memory."""

import pytest
from streamlit.testing.v1 import AppTest

from ascertain.ui.pages.analysis import find_chosen, tabulate_means, tabulate_moods
from ascertain.wire.analysis import AnalysisJson
from ascertain.wire.shape import make_example


@pytest.fixture
def analysis():
    example = make_example(AnalysisJson)
    point = example["findings"]["trend"][0]
    other = {**point, "first": "2025-05-17", "after": "2025-05-18", "mood": -0.3}
    example["findings"]["trend"] = [point, other]
    return AnalysisJson.model_validate(example)


def test_rows_of_the_charts_are_those_of_the_trend(analysis):
    trend = analysis.findings.trend
    assert [row["day"] for row in tabulate_means(trend)] == ["2025-05-16", "2025-05-17"]
    assert tabulate_moods(trend)[0] == {"day": "2025-05-16", "mood": "positive", "documents": 1}


@pytest.mark.parametrize(
    ("selected", "first"),
    [
        ({"selection": {"day": [{"day": "2025-05-17"}]}}, "2025-05-17"),
        ({"selection": {"day": []}}, None),
        ({"selection": {}}, None),
        (None, None),
        ({"selection": {"day": [{"day": "2020-01-01"}]}}, None),
    ],
)
def test_a_click_names_the_day(analysis, selected, first):
    point = find_chosen(analysis.findings.trend, selected)
    assert (point.first if point else None) == first


def test_the_page_draws_what_was_analysed(analysis):
    def run():
        from ascertain.ui.pages.analysis import show_analysis

        show_analysis()

    app = AppTest.from_function(run, default_timeout=30)
    app.session_state["analysis"] = analysis
    app.run()
    assert not app.exception
    assert [each.label for each in app.text_input] == ["Question"]


def test_the_page_begins_with_an_example():
    def run():
        from ascertain.ui.pages.analysis import show_analysis

        show_analysis()

    app = AppTest.from_function(run, default_timeout=30).run()
    assert not app.exception
