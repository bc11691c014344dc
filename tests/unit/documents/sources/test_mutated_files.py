"""Damaged files of every format give documents or one clear line, never anything else."""

import codecs
import io
import json
import os
import random
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import hypothesis
import pytest
import sample_files
from hypothesis import strategies as st
from PIL import Image

from ascertain.core.documents.blocks import LineBox
from ascertain.core.errors import SourceError
from ascertain.documents.formats.pdf import reader
from ascertain.documents.formats.pdf.lines import Line, ScannedText
from ascertain.documents.formats.registry import known_suffixes
from ascertain.documents.sources.files import ReadOptions, read_path

BENCH = Path(os.environ.get("ASCERTAIN_BENCH", Path(__file__).parents[4].parent / "shared" / "bench"))


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
    made += made_by_programs(sentences)
    real = [
        *sorted(BENCH.glob("pdf_papers/pdf/*.pdf"))[:2],
        *sorted(BENCH.glob("podcast_changelog/episodes/*/*.md"))[:2],
    ]
    return made + [(path.suffix, path.read_bytes()) for path in real]


def made_by_programs(sentences):
    """Files of the formats of offices, mail programs and programmers."""
    rows = [["n", "says"], *([str(n), s] for n, s in enumerate(sentences))]
    paragraphs = "".join(f"<p>{s}</p>" for s in sentences)
    text = sample_files.build_opendocument("text", paragraphs.replace("p>", "text:p>"))
    mail = sample_files.build_mail("\n".join(sentences), html=paragraphs, attachments=[("a.odt", text)])
    markup = "Title\n=====\n\n.. note:: x\n\n" + "\n\n- ".join(sentences)
    functions = "\n".join(f"def f{n}(x):\n    return '{s}'\n" for n, s in enumerate(sentences))
    return [
        (".pptx", sample_files.build_pptx({"title": "T", "lines": sentences, "table": rows[:5], "notes": "n"})),
        (".xlsx", sample_files.build_xlsx({"S": rows, "T": rows})),
        (".ods", sample_files.build_opendocument("spreadsheet", sample_files.odf_table("S", rows))),
        (".odt", text),
        (".epub", sample_files.build_epub(("One", f"<h1>One</h1>{paragraphs}"), ("Two", paragraphs))),
        (".rtf", sample_files.build_rtf(*sentences)),
        (".ipynb", sample_files.build_notebook(("markdown", "# T"), ("code", functions, [{"text": sentences}]))),
        (".eml", mail),
        (".mbox", b"".join(b"From a Tue Mar  4 09:30:00 2025\n" + mail + b"\n" for _ in range(2))),
        (".rst", markup.encode()),
        (".adoc", ("= T\n\n== S\n\n|===\n|a |b\n|===\n\n* " + "\n* ".join(sentences)).encode()),
        (".org", ("* T\n:PROPERTIES:\n:a: b\n:END:\n| a | b |\n| c | d |\n- " + "\n- ".join(sentences)).encode()),
        (".tex", ("\\section{S}\\begin{tabular}{ll}a & b\\\\\\end{tabular}" + "\n\n".join(sentences)).encode()),
        (".py", functions.encode()),
        (".js", ("class A {\n  b() {\n" + "\n".join(f"    // {s}" for s in sentences) + "\n  }\n}\n").encode()),
        (".zip", sample_files.zip_files({"a.txt": sentences[0], "b.odt": text})),
        (".tar.gz", sample_files.tar_files({"a.txt": sentences[0], "b.odt": text})),
        (".odp", sample_files.build_opendocument("presentation", paragraphs.replace("p>", "text:p>"))),
        (".tsv", "\n".join("\t".join(row) for row in rows).encode()),
        (".rss", f"<rss><channel><title>T</title>{feed_items(sentences)}</channel></rss>".encode()),
        *((f".{kind}", draw_picture(kind)) for kind in ("png", "jpeg", "tiff", "webp", "bmp", "pdf")),
    ]


def feed_items(sentences):
    return "".join(f"<item><title>{s}</title><description>{s}</description></item>" for s in sentences)


def draw_picture(kind):
    out = io.BytesIO()
    Image.effect_noise((90, 60), 60).convert("RGB").save(out, kind)
    return out.getvalue()


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


@pytest.fixture(autouse=True)
def without_models(monkeypatch):
    """What decodes pictures is tried here; what is recognised on them takes a second each."""
    line = Line("Recognised.", 10, 90, 20, 10, is_bold=False, is_mono=False)
    box = LineBox(0.1, 0.1, 0.9, 0.2, 0.1)
    monkeypatch.setattr(
        reader, "recognize_lines", lambda pixels: [replace(line, scanned=(ScannedText(line.text, box),))]
    )


SUFFIXES = sorted(known_suffixes())
TOKENS = st.sampled_from(
    "\n|\t|\n\n|,|\"|'|{|}|[|]|<p>|</p>|<table>|<rss>|<item>|# |== |* |- |:a: b|::|`|``|***|---|===|\\section{|\\begin{|\\end{|$|%|"
    "def f():|class A {|}|From a|Subject: x|WEBVTT|00:01.000 --> 00:02.000|1|2024-01-02|x|Größe|\u202e|\ud83d|{\\rtf1 |#+BEGIN|:PROPERTIES:|"
    '"cells":|null|&amp;|<!DOCTYPE|\x00|\ufeff| |  |    '.split("|")
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@hypothesis.settings(max_examples=4, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(tokens=st.lists(TOKENS, max_size=60))
def test_any_text_is_a_document_or_one_line(tmp_path, check, suffix, tokens):
    path = tmp_path / f"any{suffix}"
    path.write_bytes("".join(tokens).encode("utf-8", "surrogatepass"))
    assert_documents_or_one_line(path, check)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("suffix", SUFFIXES)
@hypothesis.settings(max_examples=300, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(tokens=st.lists(TOKENS | st.text(max_size=20), max_size=200))
def test_any_long_text_is_a_document_or_one_line(tmp_path, check, suffix, tokens):
    path = tmp_path / f"any{suffix}"
    path.write_bytes("".join(tokens).encode("utf-8", "surrogatepass"))
    assert_documents_or_one_line(path, check)


def test_a_hundred_damaged_files(seeds, tmp_path, check):
    run(100, seeds, tmp_path, check)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_thousand_damaged_files(seeds, tmp_path, check):
    run(1000, seeds, tmp_path, check)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".json", ".jsonl", ".csv", ".vtt", ".srt"])
def test_a_line_of_twenty_megabytes(tmp_path, suffix):
    path = tmp_path / f"long{suffix}"
    path.write_bytes(b"word " * 4_000_000)
    options = ReadOptions(max_bytes=30_000_000, max_characters=2_000_000)
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
        (".adoc", "link:" * 50_000),
        (".org", "[[a" * 100_000),
        (".rst", "*a " * 100_000),
        (".tex", "\\item[" * 20_000),
        (".rtf", "{\\rtf1 " + "{" * 100_000),
    ],
)
def test_input_made_to_take_long_does_not(tmp_path, check, suffix, content):
    """Each of these once took time with the square of its length, and would run into the suite's time limit."""
    path = tmp_path / f"hard{suffix}"
    path.write_text(content)
    assert_documents_or_one_line(path, check)
