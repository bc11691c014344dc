"""Damaged files of every format give documents or one clear line, never anything else."""

import codecs
import io
import json
import os
import random
import zipfile
import zlib
from pathlib import Path

import pytest

from ascertain.core.errors import SourceError
from ascertain.sources.files import ReadOptions, read_path

BENCH = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[3].parent / "shared" / "bench"))


@pytest.fixture
def seeds(a_pdf, a_docx):
    """(suffix, content) of a good file of every format, and of some real ones where they are at hand."""
    sentences = [f"Sentence {n} says something about retrieval, größe and €{n}." for n in range(40)]
    lines = [(60, 760 - 14 * n, 10, "plain", sentence) for n, sentence in enumerate(sentences)]
    cues = "".join(f"00:00:{n:02}.000 --> 00:00:{n + 1:02}.000\n<v Ann>{s}\n\n" for n, s in enumerate(sentences))
    episode = "\n\n".join(f"**{'Ann' if n % 2 else 'Bob'}:** \\[{n:02}:10\\] {s}" for n, s in enumerate(sentences))
    articles = [{"title": f"T{n}", "content": s, "published_at": "2024-01-02"} for n, s in enumerate(sentences)]
    segments = [{"speaker": "Ann", "start": n, "end": n + 1, "text": s} for n, s in enumerate(sentences)]
    paragraphs = "".join(f"<h2>H{n}</h2><p>{s}</p>" for n, s in enumerate(sentences))
    made = [
        (".pdf", a_pdf([lines, lines])),
        (".pdf", a_pdf([lines], compressed=True, title="T")),
        (".pdf", a_pdf([lines], encrypted=True)),
        (".pdf", a_pdf([[]])),
        (".docx", a_docx((1, "H"), *sentences, [["a", "b"], ["c", "d"]])),
        (".html", f"<html><head><title>T</title></head><body><article>{paragraphs}</article></body></html>".encode()),
        (".md", ("---\ntitle: T\ndate: 2024-01-02\n---\n# H\n\n" + "\n\n## I\n\n".join(sentences)).encode()),
        (".md", episode.encode()),
        (".txt", "\n\n".join(sentences).encode()),
        (".txt", "\n".join(f"[00:00:{n:02}] Ann: {s}" for n, s in enumerate(sentences)).encode()),
        (".vtt", f"WEBVTT\n\n{cues}".encode()),
        (".srt", cues.replace("<v Ann>", "Ann: ").encode()),
        (".jsonl", "\n".join(map(json.dumps, articles)).encode()),
        (".json", json.dumps(articles).encode()),
        (".json", json.dumps({"segments": segments}).encode()),
        (".csv", ("title,summary\n" + "\n".join(f'T{n},"{s}"' for n, s in enumerate(sentences))).encode()),
    ]
    real = [
        *sorted(BENCH.glob("pdf_papers/pdf/*.pdf"))[:2],
        *sorted(BENCH.glob("podcast_changelog/episodes/*/*.md"))[:2],
    ]
    return made + [(path.suffix, path.read_bytes()) for path in real]


def truncate(data, chance):
    return data[: chance.randrange(len(data) + 1)]


def cut_head(data, chance):
    return data[chance.randrange(len(data) + 1) :]


def flip_bits(data, chance):
    changed = bytearray(data)
    for _ in range(chance.choice((1, 5, 50, 500))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def fill_with_noise(data, chance):
    start = chance.randrange(len(data))
    length = chance.choice((1, 16, 1000))
    return data[:start] + chance.randbytes(length) + data[start + length :]


def encode_otherwise(data, chance):
    text = data.decode("utf-8", "replace")
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-32", "cp1252", "cp037", "shift_jis", "utf-7"))
    mark = chance.choice((b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return mark + text.encode(encoding, "replace")


def repeat_a_piece(data, chance):
    start = chance.randrange(len(data))
    piece = data[start : start + chance.choice((1, 4, 100))]
    return data[:start] + piece * chance.choice((2, 100, 5000)) + data[start:]


def on_one_line(data, chance):
    return data.replace(b"\n", b" ") * chance.choice((1, 20))


def be_noise(data, chance):
    return chance.randbytes(chance.choice((1, 100, 5000)))


def be_an_archive(data, chance):
    inner = data
    for depth in range(chance.randrange(1, 4)):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(chance.choice(("word/document.xml", "inner.docx", f"{depth}.zip")), inner)
        inner = out.getvalue()
    return inner


def damage_inside_the_archive(data, chance):
    """Keep a Word file's archive whole and damage one of its parts; other files get noise."""
    if not zipfile.is_zipfile(io.BytesIO(data)) or b"PK\x01\x02" not in data:
        return fill_with_noise(data, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            parts = {name: source.read(name) for name in source.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RuntimeError, zlib.error):
        return fill_with_noise(data, chance)
    chosen = chance.choice(list(parts))
    damage = chance.choice((truncate, flip_bits, fill_with_noise, repeat_a_piece))
    parts[chosen] = damage(parts[chosen], chance) if parts[chosen] else b""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return out.getvalue()


def unbalance(data, chance):
    token = chance.choice(
        (b"{", b"[", b'"', b"<", b"<table><tr>", b"-->", b"**", b"```", b"\0", b"((", b"<<", b"%PDF-")
    )
    start = chance.randrange(len(data))
    return data[:start] + token * chance.choice((1, 1000)) + data[start:]


MUTATIONS = (
    truncate,
    cut_head,
    flip_bits,
    fill_with_noise,
    encode_otherwise,
    repeat_a_piece,
    on_one_line,
    be_noise,
    be_an_archive,
    damage_inside_the_archive,
    unbalance,
)


def assert_documents_or_one_line(path, check):
    rows = []
    options = ReadOptions(max_characters=3_000_000, on_bad_row=lambda source, reason: rows.append((source, reason)))
    try:
        for document in read_path(path, options):
            check(document)
    except SourceError as error:
        message = str(error)
        assert message.startswith(path.name)
        assert "\n" not in message
        assert len(message) < 500
    assert all("\n" not in reason for _, reason in rows)


def run(count, seeds, tmp_path, check):
    for number in range(count):
        chance = random.Random(number)
        suffix, content = seeds[number % len(seeds)]
        for _ in range(chance.choice((1, 1, 2))):
            content = chance.choice(MUTATIONS)(content, chance) or b"\0"
        if chance.random() < 0.1:
            suffix = chance.choice((".txt", ".pdf", ".docx", ".json", ".vtt", ".csv", ".html", ""))
        path = tmp_path / f"mutant-{number}{suffix}"
        path.write_bytes(content)
        assert_documents_or_one_line(path, check)
        path.unlink()


def test_two_hundred_damaged_files(seeds, tmp_path, check):
    run(200, seeds, tmp_path, check)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_thousand_damaged_files(seeds, tmp_path, check):
    run(1000, seeds, tmp_path, check)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".json", ".jsonl", ".csv", ".vtt", ".srt"])
def test_a_line_of_two_hundred_megabytes(tmp_path, suffix):
    path = tmp_path / f"long{suffix}"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(b"word " * 200_000)
    options = ReadOptions(max_bytes=300_000_000, max_characters=20_000_000)
    with pytest.raises(SourceError, match=rf"^long\{suffix}: "):
        list(read_path(path, options))


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".txt", " " * 2_000_000 + "x"),
        (".md", "*a " * 300_000),
        (".md", "<div " * 100_000),
        (".md", "<script>" * 50_000),
        (".html", "<!--x-->" * 200_000),
        (".vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "<v " * 200_000),
        (".vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v" + " " * 200_000),
        (".md", "**A:** x\n\n**B:** x\n\n" * 5 + "*a " * 100_000),
        (".md", "**A:** x\n\n**B:** x\n\n" * 5 + "[" * 200_000),
    ],
)
def test_input_made_to_take_long_does_not(tmp_path, check, suffix, content):
    """Each of these once took time with the square of its length, and would run into the suite's time limit."""
    path = tmp_path / f"hard{suffix}"
    path.write_text(content)
    assert_documents_or_one_line(path, check)
