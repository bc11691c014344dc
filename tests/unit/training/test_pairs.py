import gzip
import json
import random

import pytest

import pairs
import sets
from ascertain.models.onnx import TOKENIZER


@pytest.fixture(scope="module")
def tokenizer():
    return pairs.load_tokenizer(TOKENIZER)


@pytest.fixture
def folder(tmp_path):
    """A folder of sets as the index describes them."""

    def make(**by_set):
        index = []
        for name, (licence, kind, rows) in by_set.items():
            index.append(json.dumps({"set": name, "kind": kind, "licence_class": licence}))
            with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "index.jsonl").write_text("\n".join(index))
        return tmp_path

    return make


CLAIM = {"claim": "A", "evidence": "B", "label": "supported"}


@pytest.mark.parametrize(
    ("licences", "names"),
    [
        ("permissive", {"check_covid"}),
        ("share-alike", {"check_covid", "med", "mnli_dev_matched"}),
        ("all", {"check_covid", "med", "mnli_dev_matched", "sick", "monli"}),
    ],
)
def test_sets_are_taken_by_their_licence_and_what_is_measured_on_never(folder, licences, names):
    place = folder(
        check_covid=("permissive", "pair", [CLAIM]),
        med=("share-alike", "pair", [CLAIM]),
        mnli_dev_matched=(sets.OPEN_UPSTREAM, "pair", [CLAIM]),
        sick=("non-commercial", "pair", [CLAIM]),
        monli=("none stated", "pair", [CLAIM]),
        lfqa_verification=("permissive", "pair", [CLAIM]),
    )
    assert {source.name for source in sets.list_sources(place, licences)} == names


def test_rows_that_share_text_with_a_dev_set_are_left_out(folder):
    place = folder(med=("permissive", "pair", [CLAIM, {**CLAIM, "claim": "C", "bench": ["begin"]}]))
    (source,) = sets.list_sources(place, "permissive")
    assert [row["claim"] for row in sets.read_rows(source, 1)] == ["A"]


def test_a_span_is_found_again_in_the_tokens_of_a_window_of_a_long_passage(tokenizer):
    passage = "Birds sing early. " * 60 + "The bridge was built by Ada Stone in 1912. " + "Fish swim deep. " * 60
    start = passage.index("Ada Stone")
    for seed in range(20):
        pair = pairs.Pair("Who built it?", passage, "a set", ((start, start + 9),), 1, 1)
        ids, offset, first, last = pairs.encode_pair(pair, tokenizer, 64, random.Random(seed))
        assert len(ids) <= 64
        assert tokenizer.decode(ids[first : last + 1]) == "ada stone"
        assert tokenizer.decode(ids[:offset]) == "who built it?"


def test_an_answer_longer_than_the_window_is_no_span(tokenizer):
    passage = "Birds sing early. " * 60
    assert (
        pairs.encode_pair(pairs.Pair("Why?", passage, "a set", ((0, 900),), 1, 1), tokenizer, 64, random.Random(1))
        is None
    )


def test_a_near_passage_that_holds_an_answer_is_no_near_miss():
    near = pairs.NearPassages(
        ["Ada Stone built the bridge.", "Stone by Ada: the bridge.", "Who built the bridge, nobody knows."]
    )
    found = near.find("Who built the bridge?", "Ada Stone built the bridge.", ("Ada",))
    assert found == ["Who built the bridge, nobody knows."]


def test_the_arrays_say_what_is_unknown(tokenizer):
    made = pairs.encode_pairs(
        [
            pairs.Pair("Who?", "Ada did.", "a", ((0, 3),), 1, 1),
            pairs.Pair("Who?", "Nobody did.", "b", (), 0, -1),
            pairs.Pair("Is it?", "Yes.", "c", (), 1, 1),
            pairs.Pair("It is.", "Yes.", "d", support=0),
        ],
        tokenizer,
        1,
    )
    assert made["start"].tolist() == [4, 0, -1, -1]
    assert made["answerable"].tolist() == [1, 0, 1, -1]
    assert made["support"].tolist() == [-1, -1, -1, 0]
    assert made["length"].sum() == len(made["tokens"])
