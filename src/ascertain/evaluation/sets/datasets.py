"""Evaluation sets on disk.

A set is a folder with ``corpus.jsonl`` (``_id``, ``title``, ``text``), ``queries.jsonl`` (``_id``, ``text`` and,
where known, ``answer``, ``answer_aliases``, ``answerable``, ``docids``, ``history``, and ``doc`` with ``spans``) and
``qrels.tsv`` (query id, corpus id, relevance; a header line is allowed). Unknown keys are ignored.
"""

import json
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from ascertain.core.asking.requests import Turn
from ascertain.core.documents.blocks import Span
from ascertain.core.errors import SourceError, UsageError

T = TypeVar("T")


class _Malformed(Exception):
    """What is wrong with a row; ``_read_lines`` adds its place."""


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question with whatever is known about its answer.

    ``answers`` are equivalent alternatives. ``answerable`` is None if unknown. ``documents``, when not empty,
    are the only ones the question is asked of. ``gold`` are spans of the text named ``gold_document``.
    """

    id: str
    text: str
    answers: tuple[str, ...] = ()
    answerable: bool | None = None
    documents: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    gold_document: str | None = None
    gold: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A corpus, its queries and the judgements: query id → corpus id → relevance.

    ``notes`` are remarks for people about what was found odd, but not wrong, in the files.
    """

    name: str
    corpus: tuple[CorpusText, ...]
    queries: tuple[Query, ...]
    judgements: Mapping[str, Mapping[str, int]]
    notes: tuple[str, ...] = ()


def read_set(folder: Path) -> EvaluationSet:
    """The set in ``folder``; a missing ``qrels.tsv`` means no judgements.

    Raises UsageError when the folder or one of its two JSONL files is not there, and SourceError, naming file and
    line, for anything malformed: no JSON object, a missing or mistyped key, an id used twice, a ``docids`` entry or span
    that is not in the corpus.
    """
    for path in (folder / "corpus.jsonl", folder / "queries.jsonl"):
        if not path.is_file():
            raise UsageError(f"{path}: not found; an evaluation set is a folder with corpus.jsonl and queries.jsonl")
    corpus = {text.id: text for text in _read_lines(folder / "corpus.jsonl", _corpus_text)}
    if not corpus:
        raise SourceError(f"{folder / 'corpus.jsonl'}: empty; it needs at least one text")

    def query(row: Mapping[str, Any]) -> Query:
        return _read_query(row, corpus)

    queries = tuple(_read_lines(folder / "queries.jsonl", query))
    if not queries:
        raise SourceError(f"{folder / 'queries.jsonl'}: empty; it needs at least one query")
    judgements = _read_judgements(folder / "qrels.tsv")
    notes = _find_dangling(judgements, {query.id for query in queries}, corpus)
    return EvaluationSet(folder.name, tuple(corpus.values()), queries, judgements, notes)


def _read_lines(path: Path, build: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    seen: set[str] = set()
    for where, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SourceError(f"{where}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise SourceError(f"{where}: expected a JSON object, found {type(row).__name__}")
        try:
            item = build(cast("Mapping[str, Any]", row))
            identifier = _read_string(cast("Mapping[str, Any]", row), "_id")
        except _Malformed as error:
            raise SourceError(f"{where}: {error}") from None
        if identifier in seen:
            raise SourceError(f"{where}: the id {identifier!r} was used before")
        seen.add(identifier)
        yield item


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """``file:line`` and text of each line that is not blank, split at line feeds only."""
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield f"{path}:{number}", line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}") from None


def _corpus_text(row: Mapping[str, Any]) -> CorpusText:
    return CorpusText(_read_string(row, "_id"), _read_string(row, "title", ""), _read_string(row, "text"))


def _read_query(row: Mapping[str, Any], corpus: Mapping[str, CorpusText]) -> Query:
    text = _read_string(row, "text")
    if not text.strip():
        raise _Malformed("'text' is empty; a query needs a question")
    documents = _read_strings(row, "docids")
    gold_document = _read_string(row, "doc", "") or None
    for named in (*documents, *((gold_document,) if gold_document else ())):
        if named not in corpus:
            raise _Malformed(f"the document {named!r} is not in corpus.jsonl")
    answerable = row.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise _Malformed("'answerable' must be true, false or absent")
    return Query(
        id=_read_string(row, "_id"),
        text=text,
        answers=(*_read_strings(row, "answer"), *_read_strings(row, "answer_aliases")),
        answerable=answerable,
        documents=documents,
        history=_read_history(row.get("history") or []),
        gold_document=gold_document,
        gold=_read_spans(row.get("spans") or [], corpus[gold_document].text) if gold_document else (),
    )


def _read_string(row: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = row.get(key, default)
    if not isinstance(value, str):
        raise _Malformed(f"{key!r} must be a string" + ("" if key in row else ", and is missing"))
    return value


def _read_strings(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value: object = row.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[object]", value)):
        raise _Malformed(f"{key!r} must be a string or a list of strings")
    return tuple(cast("list[str]", value))


def _read_history(value: object) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for item in cast("list[object]", value) if isinstance(value, list) else [None]:
        if not isinstance(item, dict):
            raise _Malformed("'history' must be a list of {speaker, text}")
        turn = cast("Mapping[str, Any]", item)
        role = "user" if _read_string(turn, "speaker") == "user" else "assistant"
        turns.append(Turn(role, _read_string(turn, "text")))
    return tuple(turns)


def _read_spans(value: object, text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    for item in cast("list[object]", value) if isinstance(value, list) else [None]:
        ends = cast("list[object]", item) if isinstance(item, list) else []
        if len(ends) != 2 or not all(isinstance(end, int) for end in ends):
            raise _Malformed("'spans' must be a list of [start, end]")
        span = Span(*cast("list[int]", ends))
        if not 0 <= span.start < span.end <= len(text):
            raise _Malformed(f"the span {list(span)} lies outside its document of {len(text)} characters")
        spans.append(span)
    return tuple(spans)


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    if not path.is_file():
        return judgements
    for index, (where, line) in enumerate(_lines(path)):
        fields = line.split("\t")
        if len(fields) == 4:
            fields = [fields[0], *fields[2:]]  # TREC's own form has an iteration number in second place
        if len(fields) != 3:
            raise SourceError(
                f"{where}: expected query id, corpus id and relevance, tab-separated; found {line[:200]!r}"
            )
        query, document, gain = (field.strip() for field in fields)
        try:
            relevance = int(gain)
        except ValueError:
            if index == 0:
                continue  # a header
            raise SourceError(f"{where}: the relevance {gain!r} is not a whole number") from None
        judgements.setdefault(query, {})[document] = relevance
    return judgements


def _find_dangling(
    judgements: Mapping[str, Mapping[str, int]], queries: set[str], documents: Container[str]
) -> tuple[str, ...]:
    """Judgements that name nothing we have. trec_eval accepts them, and so do we, but not silently."""
    strangers = sum(query not in queries for query in judgements)
    lost = sum(document not in documents for gains in judgements.values() for document in gains)
    notes: list[str] = []
    if strangers:
        notes.append(f"qrels.tsv judges {strangers} queries that queries.jsonl does not have; they are ignored")
    if lost:
        notes.append(
            f"qrels.tsv names documents {lost} times that corpus.jsonl does not have; relevant ones count as not found"
        )
    return tuple(notes)
