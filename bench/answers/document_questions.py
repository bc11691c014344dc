"""Are whole documents presented where that is asked for, and only there?

Forty questions over the twelve files of ``office_corpus``, and those of ``wild``, dev, that are tagged ``document``: an answer is useful
when it holds every must-have of its question. Besides: how many of the ordinary questions of ``asked`` and ``wild``, dev, the recogniser
takes for one about a whole document. Writes ``results/document_questions.json``.

    python -m bench.answers.document_questions [--wild HOMES] [--failures] [--only WORDS]

``HOMES`` holds a knowledge base for each corpus of ``wild``, by its name, as ``wild.py`` makes them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.asking.requests import AskRequest
from ascertain.questions.kinds.documents import read_document_question
from bench.answers.office_corpus import QUESTIONS, write_corpus
from bench.setting import circumstances, data_folder, save, show_status

Musts = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with what came of it; ``missing`` are the must-haves that its answer lacks."""

    question: str
    answer: Answer
    missing: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        return self.answer.type is AnswerType.REJECTION

    @property
    def is_useful(self) -> bool:
        return not self.is_refused and not self.missing


def ask_all(home: Path, questions: Sequence[tuple[str, Musts]]) -> Iterator[Outcome]:
    """Each question to the knowledge base in ``home``, in a conversation of its own."""
    with Ascertain.open(home) as knowledge:
        for number, (question, musts) in enumerate(questions, 1):
            show_status(f"{home.name}: {number} of {len(questions)}")
            answer = knowledge.ask(AskRequest(question, use_cache=False))
            yield Outcome(question, answer, tuple(find_missing(answer.text, musts)))


def find_missing(text: str, musts: Musts) -> Iterator[str]:
    """The must-haves that ``text`` lacks, without regard to case; a star stands for the rest of a word."""
    said = " ".join(text.casefold().split())
    for alternatives in musts:
        if not any(each.casefold().rstrip("*") in said for each in alternatives):
            yield " or ".join(alternatives)


def list_wild(corpus: str) -> list[tuple[str, Musts]]:
    return [(row["question"], row["must"]) for row in _read_questions("wild") if _is_whole(row, corpus)]


def _is_whole(row: dict[str, object], corpus: str) -> bool:
    tags = row["tags"]
    return row["corpus"] == corpus and isinstance(tags, list) and "document" in tags


def _read_questions(name: str) -> list[dict[str, object]]:
    file = data_folder() / name / "dev" / "questions.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def list_ordinary() -> list[str]:
    """The questions of ``asked`` and ``wild``, dev, that are looked up."""
    rows = [row for name in ("asked", "wild") for row in _read_questions(name)]
    return [str(row["question"]) for row in rows if "document" not in str(row["tags"]) and row["type"] != "global"]


def summarise(outcomes: Sequence[Outcome]) -> dict[str, object]:
    count = len(outcomes)
    useful = sum(each.is_useful for each in outcomes)
    refused = sum(each.is_refused for each in outcomes)
    return {
        "questions": count,
        "useful": useful,
        "useful_percent": round(100 * useful / count, 1),
        "refused": refused,
        "refused_percent": round(100 * refused / count, 1),
        "words": round(sum(len(each.answer.text.split()) for each in outcomes) / count),
        "not_useful": [{"question": e.question, "missing": list(e.missing)} for e in outcomes if not e.is_useful],
    }


def show_failures(outcomes: Sequence[Outcome]) -> None:
    for each in outcomes:
        if not each.is_useful:
            print(f"\n### {each.question}\nmissing: {'; '.join(each.missing)}\n{each.answer.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wild", type=Path, help="folder of knowledge bases of wild, dev")
    parser.add_argument("--home", type=Path, help="a knowledge base of the office files, made if it is not there")
    parser.add_argument("--failures", action="store_true", help="print the answers that are not useful")
    parser.add_argument("--only", default="", help="ask only the questions that hold these words, and write nothing")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = chosen.home or Path(scratch) / "kb"
        if not home.exists():
            with Ascertain.open(home) as knowledge:
                knowledge.add([str(write_corpus(Path(scratch) / "office"))])
        asked = [each for each in QUESTIONS if chosen.only.casefold() in each[0].casefold()]
        office = list(ask_all(home, asked))
    wild: list[Outcome] = []
    for folder in sorted(chosen.wild.iterdir()) if chosen.wild else ():
        own = [each for each in list_wild(folder.name) if chosen.only.casefold() in each[0].casefold()]
        wild += ask_all(folder, own) if own else ()
    if chosen.failures or chosen.only:
        show_failures([*office, *wild])
    ordinary = list_ordinary()
    taken = [each for each in ordinary if read_document_question(each) is not None]
    results: dict[str, object] = {
        "about": "questions about whole documents: useful when every must-have is in the answer; offline",
        **circumstances(),
        "office": summarise(office) if office else None,
        "wild_dev": summarise(wild) if wild else None,
        "ordinary": {"questions": len(ordinary), "read_as_whole_document": taken},
    }
    print(json.dumps({key: results[key] for key in ("office", "wild_dev", "ordinary")}, indent=1, ensure_ascii=False))
    if not chosen.only:
        save("document_questions", results)


if __name__ == "__main__":
    main()
