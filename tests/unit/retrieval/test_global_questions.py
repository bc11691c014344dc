"""Which questions are about the documents as a whole, and which merely sound like it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ascertain.core.asking.plans import GraphQuery, Intent
from ascertain.core.asking.runs import Budget, Run
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner, read_global_question

GLOBAL = [
    "what are the main themes?",
    "What are the main themes of these documents?",
    "what are the main themes in this corpus",
    "Which topics come up most?",
    "which topics come up most often in the articles?",
    "What topics are covered in the knowledge base?",
    "what topics are discussed?",
    "What subjects do the documents cover?",
    "Give an overview of the corpus",
    "give me a short overview of all documents",
    "Please summarise the corpus.",
    "summarize everything",
    "Can you summarize all of the documents?",
    "What are these documents about?",
    "what is this corpus about?",
    "What is this all about?",
    "List the main topics.",
    "Identify the recurring themes across the episodes.",
    "What are the key themes and topics?",
    "What is the main theme of these documents?",
    "What are the most important topics in my notes?",
    "what themes run through the interviews?",
    "What are the five biggest themes in the collection?",
    "which themes dominate the coverage?",
    "what do the documents talk about?",
    "What do these papers mostly discuss?",
    "What's in the knowledge base?",
    "what topics can I ask about?",
    "Overview of the knowledge base",
    "main themes of the collection",
    "What are the main themes in the articles about climate change?",
    "What are the main topics regarding energy policy?",
    "What were the main themes in March 2026?",
    "What are the main themes in the articles from last week?",
    "Give me a high-level summary of what you have",
    "what are the common threads across all the papers",
    "Describe the major subjects of the archive",
    "Tell me the main topics of the podcasts",
    "What recurring topics appear in the transcripts?",
    "Which subjects are treated most often?",
    "a summary of the main themes",
    "Summarise the main themes of the corpus",
    "What are the main themes across documents?",
    "What are the dominant topics in the news?",
    "What overarching themes emerge from the interviews?",
    "what are the documents I uploaded about?",
    "Could you give me an overview of the documents I added?",
    "I would like an overview of the whole collection.",
    "what are the most discussed topics?",
    "What are the most frequently discussed topics in the dataset?",
    "give an overview of the main topics in these files",
    "what are the main themes, please?",
    "What are the top 10 topics in the data?",
    "Which topics are there?",
    "What topics do these episodes cover most?",
    "What are the major themes discussed in the documents?",
]
OTHERS = [
    "what is the main theme of chapter 3 of X",
    "What are the main themes of Hamlet?",
    "What is the main theme of Moby Dick?",
    "What are the main themes of chapter 3?",
    "What topics are covered in chapter 3?",
    "What topics does the GDPR cover?",
    "Summarise the paper on BM25.",
    "Summarise this document.",
    "summarize this",
    "Give an overview of BM25.",
    "Give an overview of Tidepool Backup.",
    "give me a summary of the article about FTX",
    "Summarise the report.",
    "What is this document about?",
    "What is the document about?",
    "What is the article about stablecoins about?",
    "What is the main topic of the paper by Devlin?",
    "what are the main differences between BM25 and TF-IDF?",
    "What are the main causes of the French Revolution?",
    "What are the main components of the immune system?",
    "which topics does episode 12 cover?",
    "What themes does Kafka explore in The Trial?",
    "What subjects are taught at Harvard University?",
    "Which subjects did Tesla study?",
    "What topics did Luther's 95 theses cover?",
    "What is the theme of Super Bowl 50?",
    "What was the theme of the 1939 World's Fair?",
    "Which areas are covered by rainforest?",
    "Which areas are there in Fresno?",
    "What are the main areas of Warsaw?",
    "what are the areas of law covered by the treaty?",
    "What are the key subjects of the EU treaty?",
    "what is in the config file?",
    "What data is in the record?",
    "What is in the data directory?",
    "what does the report cover?",
    "What does the documentation say about retention?",
    "What do the docs say about SFTP?",
    "What do the documents say about Bitcoin?",
    "What are the documents required for a visa?",
    "Which documents are needed to register?",
    "How do I summarise a document?",
    "what is topic modelling?",
    "What is a theme?",
    "Why is the theme of revenge important in Hamlet?",
    "Describe the collection of the Victoria and Albert Museum.",
    "Describe the library of Alexandria.",
    "What is the Library of Congress about?",
    "What is the archive retention setting?",
    "What are the main topics of conversation between Steve and Anna in episode 3?",
    "Give me an overview of the main characters.",
    "What is the summary statistic used?",
    "Summarise everything Luther wrote about marriage.",
    "Tell me about the themes in Beethoven's ninth.",
    "Which threads are common in Java?",
    "which topics come up most often with Ines Quiroga?",
    "What are the main themes of the Iliad in these documents?",
    "What are the main themes in the book of Job?",
    "What are the themes of the Book?",
    "outline the steps to install",
    "Describe the data collection process.",
    "What is it about?",
    "List the topics subscribed by the consumer group.",
    "List the topics in Kafka.",
    "Which Kafka topics are there in the cluster?",
    "What is this about Bitcoin?",
    "What are the subjects of the sentences?",
    "what areas are there?",
    "Which threads are there in the process?",
    "What are the main threads of the server?",
]
FOCUSED = {
    "What are the main themes in the articles about climate change?": "climate change",
    "What are the main topics regarding energy policy?": "energy policy",
    "Which topics come up most in the papers on retrieval?": "retrieval",
    "give me an overview of what the documents say about “stablecoins”": "stablecoins",
    "What are the main themes?": "",
    "What were the main themes in March 2026?": "",
}


@pytest.mark.parametrize("question", GLOBAL)
def test_recognises_a_question_about_all_documents(question):
    assert read_global_question(question) is not None


@pytest.mark.parametrize("question", OTHERS)
def test_leaves_a_question_about_one_thing_alone(question):
    assert read_global_question(question) is None


@pytest.mark.parametrize("question", FOCUSED)
def test_reads_what_narrows_the_question(question):
    global_question = read_global_question(question)

    assert global_question is not None
    assert global_question.focus == FOCUSED[question]


@pytest.mark.parametrize(
    ("question", "most"),
    [
        ("What are the five biggest themes in the collection?", 5),
        ("What are the top 10 topics in the data?", 10),
        ("What are the main themes in the articles about 3 topics?", 0),
        ("What are the main themes?", 0),
    ],
)
def test_reads_how_many_themes_are_wanted(question, most):
    global_question = read_global_question(question)

    assert global_question is not None
    assert global_question.most == most


def test_a_pasted_text_is_no_question_about_all_documents():
    assert read_global_question("What are the main themes? " + "Lorem ipsum dolor sit amet. " * 40) is None


def test_the_plan_says_that_everything_is_asked_about():
    plan = RulePlanner([]).plan("What are the main themes?", ENGLISH, Run(Budget(1, 1, 1, 1)))

    assert (plan.intent, plan.graph_query) == (Intent.KNOWLEDGE, GraphQuery.GLOBAL)
    assert plan.global_question is not None
    assert plan.entity_question is None


@pytest.mark.bench_data
def test_no_question_of_the_development_sets_is_taken_for_one():
    bench = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[4] / "shared" / "bench"))
    files = sorted(file for file in bench.glob("*/queries.jsonl") if file.parent.name != "heldout")
    assert files
    questions = [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]

    assert [question for question in questions if read_global_question(question)] == []
