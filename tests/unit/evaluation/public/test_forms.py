"""Public benchmarks in small files of the form they are published in."""

import json
import zipfile

import pytest

from ascertain.core.errors import SourceError
from ascertain.evaluation.claims import read_claims
from ascertain.evaluation.public.forms import Wanted, write_public_set
from ascertain.evaluation.sets.datasets import read_set

HOTPOT = [
    {
        "_id": "5a8b57f25542995d1e6f1371",
        "answer": "yes",
        "question": "Were Scott Derrickson and Ed Wood of the same nationality?",
        "supporting_facts": [["Scott Derrickson", 0], ["Ed Wood", 0], ["Ed Wood", 1]],
        "context": [
            ["Ed Wood (film)", ["Ed Wood is a 1994 American film.", " It was directed by Tim Burton."]],
            ["Scott Derrickson", ["Scott Derrickson (born July 16, 1966) is an American director."]],
            ["Ed Wood", ["Edward Davis Wood Jr. was an American filmmaker.", " He died in 1978."]],
        ],
        "type": "comparison",
        "level": "hard",
    },
    {
        "_id": "5a8c7595554299585d9e36b6",
        "answer": "Chief of Protocol",
        "question": "What government position was held by the woman who portrayed Corliss Archer?",
        "supporting_facts": [["Shirley Temple", 0]],
        "context": [
            ["Shirley Temple", ["Shirley Temple Black was Chief of Protocol of the United States."]],
            ["Scott Derrickson", ["Scott Derrickson (born July 16, 1966) is an American director."]],
        ],
        "type": "bridge",
        "level": "hard",
    },
]
MUSIQUE = {
    "id": "2hop__482757_12019",
    "paragraphs": [
        {
            "idx": 0,
            "title": "The Collegian",
            "paragraph_text": "The Collegian is the paper of HBU.",
            "is_supporting": True,
        },
        {"idx": 1, "title": "HBU", "paragraph_text": "HBU was founded in 1960.", "is_supporting": True},
        {"idx": 2, "title": "HBU", "paragraph_text": "HBU has a museum.", "is_supporting": False},
    ],
    "question": "When was the institute that owned The Collegian founded?",
    "question_decomposition": [{"id": 482757, "question": "The Collegian >> owned by", "answer": "HBU"}],
    "answer": "1960",
    "answer_aliases": ["in 1960"],
    "answerable": True,
}
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Super_Bowl_50",
            "paragraphs": [
                {
                    "context": "Super Bowl 50 was won by the Denver Broncos.",
                    "qas": [
                        {
                            "id": "56be4db0acb8001400a502ec",
                            "question": "Who won Super Bowl 50? ",
                            "answers": [
                                {"answer_start": 25, "text": "Denver Broncos"},
                                {"answer_start": 21, "text": "the Denver Broncos"},
                                {"answer_start": 25, "text": "Denver Broncos"},
                            ],
                            "is_impossible": False,
                        },
                        {
                            "id": "5ad39d53604f3c001a3fe8d1",
                            "question": "Who lost Super Bowl 50?",
                            "answers": [],
                            "plausible_answers": [{"text": "Denver Broncos", "answer_start": 25}],
                            "is_impossible": True,
                        },
                    ],
                }
            ],
        }
    ],
}
NEWS = [
    {"title": "One", "author": "A", "source": "S", "published_at": "2023-10-01", "category": "sports", "url": "https://a", "body": "First body."},
    {"title": "Two", "author": None, "source": "S", "published_at": "2023-10-02", "category": "sports", "url": "https://b", "body": "Second body."},
]  # fmt: skip
MULTIHOP = [
    {
        "query": "Who is named in both?",
        "answer": "Sam",
        "question_type": "inference_query",
        "evidence_list": [
            {"title": "One", "url": "https://a", "fact": "f"},
            {"title": "One", "url": "https://a", "fact": "g"},
            {"title": "Two", "url": "https://b", "fact": "h"},
        ],
    },
    {"query": "Which?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []},
]
RGB = [
    {"id": 0, "query": "When is it?", "answer": [["Jan 2", "January 2"]], "positive": ["It is on Jan 2."], "negative": ["It rained.", "It snowed."]},
    {"id": 1, "query": "Who and when?", "answer": [["Ann"], ["1999"]], "positive": ["Ann in 1999."], "negative": []},
]  # fmt: skip
REPLY = "The town has 4,000 people. It lies in Gaza. It is old."
RAGTRUTH = [
    {
        "id": "1", "source_id": "11", "model": "gpt-4", "temperature": 0.7, "split": "test", "quality": "good", "response": REPLY,
        "labels": [{"start": 38, "end": 42, "text": "Gaza", "meta": "", "label_type": "Evident Baseless Info", "implicit_true": False, "due_to_null": False}],
    },
    {"id": "2", "source_id": "12", "split": "test", "quality": "truncated", "response": "x", "labels": []},
    {"id": "3", "source_id": "12", "split": "train", "quality": "good", "response": "x", "labels": []},
    {"id": "4", "source_id": "13", "split": "test", "quality": "good", "response": "Ann sells tea.", "labels": []},
]  # fmt: skip
SOURCES = [
    {"source_id": "11", "task_type": "Summary", "source": "CNN/DM", "source_info": "The old town has 4,000 people."},
    {"source_id": "12", "task_type": "QA", "source": "MARCO", "source_info": {"question": "q", "passages": "passage 1:p"}},
    {"source_id": "13", "task_type": "Data2txt", "source": "Yelp", "source_info": {"name": "Ann", "sells": ["tea"]}},
]  # fmt: skip


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_json(path, value):
    path.write_text(json.dumps(value), "utf-8")
    return path


def write_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.fixture
def written(tmp_path):
    def write(form, files, **wanted):
        folder = tmp_path / "set"
        folder.mkdir()
        write_public_set(form, files, folder, Wanted(**wanted))
        return folder

    return write


def titles_of(data, query):
    titles = {text.id: (text.title, text.text) for text in data.corpus}
    return [titles[text_id] for text_id, gain in data.judgements[query].items() if gain]


def test_beir_keeps_the_judged_queries_of_the_test_part(tmp_path, written):
    archive = write_zip(
        tmp_path / "scifact.zip",
        {
            "scifact/corpus.jsonl": '{"_id": "4983", "title": "Micro", "text": "Alterations.", "metadata": {}}\n'
            '{"_id": "5836", "title": "", "text": "Induction.", "metadata": {}}\n',
            "scifact/queries.jsonl": '{"_id": "0", "text": "Trained on.", "metadata": {}}\n'
            '{"_id": "2", "text": "Asked at last.", "metadata": {"5836": []}}\n',
            "scifact/qrels/train.tsv": "query-id\tcorpus-id\tscore\n0\t4983\t1\n",
            "scifact/qrels/test.tsv": "query-id\tcorpus-id\tscore\n2\t5836\t2\r\n2\t4983\t0\n",
        },
    )
    data = read_set(written("beir", {"data": archive}, variant="scifact"))
    assert [(text.id, text.title) for text in data.corpus] == [("4983", "Micro"), ("5836", "")]
    assert [query.text for query in data.queries] == ["Asked at last."]
    assert data.judgements == {"2": {"5836": 2, "4983": 0}}
    assert data.notes == ()


def test_hotpotqa_pools_the_paragraphs_of_all_questions(tmp_path, written):
    data = read_set(written("hotpotqa", {"data": write_json(tmp_path / "dev.json", HOTPOT)}))
    assert sorted(text.title for text in data.corpus) == [
        *("Ed Wood", "Ed Wood (film)", "Scott Derrickson", "Shirley Temple")
    ]
    assert [title for title, _ in titles_of(data, HOTPOT[0]["_id"])] == ["Scott Derrickson", "Ed Wood"]
    assert (
        titles_of(data, HOTPOT[0]["_id"])[1][1] == "Edward Davis Wood Jr. was an American filmmaker. He died in 1978."
    )
    assert data.queries[1].answers == ("Chief of Protocol",)


def test_2wiki_is_read_from_its_archive(tmp_path, written):
    archive = write_zip(tmp_path / "data.zip", {"data_ids/train.json": "[]", "data_ids/dev.json": json.dumps(HOTPOT)})
    data = read_set(written("hotpotqa", {"data": archive}, member="dev.json"))
    assert len(data.queries) == 2


def test_some_questions_bring_only_their_own_paragraphs(tmp_path, written):
    data = read_set(written("hotpotqa", {"data": write_json(tmp_path / "dev.json", HOTPOT)}, count=1))
    assert [query.id for query in data.queries] == [HOTPOT[0]["_id"]]
    assert "Shirley Temple" not in {text.title for text in data.corpus}


def test_musique_tells_paragraphs_of_one_title_apart(tmp_path, written):
    archive = write_zip(tmp_path / "m.zip", {"data/musique_ans_v1.0_dev.jsonl": json.dumps(MUSIQUE) + "\n"})
    data = read_set(written("musique", {"data": archive}, member="musique_ans_v1.0_dev.jsonl"))
    assert len(data.corpus) == 3
    assert [text for _, text in titles_of(data, MUSIQUE["id"])] == [
        "The Collegian is the paper of HBU.",
        "HBU was founded in 1960.",
    ]
    assert data.queries[0].answers == ("1960", "in 1960")


def test_squad_asks_what_its_paragraph_does_not_answer_of_that_paragraph(tmp_path, written):
    data = read_set(written("squad", {"data": write_json(tmp_path / "dev.json", SQUAD)}))
    answered, impossible = data.queries
    assert (answered.text, answered.answers, answered.answerable) == (
        *("Who won Super Bowl 50?", ("Denver Broncos", "the Denver Broncos"), True),
    )
    assert (impossible.answerable, impossible.answers) == (False, ())
    assert impossible.documents == (data.corpus[0].id,)
    assert data.corpus[0].title == "Super Bowl 50"
    assert list(data.judgements) == [answered.id]


def test_squad_1_asks_everything_of_all_paragraphs(tmp_path, written):
    article = SQUAD["data"][0]
    paragraph = article["paragraphs"][0]
    question = {key: value for key, value in paragraph["qas"][0].items() if key != "is_impossible"}
    first = {"version": "1.1", "data": [article | {"paragraphs": [paragraph | {"qas": [question]}]}]}
    data = read_set(written("squad", {"data": write_json(tmp_path / "dev.json", first)}))
    assert (data.queries[0].documents, data.queries[0].answerable) == ((), None)


def test_multihop_rag_marks_the_questions_that_no_article_answers(tmp_path, written):
    files = {
        "data": write_json(tmp_path / "MultiHopRAG.json", MULTIHOP),
        "corpus": write_json(tmp_path / "corpus.json", NEWS),
    }
    data = read_set(written("multihop_rag", files))
    assert [query.answerable for query in data.queries] == [True, False]
    assert [title for title, _ in titles_of(data, "q0")] == ["One", "Two"]
    assert data.queries[1].answers == ()


def test_rgb_asks_again_of_the_passages_that_do_not_answer(tmp_path, written):
    data = read_set(written("rgb", {"data": write_lines(tmp_path / "en.json", RGB)}))
    texts = {text.id: text.text for text in data.corpus}
    asked = {query.id: (query.answerable, [texts[each] for each in query.documents]) for query in data.queries}
    assert asked == {
        "0": (True, ["It is on Jan 2.", "It rained.", "It snowed."]),
        "0-noise": (False, ["It rained.", "It snowed."]),
        "1": (True, ["Ann in 1999."]),
    }
    assert [query.answers for query in data.queries] == [("Jan 2", "January 2"), (), ()]


def test_ragtruth_is_judged_sentence_by_sentence(tmp_path, written):
    files = {
        "data": write_lines(tmp_path / "response.jsonl", RAGTRUTH),
        "corpus": write_lines(tmp_path / "source_info.jsonl", SOURCES),
    }
    claims = read_claims(written("ragtruth", files))
    assert [(claim.claim, claim.is_supported) for claim in claims] == [
        ("The town has 4,000 people.", True),
        ("It lies in Gaza.", False),
        ("It is old.", True),
        ("Ann sells tea.", True),
    ]
    assert claims[0].evidence == "The old town has 4,000 people."
    assert '"name": "Ann"' in claims[-1].evidence


@pytest.mark.parametrize("form", ["hotpotqa", "musique", "squad", "rgb"])
def test_a_file_of_another_form_is_an_error_with_its_name(tmp_path, written, form):
    with pytest.raises(SourceError, match=f"other.json: not in the form of {form}"):
        written(form, {"data": write_json(tmp_path / "other.json", {"answer": 42})})


def test_an_archive_without_the_member_is_an_error(tmp_path, written):
    with pytest.raises(SourceError, match=r"the archive holds no dev\.json"):
        written("hotpotqa", {"data": write_zip(tmp_path / "data.zip", {"readme": "x"})}, member="dev.json")
