"""A claim that the rows of a table decide is computed: by ``check``, and where a question asks whether it is so."""

from __future__ import annotations

import pytest

from ascertain import Ascertain
from ascertain.core.reports.research import ClaimVerdict
from ascertain.core.settings import Settings

REVENUE = "Month,Revenue\nOctober,5200\nNovember,6100\nDecember,4800\n"
LETTER = "To all of us: November had the highest revenue of the autumn. October had the lowest revenue."


@pytest.fixture
def knowledge(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "revenue.csv").write_text(REVENUE)
    with Ascertain(Settings(home=tmp_path / "kb")) as opened:
        opened.add([str(folder)])
        yield opened


@pytest.mark.parametrize(
    ("claim", "verdict", "said"),
    [
        ("November had the highest revenue.", ClaimVerdict.SUPPORTED, "November has the highest Revenue, 6100"),
        ("October had the lowest revenue.", ClaimVerdict.CONTRADICTED, "December has the lowest Revenue, 4800"),
    ],
)
def test_rows_decide_what_no_sentence_says(knowledge, claim, verdict, said):
    checked = knowledge.research.check_claim(claim)
    assert checked.check.verdict is verdict
    assert said in checked.check.reason
    quotes = " ".join(citation.quote for citation in checked.citations)
    assert "Month | Revenue" in quotes
    assert said.partition(" ")[0] in quotes


def test_where_a_sentence_says_otherwise_both_are_shown(knowledge, tmp_path):
    letter = tmp_path / "letter.md"
    letter.write_text(LETTER)
    knowledge.add([str(letter)])
    agreed = knowledge.research.check_claim("November had the highest revenue.")
    assert agreed.check.verdict is ClaimVerdict.SUPPORTED
    disputed = knowledge.research.check_claim("October had the lowest revenue.")
    assert disputed.check.verdict is ClaimVerdict.NOT_ESTABLISHED
    assert disputed.check.reason == "the sources say both"
    assert disputed.check.evidence_for
    assert disputed.check.evidence_against


def test_a_question_whether_it_is_so_gets_the_figure(knowledge):
    answer = knowledge.ask("Is it true that October had the lowest revenue?")
    assert "December" in answer.text
    assert not answer.text.startswith(("Supported", "Yes"))
