"""Whose documents a question sees: its tenant's, and of these those of no conversation and of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_knowledge import a_document, opened

from ascertain import Ascertain, Filter
from ascertain.app.asking.visibility import bind_tenant, conversation_filter, visible_filter
from ascertain.core.errors import StoreError
from ascertain.models.vectors.similarity import SimilarityScale

FILTERS = [
    (Filter(), None, Filter(within=("",))),
    (Filter(), "c", Filter(within=("", "c"))),
    (Filter(tenant="other"), "c", Filter(within=("", "c"))),
    (Filter(tags=("x",)), None, Filter(tags=("x",), within=("",))),
    (Filter(conversation_id="d"), "c", Filter(conversation_id="d")),
    (Filter(within=("d",)), "c", Filter(within=("d",))),
    (Filter(within=()), None, Filter(within=())),
]


@pytest.mark.parametrize(("given", "conversation", "expected"), FILTERS)
def test_what_a_question_may_see(given: Filter, conversation: str | None, expected: Filter) -> None:
    assert visible_filter(given, "default", conversation) == expected


def test_the_tenant_is_always_that_of_the_instance() -> None:
    given = Filter(tenant="other", tags=("x",))
    assert bind_tenant(given, "mine") == Filter(tenant="mine", tags=("x",))
    assert conversation_filter(given, "mine", "c") == Filter(tenant="mine", tags=("x",), conversation_id="c")


@pytest.mark.parametrize(
    "named", [{"conversation_id": "c"}, {"conversation_id": ""}, {"within": ("c",)}, {"within": ()}, {}]
)
@pytest.mark.parametrize("conversation", [None, "c"])
def test_a_filter_that_names_a_conversation_is_bound_to_the_tenant_too(named: dict, conversation: str | None) -> None:
    given = Filter(tenant="other", tags=("x",), **named)
    seen = visible_filter(given, "mine", conversation)
    assert (seen.tenant, seen.tags) == ("mine", ("x",))
    assert conversation_filter(given, "mine", "c").tenant == bind_tenant(given, "mine").tenant == "mine"


@pytest.mark.parametrize(
    "filter", [Filter(tenant="other", conversation_id="c"), Filter(tenant="other", within=("c", ""))]
)
def test_nobody_reads_a_conversation_of_another_tenant_by_its_name(tmp_path: Path, filter: Filter) -> None:
    with opened(tmp_path / "kb") as knowledge:
        theirs = a_document("theirs", "The harbour tram runs.", tenant="other", conversation_id="c")
        knowledge.as_tenant("other").add_documents([theirs])
        knowledge.add_documents([a_document("ours", "The harbour bridge is closed.", conversation_id="c")])
        assert {passage.chunk.title for passage in knowledge.search("harbour", filter=filter).passages} == {"ours"}
        answer = knowledge.ask("What of the harbour is there?", filter=filter, use_cache=False)
        assert {citation.title for citation in answer.citations} <= {"ours"}


@pytest.mark.parametrize(("floor", "titles"), [(-1.0, {"near", "far"}), (0.5, {"near"}), (1.0, set())])
def test_the_floor_of_similarity_reaches_the_store(tmp_path: Path, floor: float, titles: set[str]) -> None:
    with opened(tmp_path / "kb", retrieval={"similarity_floor": floor}) as knowledge:
        knowledge.add_documents(
            [a_document("near", "harbour bridge closed today"), a_document("far", "wholly unlike words stand here")]
        )
        found = knowledge.search("harbour bridge closed", strategy="semantic")
        assert {passage.chunk.title for passage in found.passages} == titles


def test_the_floor_is_one_of_the_common_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ascertain.app.container.container.Container.similarity_scale", lambda _: SimilarityScale(slope=0.5)
    )
    with opened(tmp_path / "kb", retrieval={"similarity_floor": 0.5}) as knowledge:
        knowledge.add_documents([a_document("near", "harbour bridge closed today")])
        assert not knowledge.search("harbour bridge closed", strategy="semantic").passages
    monkeypatch.setattr(
        "ascertain.app.container.container.Container.similarity_scale",
        lambda _: SimilarityScale(slope=0.5, intercept=0.5),
    )
    with opened(tmp_path / "kb", retrieval={"similarity_floor": 0.5}) as knowledge:
        assert knowledge.search("nothing of this", strategy="semantic").passages


@pytest.fixture
def knowledge(tmp_path: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents(
            [
                a_document("bridge", "The harbour bridge is closed."),
                a_document("tram", "The harbour tram runs every ten minutes.", conversation_id="c1"),
                a_document("ferry", "The harbour ferry sails at noon.", conversation_id="c2"),
            ]
        )
        yield knowledge


def sources(knowledge: Ascertain, **asked) -> set[str]:
    answer = knowledge.ask("What of the harbour is there: bridge, tram, ferry?", use_cache=False, **asked)
    return {citation.title for citation in answer.citations}


def test_a_conversation_sees_its_own_and_nobody_elses(knowledge: Ascertain) -> None:
    assert sources(knowledge) == {"bridge"}
    assert sources(knowledge, conversation_id="c1") == {"bridge", "tram"}
    assert sources(knowledge, conversation_id="new") == {"bridge"}
    assert {p.chunk.title for p in knowledge.search("harbour").passages} == {"bridge"}
    named = knowledge.search("harbour", filter=Filter(conversation_id="c2"))
    assert {p.chunk.title for p in named.passages} == {"ferry"}


def test_a_conversation_goes_with_what_was_fetched_for_it(knowledge: Ascertain) -> None:
    knowledge.ask("What runs?", conversation_id="c1")
    assert [record.title for record in knowledge.conversation_sources("c1")] == ["tram"]
    assert knowledge.delete_conversation("c1") == 1
    assert knowledge.conversation_sources("c1") == []
    assert {record.title for record in knowledge.documents()} == {"bridge", "ferry"}
    assert knowledge.delete_conversation("c1") == 0


def test_one_of_which_only_documents_are_left_is_deleted_too(knowledge: Ascertain) -> None:
    assert knowledge.delete_conversation("c2") == 0
    assert knowledge.conversation_sources("c2") == []


def test_files_can_be_added_to_a_conversation(knowledge: Ascertain, tmp_path: Path) -> None:
    file = tmp_path / "pier.md"
    file.write_text("# Pier\n\nThe harbour pier is open.\n", "utf-8")
    knowledge.add([file], conversation_id="c1")
    knowledge.add([file])
    assert [r.title for r in knowledge.conversation_sources("c1")] == ["Pier", "tram"]
    knowledge.delete_conversation("c1")
    assert {record.title for record in knowledge.documents()} == {"bridge", "ferry", "Pier"}


def test_what_is_fetched_for_a_conversation_deleted_meanwhile_goes_too(knowledge: Ascertain) -> None:
    events = knowledge.ask_stream("What of the harbour is there?", conversation_id="c3")
    next(events)
    knowledge.delete_conversation("c3")
    knowledge.add_documents([a_document("late", "The harbour is late.", conversation_id="c3")])
    with pytest.raises(StoreError):
        list(events)
    assert knowledge.conversation_sources("c3") == []
