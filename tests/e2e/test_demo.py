"""The demo: what a person sees in the first minute."""

from __future__ import annotations

from ascertain import Ascertain


def test_the_demo_asks_six_questions_and_one_cannot_be_answered(demo):
    answers = demo.outcome.lines
    assert len(answers) == 6
    assert [answer["type"] for answer in answers] == ["summary"] * 5 + ["rejection"]


def test_slang_and_today_are_understood(demo):
    first = demo.outcome.lines[0]
    assert first["question"] == "how is crypt doing today?"
    assert any("cryptocurrency" in decision["reason"] for decision in first["decisions"])
    assert {citation["published_at"][:10] for citation in first["citations"]} == {"2024-12-05"}


def test_every_quote_of_the_demo_is_in_its_document(demo):
    with Ascertain.open(demo.folder / "demo.kb", environ={}) as knowledge:
        for citation in [c for answer in demo.outcome.lines for c in answer["citations"]]:
            document = knowledge.document(citation["document_id"])
            assert document is not None
            start, end = citation["span"]
            assert document.text[start:end] == citation["quote"]


def test_the_demo_again_adds_nothing_and_ends_with_what_to_type_next(demo, run_ascertain):
    shown = run_ascertain("demo", "--keep", cwd=demo.folder).out
    assert "It pretends that today is 5 December 2024." in shown
    assert shown.count("Confidence:") == 6
    assert shown.rstrip().splitlines()[-4:][0] == "Next:"


def test_the_demo_does_not_mix_with_other_documents(home, inline):
    refused = inline("demo", "--home", home)
    assert refused.code == 2
    assert "already holds other documents" in refused.err
