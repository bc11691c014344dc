"""Reads public benchmarks in the forms they are published in, and writes them as sets of our own (``evaluation.datasets``).

Every reader takes the downloaded files by role ("data", and "corpus" where there are two) and a folder to write into. ``count`` takes so
many questions, evenly spread, and only the texts that were published with these: the pooled corpus of HippoRAG's protocol
(Gutiérrez et al., 2024). All raise SourceError for a file of another form.
"""

import io
import json
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, cast

from ascertain.core.errors import SourceError
from ascertain.language.sentences import split_sentences

Row = Mapping[str, Any]
Files = Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a benchmark: ``member`` of the archive, ``variant`` of the benchmark, ``count`` of the questions (None is all)."""

    member: str = ""
    variant: str = ""
    count: int | None = None


def write_public_set(form: str, files: Files, folder: Path, wanted: Wanted) -> None:
    """Write the benchmark as a set into ``folder``, which is there and empty."""
    try:
        FORMS[form](files, folder, wanted)
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        names = ", ".join(path.name for path in files.values())
        raise SourceError(f"{names}: not in the form of {form} ({type(error).__name__}: {error})") from error


def write_beir(files: Files, folder: Path, wanted: Wanted) -> None:
    """``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv`` (``dev.tsv`` for MS MARCO) in an archive; only judged queries are kept."""
    with zipfile.ZipFile(files["data"]) as archive:
        names = set(archive.namelist())
        split = next(name for name in ("test", "dev") if f"{wanted.variant}/qrels/{name}.tsv" in names)
        with _open_member(archive, f"{wanted.variant}/qrels/{split}.tsv") as lines:
            judged = [line.rstrip("\r\n").split("\t") for line in lines][1:]
        asked = _choose_evenly(list(dict.fromkeys(row[0] for row in judged)), wanted.count)
        chosen = set(asked)
        with _open_member(archive, f"{wanted.variant}/queries.jsonl") as lines:
            queries = [row for line in lines if (row := json.loads(line))["_id"] in chosen]
        _write_lines(folder / "queries.jsonl", ({"_id": row["_id"], "text": row["text"]} for row in queries))
        with _open_member(archive, f"{wanted.variant}/corpus.jsonl") as lines:
            rows = (json.loads(line) for line in lines)
            texts = ({"_id": row["_id"], "title": row.get("title") or "", "text": row["text"]} for row in rows)
            _write_lines(folder / "corpus.jsonl", texts)
    _write_judgements(folder, ((query, text, int(gain)) for query, text, gain in judged if query in chosen))


def write_hotpotqa(files: Files, folder: Path, wanted: Wanted) -> None:
    """A list of questions with ``context`` ([title, sentences]) and ``supporting_facts`` ([title, sentence]); 2WikiMultihopQA too."""
    rows = _choose_evenly(cast("list[Row]", _read_json(files["data"], wanted.member)), wanted.count)
    texts = _Texts()
    queries: list[Row] = []
    judged: list[tuple[str, str, int]] = []
    for row in rows:
        ids = {title: texts.add(title, "".join(sentences).strip()) for title, sentences in row["context"]}
        queries.append({"_id": row["_id"], "text": row["question"], "answer": row["answer"], "type": row["type"]})
        gold = dict.fromkeys(title for title, _ in row["supporting_facts"])
        judged += [(row["_id"], ids[title], 1) for title in gold if title in ids]
    _write_set(folder, texts, queries, judged)


def write_musique(files: Files, folder: Path, wanted: Wanted) -> None:
    """Lines with ``paragraphs``, some of which are ``is_supporting``."""
    rows = _choose_evenly(list(_read_json_lines(files["data"], wanted.member)), wanted.count)
    texts = _Texts()
    queries: list[Row] = []
    judged: list[tuple[str, str, int]] = []
    for row in rows:
        queries.append(
            {
                "_id": row["id"],
                "text": row["question"],
                "answer": row["answer"],
                "answer_aliases": row.get("answer_aliases") or [],
                "answerable": bool(row.get("answerable", True)),
            }
        )
        for paragraph in row["paragraphs"]:
            text_id = texts.add(paragraph["title"], paragraph["paragraph_text"])
            if paragraph["is_supporting"]:
                judged.append((row["id"], text_id, 1))
    _write_set(folder, texts, queries, judged)


def write_squad(files: Files, folder: Path, wanted: Wanted) -> None:
    """Articles of paragraphs with questions; version 2 marks those that their paragraph does not answer, which are asked of it alone."""
    articles = cast(Row, _read_json(files["data"], wanted.member))["data"]
    texts = _Texts()
    queries: list[Row] = []
    judged: list[tuple[str, str, int]] = []
    pairs = [
        (article["title"], paragraph, question)
        for article in articles
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    for title, paragraph, question in _choose_evenly(pairs, wanted.count):
        text_id = texts.add(title.replace("_", " "), paragraph["context"])
        row = {"_id": question["id"], "text": question["question"].strip()}
        if "is_impossible" in question:
            row |= {"answerable": not question["is_impossible"], "docids": [text_id]}
        if not question.get("is_impossible"):
            row["answer"] = list(dict.fromkeys(answer["text"] for answer in question["answers"]))
            judged.append((question["id"], text_id, 1))
        queries.append(row)
    _write_set(folder, texts, queries, judged)


def write_multihop_rag(files: Files, folder: Path, wanted: Wanted) -> None:
    """A list of articles and one of questions with ``evidence_list``; those of type ``null_query`` no article answers.

    The articles are all kept, whatever ``count`` says: there are few.
    """
    texts = _Texts()
    by_url = {
        row["url"]: texts.add(row["title"], row["body"]) for row in cast("list[Row]", _read_json(files["corpus"], ""))
    }
    queries: list[Row] = []
    judged: list[tuple[str, str, int]] = []
    numbered = list(enumerate(cast("list[Row]", _read_json(files["data"], wanted.member))))
    for number, row in _choose_evenly(numbered, wanted.count):
        is_answerable = row["question_type"] != "null_query"
        query = {"_id": f"q{number}", "text": row["query"], "type": row["question_type"], "answerable": is_answerable}
        queries.append(query | ({"answer": row["answer"]} if is_answerable else {}))
        gold = dict.fromkeys(evidence["url"] for evidence in row["evidence_list"] if evidence["url"] in by_url)
        judged += [(f"q{number}", by_url[url], 1) for url in gold]
    _write_set(folder, texts, queries, judged)


def write_rgb(files: Files, folder: Path, wanted: Wanted) -> None:
    """Lines with passages that answer (``positive``) and others (``negative``).

    Every question is asked twice: of all its passages, and of the others alone, which do not answer it (the paper's noise ratio of
    1). Of an answer in several parts none is given: all of them would have to be found.
    """
    rows = _choose_evenly(list(_read_json_lines(files["data"], wanted.member)), wanted.count)
    texts = _Texts()
    queries: list[Row] = []
    judged: list[tuple[str, str, int]] = []
    for row in rows:
        positive = [texts.add("", text) for text in row["positive"]]
        negative = [text_id for text in row["negative"] if (text_id := texts.add("", text)) not in positive]
        whole = {"_id": str(row["id"]), "text": row["query"], "answerable": True, "docids": [*positive, *negative]}
        parts = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
        if len(parts) == 1:
            whole["answer"] = parts[0]
        queries.append(whole)
        judged += [(str(row["id"]), text_id, 1) for text_id in dict.fromkeys(positive)]
        if negative:
            queries.append({"_id": f"{row['id']}-noise", "text": row["query"], "answerable": False, "docids": negative})
    _write_set(folder, texts, queries, judged)


def write_ragtruth(files: Files, folder: Path, wanted: Wanted) -> None:
    """Replies of good quality from the test part, sentence by sentence: one that a marked span touches is not supported."""
    sources = {row["source_id"]: row for row in _read_json_lines(files["corpus"], "")}
    rows = [row for row in _read_json_lines(files["data"], wanted.member) if row["split"] == "test"]
    chosen = _choose_evenly([row for row in rows if row["quality"] == "good"], wanted.count)
    used = dict.fromkeys(row["source_id"] for row in chosen)
    _write_lines(folder / "docs.jsonl", ({"_id": each, "text": _tell_source(sources[each])} for each in used))
    _write_lines(folder / "claims.jsonl", (claim for row in chosen for claim in _split_reply(row)))


def _split_reply(row: Row) -> Iterator[Row]:
    reply: str = row["response"]
    for number, span in enumerate(split_sentences(reply)):
        marked = any(label["start"] < span.end and span.start < label["end"] for label in row["labels"])
        label = "not supported" if marked else "supported"
        yield {"_id": f"{row['id']}-{number}", "claim": span.of(reply), "evidence": row["source_id"], "label": label}


def _tell_source(row: Row) -> str:
    held = row["source_info"]
    if isinstance(held, str):
        return held
    return str(held["passages"]) if "passages" in held else json.dumps(held, ensure_ascii=False, indent=1)


FORMS: Mapping[str, Callable[[Files, Path, Wanted], None]] = {
    "beir": write_beir,
    "hotpotqa": write_hotpotqa,
    "multihop_rag": write_multihop_rag,
    "musique": write_musique,
    "ragtruth": write_ragtruth,
    "rgb": write_rgb,
    "squad": write_squad,
}


class _Texts:
    """The corpus: one text for each title and body, by an id made of both, so that the same texts have the same ids everywhere."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, title: str, text: str) -> str:
        text_id = sha256(f"{title}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.rows[text_id] = {"_id": text_id, "title": title, "text": text}
        return text_id


def _write_set(folder: Path, texts: _Texts, queries: Iterable[Row], judged: Iterable[tuple[str, str, int]]) -> None:
    _write_lines(folder / "corpus.jsonl", texts.rows.values())
    _write_lines(folder / "queries.jsonl", queries)
    _write_judgements(folder, judged)


def _write_judgements(folder: Path, judged: Iterable[tuple[str, str, int]]) -> None:
    lines = (f"{query}\t{text}\t{gain}\n" for query, text, gain in judged)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def _choose_evenly(items: Sequence[Any], count: int | None) -> list[Any]:
    """``count`` of the items at even distances, the same ones each time; all where there are no more."""
    if count is None or count >= len(items):
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


def _read_json(path: Path, member: str) -> object:
    with _open_text(path, member) as file:
        return json.load(file)


def _read_json_lines(path: Path, member: str) -> Iterator[Row]:
    with _open_text(path, member) as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


@contextmanager
def _open_text(path: Path, member: str) -> Generator[IO[str]]:
    """The file itself, or the member of an archive whose path ends in ``member``."""
    if not member:
        with path.open(encoding="utf-8") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        found = [name for name in archive.namelist() if name.split("/")[-1] == member]
        if not found:
            raise ValueError(f"the archive holds no {member}")
        with _open_member(archive, min(found, key=len)) as file:
            yield file


@contextmanager
def _open_member(archive: zipfile.ZipFile, name: str) -> Generator[IO[str]]:
    """A member as text; nothing is unpacked onto the disk, so that no path in an archive leads anywhere."""
    with archive.open(name) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        yield file
