"""Three files of every format: a short one and a long one, all of whose sentences come through, and one that is cut off.

Pictures are in ``formats/pdf/test_scans.py``: what is recognised on them takes seconds.
"""

import json
from collections.abc import Callable
from importlib.metadata import entry_points

import docx
import pytest
import sample_files
from small_pdf import small_pdf

from ascertain.core.errors import SourceError
from ascertain.documents.formats.registry import FORMATS
from ascertain.documents.sources.files import ReadOptions, read_path

LENGTHS = {"short": 12, "long": 150}
PICTURES = {"png", "jpg", "jpeg", "tif", "tiff", "webp", "bmp"}


HEADS = "Amber Birch Cedar Dahlia Elder Fern Gorse Hazel Iris Juniper Kelp Linden Maple".split()
TAILS = "arches benches corridors doors engines floors gates halls inns jetties kilns lanes".split()


def make_sentences(count):
    """Each begins in its own way: what begins alike at the edge of many pages is a running head."""
    names = [f"{HEADS[n % len(HEADS)]} {TAILS[n % len(TAILS)]}" for n in range(count)]
    return [f"{name} are measured in größe {n} and cost {n * 7} euros, or so." for n, name in enumerate(names)]


def a_word_file(sentences, path):
    document = docx.Document()
    for sentence in sentences:
        document.add_paragraph(sentence)
    document.save(path)
    return path.read_bytes()


def pages_of(sentences):
    return [
        [(60, 760 - 30 * n, 10, "plain", s) for n, s in enumerate(sentences[start : start + 20])]
        for start in range(0, len(sentences), 20)
    ]


def slides_of(sentences):
    return [{"title": f"T{n}", "lines": sentences[n : n + 10]} for n in range(0, len(sentences), 10)]


def odp(sentences):
    lines = "".join(f"<text:p>{s}</text:p>" for s in sentences)
    body = f"<draw:page><draw:frame><draw:text-box>{lines}</draw:text-box></draw:frame></draw:page>"
    return sample_files.build_opendocument("presentation", body)


def html(sentences, tag="p"):
    return "".join(f"<{tag}>{s}</{tag}>" for s in sentences)


def paragraphs(before=""):
    return lambda sentences: (before + "\n\n".join(sentences)).encode()


def cues(head, comma):
    def build(sentences):
        times = [f"00:{n // 60:02}:{n % 60:02}{comma}" for n in range(len(sentences) + 1)]
        rows = [f"{n + 1}\n{times[n]}000 --> {times[n]}900\n{s}\n" for n, s in enumerate(sentences)]
        return (head + "\n".join(rows)).encode()

    return build


def records(sentences):
    return [{"title": f"T{n}", "content": s} for n, s in enumerate(sentences)]


def rows(mark):
    return lambda sentences: (
        "n" + mark + "says\n" + "\n".join(f'{n}{mark}"{s}"' for n, s in enumerate(sentences))
    ).encode()


def code(before):
    return lambda sentences: "\n".join(f"{before} {s}" for s in sentences).encode()


def rss(sentences):
    items = "".join(f"<item><title>T{n}</title><description>{s}</description></item>" for n, s in enumerate(sentences))
    return f"<rss version='2.0'><channel><title>T</title>{items}</channel></rss>".encode()


def atom(sentences):
    entries = "".join(
        f"<entry><id>{n}</id><title>T{n}</title><content>{s}</content></entry>" for n, s in enumerate(sentences)
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title>{entries}</feed>".encode()


def mail(sentences):
    return sample_files.build_mail("\n\n".join(sentences))


def sheet(sentences):
    return [["n", "says"], *([str(n), s] for n, s in enumerate(sentences))]


def calendar(sentences):
    described = "\\n\\n".join(each.replace(",", "\\,").replace(";", "\\;") for each in sentences)
    return f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:S\r\nDESCRIPTION:{described}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".encode()


def contact(sentences):
    noted = "\\n\\n".join(each.replace(",", "\\,").replace(";", "\\;") for each in sentences)
    return f"BEGIN:VCARD\r\nFN:S\r\nNOTE:{noted}\r\nEND:VCARD\r\n".encode()


ZOO: dict[str, Callable[[list[str]], bytes]] = {
    "pdf": lambda s: small_pdf(pages_of(s)),
    "pptx": lambda s: sample_files.build_pptx(*slides_of(s)),
    **dict.fromkeys(("xlsx", "xlsm"), lambda s: sample_files.build_xlsx({"S": sheet(s)})),
    "ods": lambda s: sample_files.build_opendocument("spreadsheet", sample_files.odf_table("S", sheet(s))),
    **dict.fromkeys(("odt", "ott"), lambda s: sample_files.build_opendocument("text", html(s, "text:p"))),
    "odp": odp,
    "epub": lambda s: sample_files.build_epub(("One", html(s[::2])), ("Two", html(s[1::2]))),
    "rtf": lambda s: sample_files.build_rtf(*s),
    **dict.fromkeys(("html", "htm", "xhtml"), lambda s: f"<html><body><article>{html(s)}</article></body></html>".encode()),
    **dict.fromkeys(("md", "markdown", "mdown"), paragraphs("# Title\n\n")),
    **dict.fromkeys(("txt", "text"), paragraphs()),
    **dict.fromkeys(("man", *"123456789"), lambda s: (".TH A 1\n.SH NAME\n" + "\n.PP\n".join(s)).encode()),
    "rst": paragraphs("Title\n=====\n\n"),
    **dict.fromkeys(("adoc", "asciidoc"), paragraphs("= Title\n\n== Section\n\n")),
    "org": paragraphs("* Title\n\n"),
    "tex": lambda s: ("\\section{S}\n\n" + "\n\n".join(s)).encode(),
    "ipynb": lambda s: sample_files.build_notebook(*(("markdown", each) for each in s)),
    "eml": mail,
    "mbox": lambda s: b"".join(b"From a Tue Mar  4 09:30:00 2025\n" + mail(half) + b"\n" for half in (s[::2], s[1::2])),
    "ics": calendar,
    "vcf": contact,
    "vtt": cues("WEBVTT\n\n", "."),
    "srt": cues("", ","),
    **dict.fromkeys(("jsonl", "ndjson"), lambda s: "\n".join(map(json.dumps, records(s))).encode()),
    "json": lambda s: json.dumps(records(s)).encode(),
    "csv": rows(","),
    "tsv": rows("\t"),
    "rss": rss,
    "atom": atom,
    "zip": lambda s: sample_files.zip_files({"a.txt": "\n\n".join(s[::2]), "b.txt": "\n\n".join(s[1::2])}),
    "tar": lambda s: sample_files.tar_files({"a.txt": "\n\n".join(s)}, "w"),
    "tgz": lambda s: sample_files.tar_files({"a.txt": "\n\n".join(s)}),
    "gz": lambda s: sample_files.gzip_bytes("\n\n".join(s).encode()),
    **dict.fromkeys(("py", "pyi", "sh", "bash", "rb", "pl", "r"), code("#")),
    **dict.fromkeys(("sql", "lua"), code("--")),
    **dict.fromkeys("js mjs cjs jsx ts tsx java kt scala go rs c h cc cpp cxx hpp hh cs swift php".split(), code("//")),
}  # fmt: skip
WORD = ("docx", "docm", "dotx", "dotm")
SUFFIXES = sorted({*ZOO, *WORD})


def build_file(suffix, sentences, folder):
    if suffix in WORD:
        return a_word_file(sentences, folder / "made.docx")
    return ZOO[suffix](sentences)


def test_every_format_has_its_files():
    assert {point.name for point in entry_points(group=FORMATS)} == {*SUFFIXES, *PICTURES}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_sentence_comes_through_and_every_region_lies_in_the_text(tmp_path, check, suffix, length):
    sentences = make_sentences(LENGTHS[length])
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(build_file(suffix, sentences, tmp_path))
    documents = list(read_path(path, ReadOptions()))
    for document in documents:
        check(document)
    text = " ".join(" ".join(document.text.split()) for document in documents)
    assert [sentence for sentence in sentences if sentence not in text] == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_cut_off_gives_what_is_there_or_one_line(tmp_path, check, suffix):
    whole = build_file(suffix, make_sentences(LENGTHS["long"]), tmp_path)
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    told = []
    try:
        for document in read_path(path, ReadOptions(on_bad_row=lambda source, reason: told.append(reason))):
            check(document)
    except SourceError as error:
        told.append(str(error))
    assert all("\n" not in each for each in told)
