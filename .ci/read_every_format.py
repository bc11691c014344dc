"""Writes one file of every format into the current folder and reads them with ``ascertain add``, as it is installed here.

Run by ``.ci/wheel`` with the Python of a fresh environment, so it imports what Ascertain brings and nothing else.
"""

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import docx

TEXT = "A refund of order {name} is granted within 30 days of the purchase. The receipt must be shown."
PAGE = "<html><head><title>{name}</title></head><body><article><p>{text}</p><p>{text}</p></article></body></html>"
CUES = "00:00:01{mark}000 --> 00:00:09{mark}000\nMarit: {text}\n"
RSS = "<rss version='2.0'><channel><title>Shop</title><item><title>{name}</title><description>{text}</description></item></channel></rss>"
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>Shop</title><id>urn:shop</id><updated>2024-12-05T00:00:00Z</updated>"
    "<entry><title>{name}</title><id>urn:shop:1</id><updated>2024-12-05T00:00:00Z</updated><summary>{text}</summary></entry></feed>"
)


def write_content(suffix: str, text: str) -> bytes:
    """The content of a file of a format; what has none of its own is plain text."""
    article = json.dumps({"title": suffix, "content": text})
    told = {
        "pdf": lambda: write_pdf(text),
        "html": lambda: PAGE.format(name=suffix, text=text),
        "htm": lambda: PAGE.format(name=suffix, text=text),
        "xhtml": lambda: PAGE.format(name=suffix, text=text),
        "md": lambda: f"# Refunds\n\n{text}\n",
        "json": lambda: article,
        "jsonl": lambda: article,
        "ndjson": lambda: article,
        "csv": lambda: f'title,content\n{suffix},"{text}"\n',
        "tsv": lambda: f"title\tcontent\n{suffix}\t{text}\n",
        "vtt": lambda: "WEBVTT\n\n" + CUES.format(mark=".", text=text),
        "srt": lambda: "1\n" + CUES.format(mark=",", text=text),
        "rss": lambda: RSS.format(name=suffix, text=text),
        "atom": lambda: ATOM.format(name=suffix, text=text),
    }.get(suffix, lambda: text)()
    return told if isinstance(told, bytes) else told.encode()


def write_pdf(text: str) -> bytes:
    """One page with the text on it."""
    drawn = f"BT /F1 9 Tf 40 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return body + head + b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))


def run_command(*arguments: str) -> object:
    """What ``ascertain ... --json`` prints."""
    command = [sys.executable, "-m", "ascertain", *arguments, "--home", "kb", "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main() -> None:
    """Read a file of every format that the installed package names; ends with what was not read."""
    folder = Path("files")
    folder.mkdir()
    suffixes = sorted(each.name for each in entry_points(group="ascertain.formats"))
    for suffix in suffixes:
        path, text = folder / f"refunds.{suffix}", TEXT.format(name=suffix)
        if suffix == "docx":
            document = docx.Document()
            document.add_paragraph(text)
            document.save(str(path))
        else:
            path.write_bytes(write_content(suffix, text))
    report = run_command("add", str(folder))
    documents = run_command("documents")
    read = {Path(each["source"].partition("#")[0]).suffix[1:] for each in documents if each["chunks"]}
    missing = [suffix for suffix in suffixes if suffix not in read]
    if missing or report["failures"]:
        sys.exit(f"not read: {missing}; {report['failures']}")
    sys.stdout.write(f"The installed wheel reads all {len(suffixes)} formats.\n")


if __name__ == "__main__":
    main()
