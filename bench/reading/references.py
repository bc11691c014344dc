"""Independent readings of the files of ``bench/reading/quality.py``, kept beside them as ``NAME.ref.txt``.

| format | read by |
|---|---|
| HTML | w3m's dump, 1,000 columns wide, pictures left out (their names are not on the page where the picture is) |
| DOCX, ODT, RST | pandoc: the words of its syntax tree in order, without the addresses of links and the names of pictures |
| EPUB | w3m, every file of the spine once |
| Markdown | pandoc's HTML of it (as GitHub reads it), as w3m shows that |
| XLSX | LibreOffice: the cells of every sheet as displayed (as CSV) |
| PPTX | LibreOffice: the paragraphs of every slide and its notes (as ODP); no charts and diagrams |
| PDF | pdftotext; running heads, feet and page numbers once; for the order the best of its three readings (default, -layout, -raw) |
| man pages | ``man -Tutf8``, 1,000 columns wide, without the line at the head and the foot |
| plain text | its characters |
| JSON, CSV | the standard library: every value in order, and each key (header) once |
| e-mail | the standard library: From, To, Cc, Subject, then the text parts (HTML alone: as w3m shows it), of messages within too |

pandoc's tree has no numbers of list items and headings, and w3m's has: what is not in a reference is not asked for.
"""

from __future__ import annotations

import csv
import email
import email.policy
import io
import json
import os
import posixpath
import re
import signal
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

Node = dict[str, Any] | list[Any] | str | int | float | bool | None

BREAKS = {"Space", "SoftBreak", "LineBreak"}
WIDTH = "1000"


def read_references(path: Path, format: str) -> list[str]:
    """One reading or, for the order of PDF, several; from beside the file where it was read before."""
    cached = _reference_place(path)
    if not cached.is_file():
        texts = REFERENCES[format](path)
        cached.write_text("\n\x1e\n".join(texts), "utf-8")
    return cached.read_text("utf-8").split("\n\x1e\n")


def show_html(page: bytes, charset: str = "UTF-8") -> str:
    """What w3m shows of a page, without pictures and the tooltips of Doxygen, which its style sheet hides."""
    page = re.sub(rb"(?i)<img\b[^>]{0,5000}>", b" ", page)
    page = re.sub(rb'(?m)^<div class="ttc".*$', b"", page)
    options = ["-dump", "-T", "text/html", "-cols", WIDTH, "-I", charset, "-O", "UTF-8"]
    return _run(["w3m", *options, "-o", "display_ins_del=2"], page)


def _read_html(path: Path) -> list[str]:
    return [show_html(path.read_bytes())]


def _read_markdown(path: Path) -> list[str]:
    text = path.read_bytes()
    page = _run([_pandoc(), "-f", "gfm+yaml_metadata_block+footnotes", "-t", "html", "--wrap=none"], text)
    return [show_html(page.encode())]


def _read_tree(path: Path) -> list[str]:
    format = path.suffix.lstrip(".").lower()
    written = _run([_pandoc(), "-f", format, "-t", "json", "--track-changes=accept", str(path)], b"")
    return ["".join(_tree_words(json.loads(written)["blocks"]))]


def _tree_words(root: Node) -> Iterator[str]:
    """The text of pandoc's tree in order. A stack, not recursion: trees of tables are deep."""
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            yield from _enter_node(node, stack)


def _enter_node(node: dict[str, Any], stack: list[Node]) -> Iterator[str]:
    kind: str | None = node.get("t")
    content: Any = node.get("c")
    if kind == "Str":
        yield str(content)
    elif kind in BREAKS:
        yield " "
    elif kind in {"Code", "CodeBlock", "Math"}:
        yield content[1] if kind != "CodeBlock" else f"\n{content[1]}\n"
    elif kind == "Image" or kind in {"RawInline", "RawBlock"}:
        return
    elif kind in {"Superscript", "Subscript", "Note"}:
        stack.extend((" ", content, " "))
    elif kind in {"Link", "Span", "Quoted", "Cite"}:
        stack.append(content[1])
    elif kind == "Header":
        stack.extend(("\n", content[2], "\n"))
    elif kind in {"Div", "OrderedList"}:
        stack.extend(("\n", content[1], "\n"))
    elif kind == "Figure":
        stack.extend(("\n", content[2], content[1], "\n"))
    elif kind == "Table":
        yield "\n"
        stack.append(_table_parts(content))
    elif kind == "DefinitionList":
        stack.extend(("\n", content, "\n"))
    elif kind not in {"HorizontalRule", "Null"}:
        is_inline = kind in {"Emph", "Strong", "Strikeout", "SmallCaps", "Underline"}
        stack.extend((content,) if is_inline else ("\n", content, "\n"))


def _table_parts(content: list[Any]) -> list[Any]:
    """Caption, then the cells of head, bodies and foot: [attr, caption, columns, head, bodies, foot] of pandoc's types."""
    rows = [*content[3][1]]
    for body in content[4]:
        rows += [*body[2], *body[3]]
    rows += content[5][1]
    return [content[1][1], [["\n", [[" ", cell[4], " "] for cell in row[1]]] for row in rows]]


def convert_office(paths: Sequence[Path], batch: int = 12) -> None:
    """References of workbooks and presentations, several by one run of LibreOffice, which takes seconds to start."""
    for suffix, (wanted, read_converted) in OFFICE.items():
        missing = [path for path in paths if path.suffix == suffix and not _reference_place(path).is_file()]
        for first in range(0, len(missing), batch):
            with tempfile.TemporaryDirectory() as folder:
                log = _run_office(missing[first : first + batch], Path(folder), wanted)
                for number, path in enumerate(missing[first : first + batch]):
                    text = read_converted(Path(folder) / "out", number, log)
                    if text is not None:
                        _reference_place(path).write_text(text, "utf-8")


def _run_office(paths: Sequence[Path], folder: Path, wanted: str) -> str:
    """The log of a conversion of ``paths`` to ``folder/out``, as ``in0`` and so on."""
    inputs = [folder / f"in{number}{path.suffix}" for number, path in enumerate(paths)]
    for copy, path in zip(inputs, paths, strict=True):
        copy.write_bytes(path.read_bytes())
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", wanted]
    # In a group of its own: what hangs is a child of the program that is started.
    running = subprocess.Popen(
        [*command, "--outdir", f"{folder}/out", *map(str, inputs)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        return running.communicate(timeout=90)[0]
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        return running.communicate()[0]


def _read_sheets(folder: Path, number: int, log: str) -> str | None:
    """The cells of all sheets in the order of the workbook, which only the log has."""
    sheets = re.findall(rf"^Writing sheet .* -> (.*/in{number}-.*\.csv)$", log, re.MULTILINE)
    tables = [csv.reader(io.StringIO(Path(sheet).read_text("utf-8"))) for sheet in sheets]
    return "\n\n".join("\n".join("\t".join(row) for row in table) for table in tables) or None


def _read_slides(folder: Path, number: int, log: str) -> str | None:
    """The paragraphs of every slide and its notes, shape by shape as they lie over each other."""
    path = folder / f"in{number}.odp"
    if not path.is_file():
        return None
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("content.xml"))
    paragraphs = [node for node in root.iter() if node.tag.endswith(("text:1.0}p", "text:1.0}h"))]
    return "\n".join(_paragraph_text(node) for node in paragraphs)


def _paragraph_text(node: ElementTree.Element) -> str:
    parts: list[str] = []
    for inner in node.iter():
        if inner.tag.endswith(("}line-break", "}tab", "}s")):
            parts.append(" ")
        is_field = inner.tag.endswith(("}page-number", "}date", "}time"))  # "<number>" in an empty placeholder
        parts.append("" if is_field else inner.text or "")
        parts.append((inner.tail or "") if inner is not node else "")
    return "".join(parts)


OFFICE = {
    # UTF-8, cells as shown, all sheets
    ".xlsx": ("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", _read_sheets),
    ".pptx": ("odp", _read_slides),
}


def _read_converted(path: Path) -> list[str]:
    convert_office([path])
    if not _reference_place(path).is_file():
        raise RuntimeError(f"{path.name}: LibreOffice made nothing of it")
    return [_reference_place(path).read_text("utf-8")]


def _reference_place(path: Path) -> Path:
    return path.with_name(path.name + ".ref.txt")


def _read_epub(path: Path) -> list[str]:
    """The files of the spine, each once; pandoc refuses spines whose entries point into files."""
    with zipfile.ZipFile(path) as archive:
        container = ElementTree.fromstring(archive.read("META-INF/container.xml"))
        package_path = next(node.attrib["full-path"] for node in container.iter() if node.tag.endswith("}rootfile"))
        package = ElementTree.fromstring(archive.read(package_path))
        hrefs = {node.attrib["id"]: node.attrib["href"] for node in package.iter() if node.tag.endswith("}item")}
        spine = [hrefs[node.attrib["idref"]] for node in package.iter() if node.tag.endswith("}itemref")]
        chapters = dict.fromkeys(unquote(href.partition("#")[0]) for href in spine)
        base = package_path.rpartition("/")[0]
        texts = [show_html(archive.read(posixpath.normpath(posixpath.join(base, name)))) for name in chapters]
    return ["\n\n".join(texts)]


def _read_pdf(path: Path) -> list[str]:
    texts = [_run(["pdftotext", *option, str(path), "-"], b"") for option in ([], ["-layout"], ["-raw"])]
    return [_drop_running_heads(text) for text in texts]


def _drop_running_heads(text: str) -> str:
    """Lines at the head and foot of pages that come back on three pages or more, figures aside, are left in once."""
    pages = [[line for line in page.split("\n") if line.strip()] for page in text.split("\f")]
    edges = [[re.sub(r"\d+", "0", line.strip()) for line in {*page[:2], *page[-2:]}] for page in pages]
    counts: dict[str, int] = {}
    for edge in edges:
        for line in set(edge):
            counts[line] = counts.get(line, 0) + 1
    seen: set[str] = set()
    kept: list[str] = []
    for page in pages:
        for place, line in enumerate(page):
            form = re.sub(r"\d+", "0", line.strip())
            is_edge = place < 2 or place >= len(page) - 2
            if is_edge and (counts.get(form, 0) >= 3 or form == "0"):
                if form in seen or form == "0":
                    continue
                seen.add(form)
            kept.append(line)
    return "\n".join(kept)


def _read_man(path: Path) -> list[str]:
    environment = {**os.environ, "MANWIDTH": WIDTH, "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    command = ["man", "-Tutf8", "--nh", "--nj", "-P", "cat", "-l", str(path.absolute())]
    shown = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=True).stdout.decode("utf-8")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r".\x08", "", shown))
    lines = [line for line in shown.split("\n") if line.strip()]
    return ["\n".join(lines[1:-1])]


def _read_text(path: Path) -> list[str]:
    data = path.read_bytes()
    try:
        return [data.decode("utf-8-sig")]
    except UnicodeDecodeError:
        return [data.decode("cp1252")]


def _read_json(path: Path) -> list[str]:
    words: list[str] = []
    paths: set[tuple[str, ...]] = set()
    root = json.loads(path.read_bytes().decode("utf-8-sig"), parse_float=str, parse_int=str)
    stack: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    while stack:
        value, at = stack.pop()
        if isinstance(value, str) and value.startswith("\x00"):
            words.append(value[1:])
        elif isinstance(value, dict):
            for key, inner in reversed(value.items()):
                stack.append((inner, (*at, key)))
                if (*at, key) not in paths:
                    paths.add((*at, key))
                    stack.append((f"\x00{key}", at))
        elif isinstance(value, list):
            stack.extend((inner, at) for inner in reversed(value))
        elif value is not None:
            words.append(str(value).lower() if isinstance(value, bool) else str(value))
    return ["\n".join(words)]


def _read_csv(path: Path) -> list[str]:
    text = _read_text(path)[0]
    csv.field_size_limit(10_000_000)
    delimiter = max(",;\t|", key=text.split("\n", 1)[0].count)
    return ["\n".join("\t".join(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))]


def _read_mail(path: Path) -> list[str]:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    return ["\n".join(_message_texts(message))]


def _message_texts(message: EmailMessage) -> Iterator[str]:
    for header in ("from", "to", "cc", "subject"):
        yield str(message.get(header, ""))
    body = message.get_body(("plain", "html"))
    parts = [part for part in message.walk() if part.get_content_maintype() == "text"]
    for part in parts:
        is_other_form = part is not body and body is not None and part.get_content_disposition() != "attachment"
        if is_other_form and part.get_content_type() == "text/html":
            continue
        try:
            content = part.get_content()
        except (LookupError, KeyError):
            content = bytes(part.get_payload(decode=True) or b"").decode("latin-1")  # pyright: ignore[reportArgumentType]
        yield show_html(content.encode()) if part.get_content_type() == "text/html" else content


def _pandoc() -> str:
    import pypandoc

    return pypandoc.get_pandoc_path()


def _run(command: list[str], given: bytes) -> str:
    ran = subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)
    if ran.returncode:
        raise RuntimeError(f"{command[0]}: {ran.stderr.decode('utf-8', 'replace')[:300]}")
    return ran.stdout.decode("utf-8", "replace")


REFERENCES: dict[str, Callable[[Path], list[str]]] = {
    "html-sphinx": _read_html,
    "html-docbook": _read_html,
    "html-plain": _read_html,
    "docx": _read_tree,
    "odt": _read_tree,
    "epub": _read_epub,
    "rst": _read_tree,
    "pptx": _read_converted,
    "xlsx": _read_converted,
    "markdown": _read_markdown,
    "pdf": _read_pdf,
    "man": _read_man,
    "text": _read_text,
    "json": _read_json,
    "csv": _read_csv,
    "eml": _read_mail,
}
