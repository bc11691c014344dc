"""Answers in German and Spanish, and questions in four languages over English paragraphs.

``python -m bench.languages.measure answers [de|es] [--embedder NAME] [--show]`` asks the questions of ``answers.toml`` over the texts beside
it: how often the first sentence holds the answer, how often any does, how often it is declined, and how many of the questions that no
text answers are answered. ``python -m bench.languages.measure heldout --texts DIR`` asks those of ``heldout.toml``, which says where its texts
come from. ``python -m bench.languages.measure crossing --embedder NAME`` searches XQuAD's English paragraphs for the
questions of ``crossing.toml``: R@5 by language, and for how many the first sentence of the answer holds it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.documents.documents import Document, DocumentKind
from ascertain.language.languages import ENGLISH
from bench.setting import data_folder

HERE = Path(__file__).resolve().parent

SURE = 60
"""Confidence from which a wrong answer is counted as sure (by judgement; high begins at 70)."""


def measure_answers(
    language: str, embedder: str, show: bool, asked: Sequence[Mapping[str, str]], texts: Sequence[Path]
) -> dict[str, object]:
    """Ask every question over the texts of its own language; ``wrong_but_sure`` are those with a wrong answer of confidence ``SURE`` or more."""
    found = dict.fromkeys(
        (
            "questions",
            "first",
            "any",
            "declined",
            "wrong_but_sure",
            "unanswerable",
            "rightly_declined",
            "made_up_but_sure",
        ),
        0,
    )
    with tempfile.TemporaryDirectory() as home, _open_home(home, embedder) as knowledge:
        knowledge.add(texts)
        for each in asked:
            answer = knowledge.ask(each["q"])
            is_declined = answer.type is AnswerType.REJECTION
            if each["a"] == "none":
                found["unanswerable"] += 1
                found["rightly_declined"] += is_declined
                found["made_up_but_sure"] += not is_declined and answer.confidence.score >= SURE
                verdict = "right" if is_declined else "MADE UP"
            else:
                found["questions"] += 1
                found["declined"] += is_declined
                first = holds_answer(first_sentence(answer), each["a"]) and not is_declined
                any_of = not is_declined and holds_answer(answer.text, each["a"])
                found["first"] += first
                found["any"] += any_of
                found["wrong_but_sure"] += not is_declined and not any_of and answer.confidence.score >= SURE
                verdict = "first" if first else "any" if any_of else "DECLINED" if is_declined else "WRONG"
            if show:
                caveat = f" [{answer.confidence.caveat}]" if answer.confidence.caveat else ""
                print(f"{verdict:9}{answer.confidence.score:3} {each['q']} -> {answer.text[:300]!r}{caveat}")
    return {"language": language, **found}


def measure_crossing(
    embedder: str, show: bool, languages: list[str], answers: bool, kept: str = ""
) -> dict[str, object]:
    """Search, and ask, in other languages than that of the paragraphs."""
    folder = data_folder() / "xquad_en"
    paragraphs = [json.loads(line) for line in (folder / "corpus.jsonl").open()]
    relevant = _read_relevant(folder / "qrels.tsv")
    gold = {(row := json.loads(line))["_id"]: row["answer"] for line in (folder / "queries.jsonl").open()}
    questions = tomllib.loads((HERE / "crossing.toml").read_text("utf-8"))
    found: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as made, _open_home(kept or made, embedder) as knowledge:
        if not knowledge.exists:
            knowledge.add_documents(_read_document(each) for each in paragraphs)
        for language in languages:
            counts = found[language] = {"questions": len(questions), "in_five": 0}
            if answers:
                counts |= {"first": 0, "any": 0, "declined": 0}
            for key, wordings in questions.items():
                hits = knowledge.search(wordings[language], k=20).passages
                best = list(dict.fromkeys(hit.chunk.source for hit in hits))[:5]
                is_found = not relevant[key].isdisjoint(best)
                counts["in_five"] += is_found
                line = f"{language} {'found' if is_found else 'LOST '}"
                if answers:
                    answer = knowledge.ask(wordings[language])
                    is_declined = answer.type is AnswerType.REJECTION
                    counts["declined"] += is_declined
                    counts["first"] += not is_declined and holds_answer(first_sentence(answer), gold[key])
                    counts["any"] += not is_declined and holds_answer(answer.text, gold[key])
                    line += f" {answer.confidence.score:3} {answer.text[:160]!r} [{answer.confidence.caveat}]"
                if show:
                    print(line, wordings[language])
    total = sum(each["in_five"] for each in found.values()) / sum(each["questions"] for each in found.values())
    return {"r_at_5": round(total, 4), **found}


def first_sentence(answer: Answer) -> str:
    """What is read first."""
    return answer.sentences[0].text if answer.sentences else answer.text


def holds_answer(text: str, wanted: str) -> bool:
    """Whether one of the wordings wanted stands in ``text``."""
    return any(each.strip().lower() in text.lower() for each in wanted.split("|"))


def _open_home(home: str, embedder: str) -> Ascertain:
    environ = {"ASCERTAIN_MODELS__EMBEDDER": embedder} if embedder else {}
    return Ascertain.open(Path(home) / "kb", environ=environ)


def _read_relevant(path: Path) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        query, paragraph, *_ = line.split("\t")
        relevant.setdefault(query, set()).add(paragraph)
    return relevant


def _read_document(row: dict[str, Any]) -> Document:
    return Document(row["_id"], row["text"], row["title"], DocumentKind.PROSE, row["_id"], language="en")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("answers", "heldout", "crossing"))
    parser.add_argument("languages", nargs="*")
    parser.add_argument("--embedder", default="")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--ask", action="store_true", help="ask too, not only search")
    parser.add_argument("--home", default="", help="keep the paragraphs here, and use those that are here")
    parser.add_argument(
        "--texts", type=Path, help="where the packages with the texts of the held-out questions are unpacked"
    )
    options = parser.parse_args()
    if options.what == "answers":
        table = tomllib.loads((HERE / "answers.toml").read_text("utf-8"))
        for code in options.languages or ["de", "es"]:
            print(
                json.dumps(measure_answers(ENGLISH, code, options.embedder, options.show, table[code], [HERE / code]))
            )
    elif options.what == "heldout":
        table = tomllib.loads((HERE / "heldout.toml").read_text("utf-8"))
        for code in options.languages or ["de", "es"]:
            pages = [options.texts / each for each in table[code]["pages"]]
            print(
                json.dumps(
                    measure_answers(ENGLISH, code, options.embedder, options.show, table[code]["questions"], pages)
                )
            )
    else:
        chosen = options.languages or ["de", "es", "fr", "zh"]
        print(json.dumps(measure_crossing(options.embedder, options.show, chosen, options.ask, options.home)))
