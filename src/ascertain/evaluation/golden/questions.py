"""Golden sets: questions with what their answer has to hold and which documents hold it, checked by a person.

One JSON object a line:

    {"id": "r1", "question": "How long is removed data kept?", "answers": ["72 hours"], "answerable": true,
     "relevant": [{"source": "docs/retention.md", "grade": 2, "quote": "after a grace period of 72 hours"}],
     "as_of": "2024-12-05T18:00", "tags": ["number"], "validated": true, "validated_by": "Kim"}

``source`` is the end of a document's path or address, or its title; ``grade`` 2 says that the document answers, 1 that it helps.
``quote`` is what answers, in the document's own words. ``answers`` are alternatives; a question that the documents do not answer has
``answerable`` false. ``history`` holds the turns before it. ``validated`` is true once someone has checked it against the text, and
``validated_by`` says who, if known: the shipped set was checked by a language model, not by a person.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ascertain.app.ascertain import Ascertain
from ascertain.app.demo import add_demo, read_demo
from ascertain.app.wire.evaluation import QuotedPlaceJson
from ascertain.core.asking.requests import Turn
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.errors import SourceError, UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import contains_any
from ascertain.evaluation.sets.datasets import CorpusText, EvaluationSet, Query
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, build_once, locate_user_cache

DEMO = "demo"
"""The name of the golden set that is shipped: of the demo corpus."""
LANGUAGE_MODEL = "language model"
"""Who validated what no person has checked."""
ANSWERS = 2
"""The grade of a document that answers by itself."""


class Relevant(BaseModel):
    """A document that a question is answered from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    grade: int = Field(default=ANSWERS, ge=1, le=3)
    quote: str = ""


class _Turn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str = Field(pattern="^(user|assistant)$")
    text: str


class GoldenQuestion(BaseModel):
    """One line of a golden set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answers: tuple[str, ...] = ()
    answerable: bool = True
    relevant: tuple[Relevant, ...] = ()
    history: tuple[_Turn, ...] = ()
    as_of: datetime | None = None
    tags: tuple[str, ...] = ()
    validated: bool = False
    validated_by: str = ""
    note: str = ""

    @property
    def moment(self) -> datetime | None:
        """When it is asked, time-zone aware; None for now."""
        return self.as_of if self.as_of is None or self.as_of.tzinfo else self.as_of.replace(tzinfo=UTC)


def locate_golden(name: Path) -> Path:
    """The file that ``--golden`` names: ``demo`` is the set that is shipped."""
    if str(name) == DEMO and not name.exists():
        return Path(str(files("ascertain"))) / "data" / "demo_corpus" / "golden.jsonl"
    return name


def read_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a file; UsageError where there is none, SourceError with file and line for a malformed one."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; --golden names a file of questions, or demo") from None
    questions: dict[str, GoldenQuestion] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            question = GoldenQuestion.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            raise SourceError(f"{path}:{number}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        if question.id in questions:
            raise SourceError(f"{path}:{number}: the id {question.id!r} was used before")
        questions[question.id] = question
    if not questions:
        raise SourceError(f"{path}: empty; it needs at least one question")
    return list(questions.values())


def write_golden(questions: Iterable[GoldenQuestion], path: Path) -> None:
    """Write the questions, one a line, with nothing that is as it is by default."""
    rows = (question.model_dump(mode="json", exclude_defaults=True) for question in questions)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def open_golden_home(name: Path, settings: Settings, cache: Path | None, listener: Listener) -> Settings:
    """Settings whose home holds the documents of a golden set: those in force, or for ``demo`` one with the demo, which is cached in
    ``cache``, by default that of the user, and reused.
    """
    if str(name) != DEMO or name.exists():
        return settings
    demo = read_demo()
    settings = settings.model_copy(update={"now": demo.now, "store": settings.store.in_folder()})

    def add(app: Ascertain) -> None:
        listener.progress("demo: reading its documents")
        add_demo(app, demo)

    folders = [folder for folder, _ in demo.folders]
    home = build_once(folders, DEMO, (cache or locate_user_cache()) / "homes", settings, add=add)
    return settings.model_copy(update={"home": home})


def open_golden(
    questions: Sequence[GoldenQuestion], name: str, settings: Settings, listener: Listener
) -> Iterator[tuple[EvaluationSet, Knowledge]]:
    """The questions with the knowledge base of ``settings``, once for each moment that they are asked as of.

    Raises UsageError where the home holds no documents or lacks one that a question names.
    """
    not_validated = sum(not question.validated for question in questions)
    if not_validated:
        listener.remark(f"{name}: {not_validated} questions were not validated; check them with `eval validate`")
    by_model = sum(question.validated and question.validated_by == LANGUAGE_MODEL for question in questions)
    if by_model:
        listener.remark(f"{name}: {by_model} questions were validated by a language model, not by a person")
    moments = dict.fromkeys(question.moment for question in questions)
    for moment in moments:
        here = [question for question in questions if question.moment == moment]
        dated = settings if moment is None else settings.model_copy(update={"now": moment})
        with Ascertain(dated) as app:
            records = app.documents() if app.exists else []
            if not records:
                raise UsageError(f"{app.place} has no documents; add those of the golden set: ascertain add FOLDER")
            texts = open_texts(app)
            label = name if len(moments) == 1 else f"{name} {moment:%Y-%m-%d}" if moment else name
            data = build_set(label, here, records, texts)
            yield (
                data,
                Knowledge(
                    app=app,
                    corpus_ids={record.id: record.source for record in records},
                    document_ids={record.source: record.id for record in records},
                    texts=texts,
                    index_seconds=0.0,
                ),
            )


def build_set(
    name: str, questions: Sequence[GoldenQuestion], records: Sequence[DocumentRecord], texts: Mapping[str, str]
) -> EvaluationSet:
    """The questions as a set over stored documents, each named by its source."""
    queries: list[Query] = []
    judgements: dict[str, dict[str, int]] = {}
    for question in questions:
        gold: tuple[str, Span] | None = None
        for relevant in question.relevant:
            found = find_documents(relevant.source, records)
            if not found:
                raise UsageError(
                    f"{question.id}: no document is called {relevant.source!r}; 'source' is the end of a path or a title, "
                    "as `ascertain documents` shows it"
                )
            for record in found:
                judgements.setdefault(question.id, {})[record.source] = relevant.grade
            span = find_quote(relevant.quote, texts[found[0].id]) if relevant.quote and gold is None else None
            gold = (found[0].source, span) if span else gold
        queries.append(_build_query(question, gold))
    corpus = tuple(CorpusText(record.source, record.title, "") for record in records)
    return EvaluationSet(name, corpus, tuple(queries), judgements)


def _build_query(question: GoldenQuestion, gold: tuple[str, Span] | None) -> Query:
    return Query(
        id=question.id,
        text=question.question,
        answers=question.answers,
        answerable=question.answerable,
        history=tuple(Turn("user" if turn.role == "user" else "assistant", turn.text) for turn in question.history),
        gold_document=gold[0] if gold else None,
        gold=(gold[1],) if gold else (),
    )


def find_documents(source: str, records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
    """The documents that ``source`` names, and those that are nearly the same; by path or address first, else by title."""
    held = list(records)
    named = [r for r in held if _ends_with(r.source, source) or (r.url is not None and _ends_with(r.url, source))]
    found = named or [record for record in held if record.title == source]
    ids = {record.id for record in found}
    return [*found, *(record for record in held if record.duplicate_of in ids and record.id not in ids)]


def _ends_with(path: str, end: str) -> bool:
    whole, part = path.replace("\\", "/"), end.replace("\\", "/").lstrip("/")
    return whole == end or whole.endswith("/" + part)


def find_quote(quote: str, text: str) -> Span | None:
    """Where the quote stands in the text, white space aside; None where it does not."""
    words = quote.split()
    if not words:
        return None
    start = text.find(quote)
    if start >= 0:
        return Span(start, start + len(quote))
    places = [i for i, character in enumerate(text) if not character.isspace()]
    begin = "".join(text.split()).find("".join(words))
    return None if begin < 0 else Span(places[begin], places[begin + len("".join(words)) - 1] + 1)


def check_golden(
    questions: Iterable[GoldenQuestion], records: Sequence[DocumentRecord], texts: Mapping[str, str]
) -> list[str]:
    """The problems of the questions, a line each: missing documents, quotes and answers found in none."""
    problems: list[str] = []
    for question in questions:
        held = {relevant: find_documents(relevant.source, records) for relevant in question.relevant}
        if question.answerable and not question.relevant:
            problems.append(f"{question.id}: answerable, but no document is named")
        for relevant, found in held.items():
            if not found:
                problems.append(f"{question.id}: no document is called {relevant.source!r}")
            elif relevant.quote and find_quote(relevant.quote, texts[found[0].id]) is None:
                problems.append(f"{question.id}: {relevant.source} does not say {relevant.quote!r}")
        said = " ".join(texts[record.id] for found in held.values() for record in found)
        if question.answers and said and not contains_any(said, question.answers):
            problems.append(f"{question.id}: none of its documents says {' or '.join(map(repr, question.answers))}")
    return problems


AROUND = 200
"""Characters shown on each side of a quotation."""


def place_quote(relevant: Relevant, records: Sequence[DocumentRecord], texts: Mapping[str, str]) -> QuotedPlaceJson:
    """What a document says around the words that answer."""
    found = find_documents(relevant.source, records)
    text = texts[found[0].id] if found else ""
    span = find_quote(relevant.quote, text)
    before = "" if span is None else text[max(0, span.start - AROUND) : span.start]
    after = "" if span is None else text[span.end : span.end + AROUND]
    return QuotedPlaceJson(
        source=relevant.source,
        grade=relevant.grade,
        quote=relevant.quote if span is None else " ".join(span.of(text).split()),
        before=" ".join(before.split()),
        after=" ".join(after.split()),
        is_there=span is not None,
    )


class _Texts(Mapping[str, str]):
    """Texts of stored documents by id, each read when it is asked for."""

    def __init__(self, app: Ascertain) -> None:
        self._app = app

    def __getitem__(self, key: str) -> str:
        document = self._app.document(key)
        if document is None:
            raise KeyError(key)
        return document.text

    def __iter__(self) -> Iterator[str]:
        return (record.id for record in self._app.documents())

    def __len__(self) -> int:
        return self._app.count()


def open_texts(app: Ascertain) -> Mapping[str, str]:
    """The text of each document of a knowledge base by its id."""
    return _Texts(app)
