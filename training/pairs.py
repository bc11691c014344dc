"""Training pairs: a question or a claim, a passage, and what each head should say of them.

python training/pairs.py --sets FOLDER --tokenizer FILE --out pairs.npz [--licences share-alike] [--seed 1]

Another seed gives other near misses, other windows and other made claims, for a second stage of training.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from tokenizers import Tokenizer

from edits import EDITS, shorten, split_sentences
from sets import LICENCES, list_sources, read_rows

UNKNOWN = -1
SUPPORT = {"supported": 0, "refuted": 1, "neutral": 2, "not_supported": 3}
"""``not_supported``: the set does not tell refuted from not said; the loss asks for either."""

MOST_ANSWER = 200
"""Longest answer, in characters, that is trained as a span: longer ones are whole paragraphs."""

LENGTHS = ((112, 0.6), (160, 0.25), (224, 0.15))
"""Longest pair in tokens, and the share of pairs cut to it. Passages are cut to a window around the answer."""

MOST_FIRST = 48
"""Longest question or claim, in tokens."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and the labels of the heads, ``UNKNOWN`` where a set does not say."""

    first: str
    second: str
    source: str
    spans: tuple[tuple[int, int], ...] = ()
    answerable: int = UNKNOWN
    relevance: int = UNKNOWN
    support: int = UNKNOWN
    answers: tuple[str, ...] = field(default=())


def make_question_pairs(name: str, rows: Iterable[dict[str, Any]], chance: random.Random) -> list[Pair]:
    """Pairs of a set of questions with passages."""
    made = []
    for row in rows:
        spans = tuple((start, end) for start, end, _ in row.get("answer_spans") or () if end - start <= MOST_ANSWER)
        answers = tuple(text for _, _, text in row.get("answer_spans") or ())
        answerable = int(bool(row["answerable"]))
        # A sentence of the right paragraph, or a passage that a near question was asked of, is near all the same.
        is_far = not answerable and name in ("ramdocs", "selqa_ass")
        relevance = 1 if answerable else 0 if is_far else UNKNOWN
        question = say_as_people_ask(row["question"], chance)
        made.append(Pair(question, row["passage"], name, spans, answerable, relevance, answers=answers))
    return made


def make_claim_pairs(name: str, rows: Iterable[dict[str, Any]]) -> list[Pair]:
    """Pairs of a set of claims with evidence."""
    return [Pair(row["claim"], row["evidence"], name, support=SUPPORT[row["label"]]) for row in rows]


_OPENING = re.compile(
    r"^(what (is|are|was|were|does|do|did)|who (is|was)|how (do|does|did|can) (i|you)|when (was|did|is)|the)\s+", re.I
)


def say_as_people_ask(question: str, chance: random.Random) -> str:
    """Some questions without their mark, some as bare words: nobody types like an annotator."""
    if chance.random() < 0.3:
        question = question.rstrip("? ")
        if chance.random() < 0.3:
            question = _OPENING.sub("", question)
    return question


class NearPassages:
    """Passages by BM25, to find those which look like an answer and hold none."""

    def __init__(self, passages: Iterable[str]) -> None:
        self._passages = sorted(set(passages))
        schema = (
            tantivy.SchemaBuilder()
            .add_text_field("text", tokenizer_name="en_stem")
            .add_integer_field("id", stored=True)
        )
        self._index = tantivy.Index(schema.build())
        writer = self._index.writer(heap_size=200_000_000, num_threads=1)
        for number, passage in enumerate(self._passages):
            writer.add_document(tantivy.Document(text=passage, id=number))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def find(self, question: str, without: str, answers: tuple[str, ...], most: int = 8) -> list[str]:
        """The nearest passages but the right one and those that hold an answer."""
        words = " ".join(re.findall(r"\w+", question.lower()))
        if not words:
            return []
        query = self._index.parse_query(words, ["text"])
        hits = self._searcher.search(query, most).hits
        found = [self._passages[self._searcher.doc(address)["id"][0]] for _, address in hits]
        low = [answer.lower() for answer in answers]
        return [each for each in found if each != without and not any(answer in each.lower() for answer in low)]


def add_near_misses(pairs: list[Pair], chance: random.Random) -> list[Pair]:
    """For most answered questions a near passage without the answer."""
    near = NearPassages(pair.second for pair in pairs if len(pair.second) > 150)
    made = []
    for pair in pairs:
        if pair.answerable != 1 or not pair.answers or chance.random() > 0.6:
            continue
        if found := near.find(pair.first, pair.second, pair.answers):
            # Mostly one of the first three, which a search would give beside the right one.
            passage = found[min(int(chance.expovariate(0.7)), len(found) - 1)]
            made.append(Pair(pair.first, passage, f"near {pair.source}", answerable=0, relevance=0))
    return made


def make_claims(passages: list[str], most: int, chance: random.Random) -> list[Pair]:
    """Claims from passages: as they stand, shortened, changed, and of another passage."""
    made: list[Pair] = []
    other = ""
    for passage in passages:
        sentences = split_sentences(passage)
        if len(sentences) < 3 or len(passage) < 350:
            continue
        sentence = chance.choice(sentences)
        claim = shorten(sentence, chance) if chance.random() < 0.7 else sentence
        kind = chance.random()
        if kind < 0.4:
            made.append(Pair(claim, passage, "made true", support=SUPPORT["supported"]))
        elif kind < 0.9:
            changed = [(edit, edit(claim, passage, chance)) for edit in chance.sample(EDITS, len(EDITS))]
            usable = [(edit, text) for edit, text in changed if text and text not in passage]
            if usable:
                edit, text = usable[0]
                made.append(Pair(text, passage, f"made {edit.__name__}", support=SUPPORT["not_supported"]))
        elif other:
            made.append(Pair(chance.choice(split_sentences(other)), passage, "made other", support=SUPPORT["neutral"]))
        other = passage
        if len(made) >= most:
            break
    return made


def collect_pairs(folder: Path, licences: str, seed: int, claim_share: float, made_claims: int) -> list[Pair]:
    """All pairs: of questions with near misses, ``claim_share`` of each set of claims, and claims made by rules."""
    chance = random.Random(seed)
    questions: list[Pair] = []
    claims: list[Pair] = []
    for source in list_sources(folder, licences):
        rows = read_rows(source, seed)
        if source.kind == "qa":
            questions += make_question_pairs(source.name, rows, chance)
        else:
            claims += make_claim_pairs(source.name, rows[: round(len(rows) * claim_share)])
    questions += add_near_misses(questions, chance)
    passages = sorted({pair.second for pair in questions if pair.source in PASSAGES})
    chance.shuffle(passages)
    return questions + claims + make_claims(passages, made_claims, chance)


PASSAGES = (
    "squad1_a",
    "squad1_b",
    "squadshifts_new_wiki",
    "squadshifts_reddit",
    "squad2_dev_half",
    "nq_open_oracle",
    "ramdocs",
    "covidqa",
)
"""Sets whose passages claims are made from."""


def load_tokenizer(path: Path) -> Any:
    """The tokenizer of the file, which gives every token of a text and no others."""
    tokenizer: Any = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode_pair(pair: Pair, tokenizer: Any, most: int, chance: random.Random) -> tuple[list[int], int, int, int] | None:
    """Token ids, where the passage begins, and the span in tokens (0, 0 for none); None where the answer is cut."""
    first = tokenizer.encode(pair.first, add_special_tokens=False).ids[:MOST_FIRST]
    second = tokenizer.encode(pair.second, add_special_tokens=False)
    room = most - len(first) - 3
    start = end = 0
    if pair.spans:
        start_character, end_character = chance.choice(pair.spans)
        inside = [
            token
            for token, (left, right) in enumerate(second.offsets)
            if right > start_character and left < end_character
        ]
        if not inside:
            return None
        start, end = inside[0], inside[-1]
    begin = 0
    if len(second.ids) > room:
        low, high = (
            (max(0, end - room + 1), min(start, len(second.ids) - room)) if pair.spans else (0, len(second.ids) - room)
        )
        if pair.support != UNKNOWN or low > high:
            low = high = 0  # a claim is made over the beginning; an answer longer than the window is cut
        begin = chance.randint(low, high)
    kept = second.ids[begin : begin + room]
    ids = [CLS, *first, SEP, *kept, SEP]
    offset = len(first) + 2
    if pair.spans:
        start, end = start - begin + offset, end - begin + offset
        if not offset <= start <= end < len(ids) - 1:
            return None
    return ids, offset, start, end


CLS, SEP = 101, 102
"""Of the uncased vocabulary of BERT."""


def encode_pairs(pairs: list[Pair], tokenizer: Any, seed: int) -> dict[str, Any]:
    """Arrays of all pairs, tokens end to end."""
    chance = random.Random(seed)
    lengths, shares = zip(*LENGTHS, strict=True)
    columns: dict[str, list[int]] = {
        name: [] for name in ("length", "offset", "start", "end", "answerable", "relevance", "support")
    }
    tokens: list[int] = []
    kept: Counter[str] = Counter()
    for pair in pairs:
        most = chance.choices(lengths, shares)[0]
        if (encoded := encode_pair(pair, tokenizer, most, chance)) is None:
            pair = replace(pair, spans=())  # noqa: PLW2901
            encoded = encode_pair(pair, tokenizer, most, chance)
            if encoded is None or pair.answerable == 1:
                continue
        ids, offset, start, end = encoded
        tokens += ids
        # No span where the set does not say which words answer; the first token where nothing does.
        if not pair.spans and pair.answerable != 0:
            start = end = UNKNOWN
        values = (len(ids), offset, start, end, pair.answerable, pair.relevance, pair.support)
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
        kept[pair.source] += 1
    print("\n".join(f"{count:7d} {name}" for name, count in kept.most_common()))
    return {"tokens": np.array(tokens, np.uint16)} | {
        name: np.array(values, np.int16) for name, values in columns.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, required=True, help="folder of labelled sets with its index.jsonl")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the encoder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--licences", choices=tuple(LICENCES), default="share-alike")
    parser.add_argument("--claim-share", type=float, default=1.0, help="share of the rows of each set of claims")
    parser.add_argument("--made-claims", type=int, default=14_000, help="most claims made from passages by rules")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tokenizer = load_tokenizer(given.tokenizer)
    pairs = collect_pairs(given.sets, given.licences, given.seed, given.claim_share, given.made_claims)
    np.savez(given.out, **encode_pairs(pairs, tokenizer, given.seed))


if __name__ == "__main__":
    main()
