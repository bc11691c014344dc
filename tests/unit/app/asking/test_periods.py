"""What a refusal says of the period that was asked about."""

from datetime import UTC, datetime
from pathlib import Path

from small_knowledge import WordHashes, a_document

from ascertain import Ascertain, Settings
from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.runs import FixedClock


def test_a_refusal_says_that_nothing_is_from_the_period_and_how_new_the_newest_is(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2024, 12, 5, 18, tzinfo=UTC))
    with Ascertain(Settings(home=tmp_path / "kb"), clock=clock, embedder=WordHashes()) as knowledge:
        knowledge.add_documents(
            [
                a_document(
                    "tram", "The harbour tram runs every ten minutes.", published_at=datetime(2024, 10, 2, tzinfo=UTC)
                ),
                a_document("ferry", "The harbour ferry sails at noon.", published_at=datetime(2024, 10, 9, tzinfo=UTC)),
            ]
        )
        asked = knowledge.ask("Who won the chess tournament in the harbour this month?", use_cache=False)
        assert asked.type is AnswerType.REJECTION
        assert "dated 1 December 2024 to 31 December 2024; the newest found is from 9 October 2024." in asked.text
        undated = knowledge.ask("Who won the chess tournament in the harbour?", use_cache=False)
        assert undated.type is AnswerType.REJECTION
        assert "dated" not in undated.text
