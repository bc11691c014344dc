"""From the words of a question to the things of the graph."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import a_snapshot, label, says

from ascertain.graph.linking import How, Linker
from ascertain.language.languages import ENGLISH

GRAPHS = [
    says("bank", [["European Central Bank", "ECB"]], aliases=[("ECB", "European Central Bank", "abbreviation")]),
    says("jaws", [["Jaws", "Steven Spielberg"], ["University of Vienna"]]),
    says("spielberg", [["Steven Spielberg", "Vienna"]]),
    says("jones", [["Karen Jones"]], [["Peter Jones"]]),
]


@pytest.fixture(scope="module")
def linker():
    return Linker(a_snapshot(*GRAPHS))


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Who directed Jaws?", [("Jaws", How.EXACT)]),
        ("what is jaws about?", [("Jaws", How.EXACT)]),
        ("Where is the ECB?", [("European Central Bank", How.ALIAS)]),
        ("Who leads the University of Vienna?", [("University of Vienna", How.EXACT)]),
        ("What did Spielberg direct?", [("Steven Spielberg", How.PREFIX)]),
        ("What did Steven Spielburg direct?", [("Steven Spielberg", How.FUZZY)]),
        ("Was Spielberg in Vienna before Jaws?", [
            ("Steven Spielberg", How.PREFIX), ("Vienna", How.EXACT), ("Jaws", How.EXACT),
        ]),
        ("Jaws or jaws?", [("Jaws", How.EXACT)]),
        ("Who is Jones?", []),
        ("Who is Napoleon Bonaparte?", []),
        ("who is it?", []),
        ("", []),
    ],
)  # fmt: skip
def test_names_in_a_question(linker, question, found):
    matches = linker.link(question, ENGLISH)
    assert [(label(linker.snapshot, match.entity), match.how) for match in matches] == found
    assert all(match.text in question and 0 < match.score <= 1 for match in matches)


TALKS = [
    says("talk", *[[["Richard Hipp", "SQLite"]]] * 6, [["Richard Hip", "SQLlite", "Hippo"]]),
    says("clusters", *[[["Kubernetes", "Google Cloud"]]] * 5, [["Browns", "Claire Dunn"]], [["andreessen horowitz"]]),
    says("law", [["Securities and Exchange Commission"]], [["Financial Conduct Authority"], ["Free Cash Accounts"]]),
    says("people", *[[["Brown", "Clara Dunn"]]] * 9),
    says("agency", [["EPA"], ["Environmental Protection Agency"]]),
]


@pytest.fixture(scope="module")
def talks():
    return Linker(a_snapshot(*TALKS))


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("who is richard hip?", ["Richard Hipp"]),
        ("Who is Richard Hip?", ["Richard Hipp"]),
        ("what did richrad hipp say?", ["Richard Hipp"]),
        ("what is SQLlite used for?", ["SQLite"]),
        ("is sqllite fast", ["SQLite"]),
        ("does kubernets need etcd?", ["Kubernetes"]),
        ("Kubernets or Nomad?", ["Kubernetes"]),
        ("what is k8s?", ["Kubernetes"]),
        ("who runs K8s", ["Kubernetes"]),
        ("who is a16z", ["andreessen horowitz"]),
        ("what did the SEC say?", ["Securities and Exchange Commission"]),
        ("what did the sec say?", []),
        ("Who heads the FCA?", []),
        ("what does the EPA do?", ["EPA"]),
    ],
)
def test_names_as_people_type_them(talks, question, found):
    assert [label(talks.snapshot, match.entity) for match in talks.link(question, ENGLISH)] == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("where do the Browns play?", ["Browns"]),
        ("Who is Claire Dunn?", ["Claire Dunn"]),
        ("is the hippo large?", ["Hippo"]),
        ("the richest hippie of the brow", []),
        ("what is 8s or k2s or kubernetes8s", []),
    ],
)
def test_what_is_another_word_is_not_taken_for_a_slip(talks, question, found):
    assert [label(talks.snapshot, match.entity) for match in talks.link(question, ENGLISH)] == found


@pytest.mark.parametrize(
    ("text", "first"), [("SQLlite", "SQLite"), ("k8s", "Kubernetes"), ("SEC", "Securities and Exchange Commission")]
)
def test_a_box_that_suggests_the_thing_and_not_its_misspelling(talks, text, first):
    assert talks.find(text)[0][0].label == first


def test_surer_ways_score_higher(linker):
    scores = [
        linker.link(f"Who is {name}?", ENGLISH)[0].score for name in ("Jaws", "ECB", "Spielberg", "Steven Spielburg")
    ]
    assert scores == sorted(scores, reverse=True)


def test_meaning_is_compared_with_what_is_at_hand_only():
    vectors = {"Frankfurt Bank": [1.0, 0.0], "European Central Bank": [0.9, 0.436], "Jaws": [0.0, 1.0]}
    asked = []

    def embed(names):
        asked.extend(names)
        return np.array([vectors[name] for name in names], dtype=np.float32)

    linker = Linker(a_snapshot(*GRAPHS))
    bank, jaws = linker.snapshot.place("ECB"), linker.snapshot.place("Jaws")
    question = "Who leads the Frankfurt Bank?"
    assert linker.link(question, ENGLISH, [jaws], embed) == []
    (match,) = linker.link(question, ENGLISH, [jaws, bank], embed)
    assert (match.entity, match.how, match.text) == (bank, How.EMBEDDING, "Frankfurt Bank")
    assert sorted(asked) == sorted(vectors)


@pytest.mark.parametrize(
    ("text", "first", "how"),
    [
        ("Jaws", "Jaws", How.EXACT),
        ("steven", "Steven Spielberg", How.PREFIX),
        ("spiel", "Steven Spielberg", How.PREFIX),
        ("ecb", "European Central Bank", How.ALIAS),
        ("steven spielburg", "Steven Spielberg", How.FUZZY),
    ],
)
def test_a_box_that_suggests(linker, text, first, how):
    (entity, match), *_ = linker.find(text)
    assert (entity.label, match.how) == (first, how)


def test_suggestions_have_a_bound_and_each_comes_once(linker):
    assert len(linker.find("jones", limit=1)) == 1
    assert {entity.label for entity, _ in linker.find("jones")} == {"Karen Jones", "Peter Jones"}
    found = [entity.index for entity, _ in linker.find("european")]
    assert len(found) == len(set(found)) == 1
    assert linker.find("") == linker.find("?!") == []
