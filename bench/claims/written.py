"""How well the checker of answers tells true sentences from false ones, as a good chat model writes them.

    python -m bench.claims.written [--set dev dev_x] [--model none yes truth] [--failures 20] [--out FILE] [--against FILE]

The sentences lie in ``claims_written`` of the evaluation data, each with its question, its citations and a label. ``none`` is the offline
checker. ``yes`` is a chat model that says yes to everything (its control is switched off): what is then not shown was taken back by rules.
``truth`` is one that knows the label, and says yes only where the sources it is shown hold the quotations that the sentence needs:
what is then not shown is the product's loss with the best model there can be. A sentence is shown where every claim of it is supported or inferred.

    python -m bench.claims.written --play FOLDER

has somebody play the model (see bench/chat_models/played.py) on every third sentence of dev, 60 in all: the first run writes FOLDER/requests.json, prompts by id; with
FOLDER/replies.json, replies by id, beside it, the next one scores them.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import re
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ascertain.answering.checking import model_verification
from ascertain.answering.checking.model_verification import ModelChecker
from ascertain.answering.checking.verification import EntailmentChecker, Verifier
from ascertain.answering.composition import Composition
from ascertain.app.container.chosen_models import ChosenModels
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.passages import Confidence, Level, Passage
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Block, BlockKind, Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.core.errors import ModelError
from ascertain.core.settings.answers import VerificationSettings
from ascertain.core.settings.models import ModelSettings
from ascertain.language.languages import ENGLISH
from ascertain.models.prompts import Prompts
from bench.setting import circumstances, data_folder, save, show_remark

TRUE, FALSE = ("supported", "needs_both"), ("unsupported", "contradicted")
WORST_FIRST = ("contradicted", "not_in_sources", "inferred", "supported")
SHOWN = ("supported", "inferred")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs="*", default=["dev", "dev_x"], help="files of the folder by name")
    parser.add_argument("--model", nargs="*", choices=("none", "yes", "truth"), default=["none", "yes", "truth"])
    parser.add_argument("--failures", type=int, default=0, help="how many wrong verdicts are shown")
    parser.add_argument("--out", type=Path, help="where every verdict is written")
    parser.add_argument("--against", type=Path, help="an earlier --out: which sentences got better and worse")
    parser.add_argument("--play", type=Path, help="folder of requests and replies that somebody writes")
    options = parser.parse_args()
    if options.play:
        play(options.play)
        return
    results: dict[str, Any] = {"circumstances": circumstances()}
    kept: dict[str, Any] = {}
    for name in options.set:
        lines = (data_folder() / "claims_written" / f"{name}.jsonl").read_text("utf-8").splitlines()
        items = [json.loads(line) for line in lines]
        for mode in options.model:
            began = time.perf_counter()
            rows = check_items(items, mode)
            results.setdefault(name, {})[mode] = show_figures(rows, f"{name}, model: {mode}", options.failures) | {
                "seconds": round(time.perf_counter() - began, 1)
            }
            kept[f"{name}/{mode}"] = rows
            if options.against:
                compare_rows(rows, json.loads(options.against.read_text("utf-8")).get(f"{name}/{mode}", []))
    if options.out:
        options.out.write_text(json.dumps(kept, ensure_ascii=False, indent=1), "utf-8")
    save("claims_written", results)


# The checker as app/asking/steps.py builds it.


class Stub:
    """A chat model for the task of checking claims only, which plays ``yes`` or ``truth`` for ``item``."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.item: dict[str, Any] = {}

    def ask(self, task: object, messages: Sequence[Any], answer: Any, run: Run) -> Any:
        """One verdict for each sentence of the request."""
        text = messages[-1].content
        sources = {
            number: re.sub(r"^\| ?", "", body, flags=re.M)
            for number, body in re.findall(r'<source\b[^>]*?number="(\d+)"[^>]*>\n(.*?)\n</source ', text, re.S)
        }
        verdicts = [
            {"claim": int(number), "verdict": self.judge([sources[n] for n in re.findall(r"\d+", cites)])}
            for number, cites in re.findall(r'<claim\b[^>]*?number="(\d+)" cites="([\d, ]*)"', text)
        ]
        return answer.model_validate({"verdicts": verdicts})

    def judge(self, sources: list[str]) -> str:
        """The verdict on a sentence that cites these."""
        if self.mode == "yes":
            return "supported"
        shown = squash("\n".join(sources))
        held = [squash(cited["quote"]) in shown for cited in self.item["citations"]]
        label = self.item["label"]
        if label == "needs_both":
            return "supported" if all(held) else "not_in_sources"
        if label == "supported":
            return "supported" if any(held) else "not_in_sources"
        return "contradicted" if label == "contradicted" and any(held) else "not_in_sources"


class Player:
    """A chat model whose replies somebody has written, by the id of the sentence; what it is asked without one is kept."""

    def __init__(self, replies: dict[str, Any]) -> None:
        self.replies = replies
        self.requests: dict[str, str] = {}
        self.item: dict[str, Any] = {}

    def ask(self, task: object, messages: Sequence[Any], answer: Any, run: Run) -> Any:
        """The reply that was written. Raises ModelError where there is none."""
        name = self.item["id"]
        if name not in self.replies:
            self.requests[name] = "\n\n".join(message.content for message in messages)
            raise ModelError("nobody has replied yet")
        return answer.model_validate(self.replies[name])


PLAYED, STEP = 60, 3


def play(folder: Path) -> None:
    lines = (data_folder() / "claims_written" / "dev.jsonl").read_text("utf-8").splitlines()
    items = [json.loads(line) for line in lines[::STEP]][:PLAYED]
    path = folder / "replies.json"
    player = Player(json.loads(path.read_text("utf-8")) if path.is_file() else {})
    rows = check_with(player, items)
    if player.requests:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "requests.json").write_text(json.dumps(player.requests, ensure_ascii=False, indent=1), "utf-8")
        print(f"{len(player.requests)} requests wait in {folder / 'requests.json'}")
        return
    save(
        "claims_written_played", {"circumstances": circumstances(), "dev": show_figures(rows, "dev, played", len(rows))}
    )


def check_items(items: list[dict[str, Any]], mode: str) -> list[dict[str, Any]]:
    """Each sentence with the label that it would be shown with, and its claims."""
    # the controls would unmask a model that says yes to all
    model_verification.make_controls = lambda statements: iter(())
    return check_with(None if mode == "none" else Stub(mode), items)


def check_with(model: Stub | Player | None, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same by ``model``, by the offline checker where there is none."""
    documents: dict[str, Document] = {}
    rules = EntailmentChecker(ChosenModels(ModelSettings()).rule_entailment, VerificationSettings().support)
    verifier = Verifier(rules if model is None else ModelChecker(model, Prompts(), rules), documents.get)
    rows: list[dict[str, Any]] = []
    for item in items:
        if model is not None:
            model.item = item
        verdict, claims = check_sentence(verifier, documents, item)
        shared = {key: item[key] for key in ("id", "label", "kind", "language", "sentence")}
        rows.append(shared | {"verdict": verdict, "claims": claims})
    return rows


def check_sentence(
    verifier: Verifier, documents: dict[str, Document], item: dict[str, Any]
) -> tuple[str, list[tuple[str, str, float, str]]]:
    """The worst label of the claims of a sentence, and the claims with label, score and reason."""
    citations: list[Citation] = []
    passages: dict[str, Passage] = {}
    for number, cited in enumerate(item["citations"], 1):
        text, quote, start = cited["passage"], cited["quote"], cited["quote_start"]
        if text[start : start + len(quote)] != quote:
            start = text.find(quote)
            if start < 0:  # the quotation does not lie in one chunk
                text, start = cited["around"], cited["around"].find(quote)
        key = hashlib.sha256((cited["document"] + text).encode()).hexdigest()[:20]
        place = Place(cited["page"], tuple(cited["section"]), cited["speaker"], cited["time"], None, cited["part"])
        whole = Span(0, len(text))
        kinds = [BlockKind.TURN] if cited["speaker"] else []
        kinds += [BlockKind.SECTION] if cited["section"] else []
        kinds += [BlockKind.PAGE] if cited["page"] else []
        published = datetime.fromisoformat(cited["published_at"]) if cited["published_at"] else None
        shared: dict[str, Any] = {
            "title": cited["title"],
            "kind": DocumentKind(cited["kind"]),
            "source": cited["document"],
            "published_at": published,
            "language": cited["language"],
            "author": cited["source_name"] or None,
        }
        blocks = tuple(Block(kind, whole, place) for kind in kinds)
        documents[key] = Document(id=key, text=text, blocks=blocks, **shared)
        chunk = Chunk(
            id=f"{key}:0-{len(text)}",
            document_id=key,
            index=0,
            span=whole,
            text=text,
            heading=cited["heading"],
            place=place,
            **shared,
        )
        passages.setdefault(key, Passage(chunk, 0.9))
        span = Span(start, start + len(quote))
        citation = Citation(number, key, cited["title"], None, published, quote, span, place, cited["document"])
        citations.append(citation)
    unknown = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
    sentence = AnswerSentence(item["sentence"], unknown, tuple(c.number for c in citations))
    confidence = Confidence(Level.HIGH, 90)
    composition = Composition(item["sentence"], (sentence,), tuple(citations), confidence, (), AnswerType.SUMMARY)
    run = Run(Budget(calls=10_000, tokens=10**9, seconds=10**6, usd=10**6))
    found = verifier.verify(composition, tuple(passages.values()), item["question"], ENGLISH, run)
    labels = {str(claim.verdict.label) for claim in found.claims}
    label = next(label for label in WORST_FIRST if label in labels)
    return label, [(c.text, str(c.verdict.label), round(c.verdict.score, 3), c.reason) for c in found.claims]


def squash(text: str) -> str:
    return " ".join(text.split())


def measure(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares in percent; ``balanced`` is the mean of true ones shown and false ones not shown."""
    groups = {label: [row for row in rows if row["label"] == label] for label in (*TRUE, *FALSE)}
    true = [row for label in TRUE for row in groups[label]]
    false = [row for label in FALSE for row in groups[label]]
    kept, let_through = share(true, *SHOWN), share(false, *SHOWN)
    balanced = None if kept is None or let_through is None else round((kept + 100 - let_through) / 2, 1)
    return {
        "sentences": len(rows),
        "balanced": balanced,
        "true_shown": kept,
        "needs_both_shown": share(groups["needs_both"], *SHOWN),
        "true_contradicted": share(true, "contradicted"),
        "false_shown": let_through,
        "contradicted_found": share(groups["contradicted"], "contradicted"),
        "unsupported_found": share(groups["unsupported"], "not_in_sources"),
    }


def share(rows: list[dict[str, Any]], *verdicts: str) -> float | None:
    return round(100 * sum(row["verdict"] in verdicts for row in rows) / len(rows), 1) if rows else None


def show_figures(rows: list[dict[str, Any]], title: str, failures: int) -> dict[str, Any]:
    total = measure(rows)
    show_remark(f"\n== {title}: " + ", ".join(f"{name} {value}" for name, value in total.items()))
    by_kind: dict[str, dict[str, int]] = {}
    for labels, what in ((TRUE, "true"), (FALSE, "false")):
        some = [row for row in rows if row["label"] in labels]
        for kind in sorted({row["kind"] for row in some}):
            count = collections.Counter(row["verdict"] for row in some if row["kind"] == kind)
            by_kind[f"{what}/{kind}"] = {label: count[label] for label in reversed(WORST_FIRST)}
            shown = " ".join(f"{count[label]:4}" for label in reversed(WORST_FIRST))
            show_remark(f"   {what:5} {kind:16} {count.total():4}   {shown}")
    wrong = [row for row in rows if (row["label"] in TRUE) != (row["verdict"] in SHOWN)]
    for row in wrong[:failures]:
        show_remark(f"   WRONG {row['id']} {row['label']}/{row['kind']} -> {row['verdict']}: {row['sentence']}")
        for claim, label, score, reason in row["claims"]:
            show_remark(f"         {label} {score} {claim[:100]!r}: {reason[:140]}")
    return {"total": total, "by_kind": by_kind}


def compare_rows(rows: list[dict[str, Any]], earlier: list[dict[str, Any]]) -> None:
    before = {row["id"]: row["verdict"] in SHOWN for row in earlier}
    moved = [row for row in rows if row["id"] in before and before[row["id"]] != (row["verdict"] in SHOWN)]
    better = [row["id"] for row in moved if (row["label"] in TRUE) == (row["verdict"] in SHOWN)]
    worse = [row["id"] for row in moved if (row["label"] in TRUE) != (row["verdict"] in SHOWN)]
    show_remark(f"   better: {len(better)} {' '.join(better)}\n   worse: {len(worse)} {' '.join(worse)}")


if __name__ == "__main__":
    main()
