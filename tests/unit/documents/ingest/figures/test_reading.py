"""Pictures are described once, remembered, and cost nothing again; a model that fails costs no document."""

from dataclasses import replace

import pytest

from ascertain.core.documents.blocks import BlockKind, Figure, Place
from ascertain.core.documents.documents import Completeness, Document, DocumentKind, LeftOut
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.documents.formats.reader import Picture
from ascertain.documents.ingest.figures.describing import FigureEstimate
from ascertain.documents.ingest.figures.reading import FigureStep
from ascertain.documents.ingest.preparing import Finished, Found, Unreadable
from ascertain.stores.home.figure_descriptions import FILE, FigureDescriptions

TEXT = "The words before it.\n\nThe words behind it."


class Describer:
    """Says what it is told to say of each picture."""

    model = "seer"

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def describe(self, picture, document):
        self.asked.append(picture.digest)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def estimate(self, pictures):
        return FigureEstimate(len(pictures), 100 * len(pictures), 0.01 * len(pictures))


def a_picture(name="a", position=20):
    return Picture(name * 64, b"png", "image/png", (400, 300), position, Place(), "")


def a_document(text=TEXT, pictures=1, identity="d"):
    completeness = Completeness(8, (LeftOut("pictures", pictures, names=("chart.png",)),))
    return Document(identity, text, "Report", DocumentKind.PROSE, f"/{identity}.docx", completeness=completeness)


@pytest.fixture
def memory(tmp_path):
    return FigureDescriptions(tmp_path)


def run(step, *items):
    return list(step.describe_found(iter(items), lambda: True))


def a_step(describer, memory, stored=None, **options):
    return FigureStep(describer, memory, lambda _: stored, **options)


def test_a_picture_is_described_and_does_not_count_as_left_out(memory):
    step = a_step(Describer("A chart with bars."), memory)
    [found] = run(step, Found(a_document(), 5, (a_picture(),)))
    assert "before it.\n\n[figure, described by seer] A chart with bars.\n\nThe words behind" in found.document.text
    assert found.document.completeness == Completeness(8)
    assert (step.gain.described, step.gain.remembered, step.gain.waiting) == (1, 0, 0)


def test_what_was_described_is_never_asked_again(memory):
    run(a_step(Describer("A chart."), memory), Found(a_document(), 5, (a_picture(),)))
    describer = Describer(ModelError("must not be asked"))
    step = a_step(describer, memory)
    [again, other] = run(
        step, Found(a_document(), 5, (a_picture(),)), Found(a_document(identity="other"), 5, (a_picture(),))
    )
    assert describer.asked == []
    assert "A chart." in again.document.text
    assert "A chart." in other.document.text
    assert step.gain.remembered == 2


def test_another_model_is_asked_anew_and_another_tenant_sees_nothing_of_it(memory):
    run(a_step(Describer("A chart."), memory), Found(a_document(), 5, (a_picture(),)))
    describer = Describer("Another view.")
    describer.model = "other"
    [found] = run(a_step(describer, memory), Found(a_document(), 5, (a_picture(),)))
    assert "[figure, described by other] Another view." in found.document.text
    stranger = Describer("A stranger's view.")
    run(a_step(stranger, memory), Found(replace(a_document(), tenant="acme"), 5, (a_picture(),)))
    assert stranger.asked == [a_picture().digest]


def test_descriptions_in_the_store_cost_nothing_either(memory, tmp_path):
    [found] = run(a_step(Describer("A chart."), memory), Found(a_document(), 5, (a_picture(),)))
    (tmp_path / FILE).unlink()
    describer = Describer(ModelError("must not be asked"))
    step = a_step(describer, FigureDescriptions(None), stored=found.document)
    [again] = run(step, Found(a_document(), 5, (a_picture(),)))
    assert again.document.content_hash == found.document.content_hash


def test_what_is_deferred_is_priced_and_the_document_added_without(memory):
    describer = Describer("never")
    step = a_step(describer, memory, defers=True)
    [found] = run(step, Found(a_document(pictures=2), 5, (a_picture("a"), a_picture("b"))))
    assert describer.asked == []
    assert found.document.text == TEXT
    assert found.document.completeness.left_out[0].count == 2
    gain = step.gain
    assert (gain.waiting, gain.waiting_tokens, gain.waiting_usd) == (2, 200, 0.02)
    assert gain.waiting_in == ("/d.docx",)
    assert gain.reasons == ()


def test_a_decorative_picture_is_remembered_as_one_and_stays_left_out(memory):
    step = a_step(Describer(""), memory)
    [found] = run(step, Found(a_document(), 5, (a_picture(),)))
    assert found.document.text == TEXT
    assert found.document.completeness.left_out[0].count == 1
    describer = Describer("never")
    run(a_step(describer, memory), Found(a_document(), 5, (a_picture(),)))
    assert describer.asked == []


def test_a_failure_costs_one_picture_and_is_said(memory):
    step = a_step(Describer(ModelError("seer: no reply"), "The second one."), memory)
    [found] = run(step, Found(a_document(pictures=2), 5, (a_picture("a"), a_picture("b"))))
    assert "The second one." in found.document.text
    assert found.document.completeness.left_out[0].count == 1
    assert step.gain.waiting == 1
    assert step.gain.reasons == ("seer: no reply",)


def test_a_model_that_fails_three_times_in_a_row_is_left_alone(memory):
    describer = Describer(ModelError("seer: no reply"))
    step = a_step(describer, memory)
    pictures = tuple(a_picture(name) for name in "abcdef")
    [found] = run(step, Found(a_document(pictures=6), 5, pictures))
    assert len(describer.asked) == 3
    assert found.document.text == TEXT
    assert step.gain.waiting == 6


def test_a_used_up_budget_names_its_settings(memory):
    step = a_step(Describer("One.", BudgetExceeded("describe: the budget")), memory)
    run(step, Found(a_document(pictures=2), 5, (a_picture("a"), a_picture("b"))))
    assert "graph.model_budget_usd" in step.gain.reasons[0]
    assert step.gain.described == 1


def test_a_picture_without_words_that_is_not_described_is_unreadable(memory):
    step = a_step(Describer(ModelError("seer: no reply")), memory)
    [item] = run(step, Found(a_document(text=""), 5, (a_picture(position=0),)))
    assert isinstance(item, Unreadable)
    assert item.reason == "no text in it; its picture: seer: no reply"


def test_what_is_no_picture_goes_through(memory):
    items = [Found(a_document(), 5), Finished("/d.docx", 5, is_whole=True)]
    assert run(a_step(Describer("never"), memory), *items) == items


def test_nobody_is_asked_once_nobody_wants_it(memory):
    describer = Describer("A chart.")
    step = a_step(describer, memory)
    wanted = iter([True, False, False])
    item = Found(a_document(pictures=2), 5, (a_picture("a"), a_picture("b")))
    assert list(step.describe_found(iter([item]), lambda: next(wanted))) == []
    assert len(describer.asked) == 1
    # and what was described is not lost
    assert memory.find(Figure("a" * 64, "seer"), "default") == "A chart."


class TestMemory:
    FIGURE = Figure("a" * 64, "seer")

    def test_a_description_goes_with_the_last_document_that_shows_it(self, memory):
        memory.keep(self.FIGURE, "A chart.", "one", "default")
        memory.keep(self.FIGURE, "A chart.", "two", "default")
        memory.forget(["one"], "default")
        assert memory.find(self.FIGURE, "default") == "A chart."
        memory.forget(["two"], "default")
        assert memory.find(self.FIGURE, "default") is None

    def test_nothing_of_it_is_left_in_the_file(self, memory, tmp_path):
        memory.keep(self.FIGURE, "A secret chart.", "one", "default")
        memory.forget(["one"], "default")
        assert all(b"secret" not in path.read_bytes() for path in tmp_path.iterdir())

    def test_a_damaged_file_is_begun_again(self, memory, tmp_path):
        memory.keep(self.FIGURE, "A chart.", "one", "default")
        (tmp_path / FILE).write_bytes(b"no database" * 1000)
        assert memory.find(self.FIGURE, "default") is None
        memory.keep(self.FIGURE, "A chart.", "one", "default")
        assert memory.find(self.FIGURE, "default") == "A chart."

    def test_where_nothing_can_be_written_nothing_is_remembered(self, tmp_path):
        memory = FigureDescriptions(tmp_path / "missing")
        memory.keep(self.FIGURE, "A chart.", "one", "default")
        assert memory.find(self.FIGURE, "default") is None


def test_a_figure_block_survives_the_store(memory):
    from ascertain.stores.records.rows import _read_blocks, blocks_json

    [found] = run(a_step(Describer("A chart."), memory), Found(a_document(), 5, (a_picture(),)))
    assert _read_blocks(blocks_json(found.document.blocks)) == found.document.blocks
    assert found.document.blocks_of(BlockKind.FIGURE)
