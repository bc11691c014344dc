"""How many of a poor chat model's inventions are shown, and which right sentences are lost beside them?

    python -m bench.chat_models.sloppy [--homes FOLDER] [--corpus demo ...] [--id ...] [--show] [--out FILE] [--against FILE] [--dry]

``sloppy_model.toml`` holds what the model writes: to each question some sentences that the sources say and some that it made up. It
quotes the sentence that shares most words with its own, by turns copied badly (white space, dropped words, an elision), under a wrong
key or under none, puts prose around its JSON, writes the same again when it is asked to mend it, and finds every passage good. As a judge of claims
it is ``seeing``: it says yes to all that it wrote and sees through every planted control, so that what is not shown was taken back by rules alone;
``lenient``: it says yes to everything but figures that the sources do not have; or ``yes``: it says yes to everything.

Questions of the demo corpus are asked over a knowledge base that is built at once; those of the evaluation data over ``FOLDER/dev-CORPUS-*``,
and left out where that is missing. Saved are kinds, ids and verdicts.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "chat_servers"))

from model_role import FIGURE, Block, Role, evaluation_reply, fold_words, read_blocks
from scripted_chat_server import ChatRequest, ScriptedChatServer

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import Answer, AnswerType
from ascertain.core.settings import ChatSettings, Settings, load_settings
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import load_pairs
from ascertain.models.ports import Embedder
from ascertain.models.registry import open_embedder
from bench.setting import ROOT, circumstances, data_folder, save, show_remark

SCRIPT = Path(__file__).with_suffix(".toml")
DEMO = ROOT / "src" / "ascertain" / "data" / "demo_corpus"
JUDGES = ("seeing", "lenient", "yes")
STRAYS = frozenset(" ".join(text.split()) for text in load_pairs("controls", "strays").values())
Question = dict[str, Any]
Row = dict[str, Any]


class Sloppy(Role):
    """Writes what ``question`` has for it, quoted badly, and believes everything but the controls."""

    name = "sloppy"
    judge_as = "seeing"
    question: Question

    def take_up(self, question: Question) -> None:
        self.question, self.calls = question, 0

    def reply(self, request: ChatRequest) -> object:
        said = super().reply(request)
        return f"Sure! Here is the JSON you asked for:\n```json\n{json.dumps(said)}\n```\nI hope this helps."

    def rewrite(self, prompt: str) -> dict[str, object]:
        return {"is_follow_up": False, "standalone": read_blocks(prompt, "question")[-1].text}

    def value_of(self, block: Block) -> int:
        return 0 if " ".join(block.text.split()) in STRAYS else 100

    def judge(self, prompt: str) -> dict[str, object]:
        return {"score": 100, "issues": [], "reason": ""}

    def miss(self, prompt: str) -> list[dict[str, str]]:
        return []

    def judge_passage(self, block: Block) -> dict[str, object]:
        return {"key": block.key, "score": self.value_of(block), "note": ""}

    def write(self, prompt: str) -> object:
        sources = read_blocks(prompt, "source")
        sentences: list[object] = []
        for number, said in enumerate(list_sentences(self.question)):
            key, words = find_quote(said["text"], sources)
            kind = "code" if said["is_code"] else "text"
            quotes = [quote_badly(key, words, number)]
            sentences.append({"kind": kind, "text": said["text"], "quotes": quotes})
        return {"sentences": sentences}

    def weigh(self, claim: str, evidence: str) -> str:
        if self.judge_as == "yes":
            return "supported"
        if self.judge_as == "lenient":
            return "contradicted" if set(FIGURE.findall(claim)) - set(FIGURE.findall(evidence)) else "supported"
        own = any(fold_words(claim) in fold_words(said["text"]) for said in list_sentences(self.question))
        return "supported" if own else "contradicted"

    def evaluate(self, prompt: str) -> dict[str, object]:
        return evaluation_reply(100, 100) | self.rate_others(prompt, 0)


def list_sentences(question: Question) -> list[dict[str, Any]]:
    """What the model writes, the right sentences first."""
    said = [{"kind": "right", "text": text, "is_code": False} for text in question["right"]]
    for each in question["invented"]:
        said.append({"kind": each["kind"], "text": each.get("code") or each["text"], "is_code": "code" in each})
    return said


def find_quote(text: str, sources: Sequence[Block]) -> tuple[str, str]:
    """Key and sentence of the source that shares most words with ``text``."""
    wanted = set(content_terms(text, ENGLISH))
    each = [(block.key, sentence) for block in sources for sentence in block.sentences]
    return max(each, key=lambda pair: (len(wanted & set(content_terms(pair[1], ENGLISH))), -len(pair[1])))


def quote_badly(key: str, words: str, turn: int) -> dict[str, str]:
    """The quotation as a poor model copies it, another way each turn."""
    parts = words.split()
    middle = len(parts) // 2
    ways = (
        {"key": key, "text": words},
        {"key": "S9", "text": words},
        {"key": "", "text": "  ".join(parts)},
        {"key": key, "text": " ".join([*parts[:middle], "...", *parts[middle + 1 :]]) if middle > 4 else words},
    )
    return ways[turn % len(ways)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=Path, help="folder of the knowledge bases of the evaluation data")
    parser.add_argument("--corpus", nargs="*", help="only these")
    parser.add_argument("--id", nargs="*", help="only the questions whose id or words hold one of these")
    parser.add_argument("--judge", nargs="*", choices=JUDGES, default=list(JUDGES), help="how the model judges claims")
    parser.add_argument("--show", action="store_true", help="print what was shown and why the rest was not")
    parser.add_argument("--out", type=Path, help="where every sentence with its verdict is written")
    parser.add_argument("--against", type=Path, help="an earlier --out: what changed")
    parser.add_argument("--dry", action="store_true", help="leave bench/results as it is")
    options = parser.parse_args()
    questions: list[Question] = tomllib.loads(SCRIPT.read_text("utf-8"))["question"]
    if options.id:
        questions = [q for q in questions if any(part in name_of(q) for part in options.id)]
    rows: dict[str, list[Row]] = {}
    figures: dict[str, Any] = {}
    embedder = open_embedder(Settings().models)
    for judge in options.judge:
        rows[judge] = []
        for corpus in options.corpus or dict.fromkeys(question["corpus"] for question in questions):
            own = [question for question in questions if question["corpus"] == corpus]
            rows[judge] += ask_corpus(corpus, own, judge, options.homes, embedder, is_shown=options.show)
        figures[judge] = count_rows(rows[judge])
        print(json.dumps({judge: figures[judge]}, indent=1), flush=True)
        if options.against:
            compare_rows(rows[judge], json.loads(options.against.read_text("utf-8")).get(judge, []))
    if options.out:
        options.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), "utf-8")
    if not options.dry:
        told = {
            judge: [{key: row[key] for key in ("question", "kind", "outcome")} for row in own]
            for judge, own in rows.items()
        }
        save("sloppy_model", {"circumstances": circumstances(), "figures": figures, "rows": told})


def name_of(question: Question) -> str:
    return question.get("id") or question["text"]


def ask_corpus(
    corpus: str, questions: Sequence[Question], judge: str, homes: Path | None, embedder: Embedder, *, is_shown: bool
) -> Iterator[Row]:
    texts = read_texts()
    with find_home(corpus, homes, embedder) as home:
        if home is None:
            show_remark(f"no knowledge base of {corpus}: {len(questions)} questions left out")
            return
        server, role = ScriptedChatServer(), Sloppy()
        role.judge_as = judge
        server.reply_by(role.reply)
        try:
            loaded = load_settings(home=home, environ={}, arguments={}).settings
            chat = ChatSettings(model="openai:scripted", base_url=server.base_url)
            models = loaded.models.model_copy(update={"chat": chat})
            with Ascertain(loaded.model_copy(update={"models": models}), embedder=embedder) as knowledge:
                for question in questions:
                    role.take_up(question)
                    asked = question.get("text") or texts[question["id"]]
                    answer = knowledge.ask(asked, use_cache=False)
                    yield from score_answer(question, answer, role.calls)
                    if is_shown:
                        show_answer(asked, answer)
        finally:
            server.close()


@contextmanager
def find_home(corpus: str, homes: Path | None, embedder: Embedder) -> Iterator[Path | None]:
    """A copy of the knowledge base: what a model writes of themes is kept in it."""
    with tempfile.TemporaryDirectory(prefix="ascertain-sloppy-") as folder:
        copy = Path(folder) / "home"
        built = next((each for each in homes.glob(f"*{corpus}*") if each.is_dir()), None) if homes else None
        if built is not None:
            shutil.copytree(built, copy)
        elif corpus == "demo":
            with Ascertain(Settings(home=copy), embedder=embedder) as knowledge:
                for part in ("docs", "news", "papers", "podcasts"):
                    knowledge.add(str(DEMO / part))
        yield copy if copy.exists() else None


def read_texts() -> dict[str, str]:
    """The words of each question of the evaluation data; none where that is not there."""
    paths = [path for name in ("asked", "wild") for path in (data_folder() / name / "dev").glob("*.jsonl")]
    lines = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return {line["id"]: line["question"] for line in lines}


def score_answer(question: Question, answer: Answer, calls: int) -> Iterator[Row]:
    """Each sentence that the model wrote, with what became of it.

    A right one that is not shown is no loss where the answer says the same: has nearly all its words.
    """
    shown = {fold_words(sentence.text): sentence for sentence in answer.sentences}
    for said in list_sentences(question):
        pieces = [said["text"]] if said["is_code"] else [s.of(said["text"]) for s in split_sentences(said["text"])]
        found = [shown[fold_words(piece)] for piece in pieces if fold_words(piece) in shown]
        outcome = found[0].verdict.label.value if found else "not shown"
        if not found and said["kind"] == "right":
            wanted = set(content_terms(said["text"], ENGLISH))
            if len(wanted & set(content_terms(answer.text, ENGLISH))) >= 0.8 * len(wanted):
                outcome = "said otherwise"
        yield {
            "question": name_of(question),
            "kind": said["kind"],
            "text": said["text"],
            "outcome": outcome,
            "is_declined": answer.type is AnswerType.REJECTION,
            "calls": calls,
        }


def show_answer(asked: str, answer: Answer) -> None:
    show_remark(f"\n## {asked}  [{answer.type.value}, {answer.confidence.score}; {answer.confidence.caveat}]")
    for sentence in answer.sentences:
        show_remark(f"   {sentence.verdict.label.value:15} {sentence.text}")
    for decision in answer.decisions:
        if decision.node in ("claim", "check", "judge", "generate") or "distrust" in decision.outcome:
            show_remark(f"      {decision.node}: {decision.outcome} | {decision.reason}"[:260])


def count_rows(rows: Sequence[Row]) -> dict[str, Any]:
    invented = [row for row in rows if row["kind"] != "right"]
    right = [row for row in rows if row["kind"] == "right"]
    shown = [row for row in invented if row["outcome"] in ("supported", "inferred")]
    return {
        "questions": len({row["question"] for row in rows}),
        "inventions": len(invented),
        "shown_as_supported": len(shown),
        "shown_marked": sum(row["outcome"] == "not_in_sources" for row in invented),
        "questions_with_one": len({row["question"] for row in shown}),
        "shown_by_kind": dict(Counter(row["kind"] for row in shown)),
        "right": len(right),
        "right_lost": sum(row["outcome"] == "not shown" for row in right),
        "calls": round(
            sum({row["question"]: row["calls"] for row in rows}.values())
            / max(1, len({row["question"] for row in rows})),
            2,
        ),
    }


def compare_rows(rows: Sequence[Row], earlier: Sequence[Row]) -> None:
    before = {(row["question"], row["text"]): row["outcome"] for row in earlier}
    for row in rows:
        was = before.get((row["question"], row["text"]))
        if was is not None and was != row["outcome"]:
            show_remark(f"   {row['kind']}: {was} → {row['outcome']}: {row['text']}")


if __name__ == "__main__":
    main()
