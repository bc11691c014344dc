"""arXiv on loopback: its query API (https://info.arxiv.org/help/api/user-manual.html) and its PDFs."""

import re
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from small_pdf import small_pdf
from web_site import Reply, WebSite

ATTENTION = {
    "id": "1706.03762",
    "version": 7,
    "title": "Attention Is All You\n  Need",
    "summary": "The dominant sequence transduction models are based on complex recurrent or convolutional\nnetworks.",
    "authors": ("Ashish Vaswani", "Noam Shazeer"),
    "published": "2017-06-12T17:57:34Z",
    "categories": ("cs.CL", "cs.LG"),
}


class ArxivServer(WebSite):
    """Knows ``papers`` by identifier; ``pdfs`` are replies in place of the PDF it makes, ``refusals`` replies that come first."""

    def __init__(self, *papers):
        super().__init__()
        self.papers = {paper["id"]: paper for paper in papers or (ATTENTION,)}
        self.pdfs = {}
        self.refusals = []

    def reply_to(self, asked):
        if self.refusals:
            return self.refusals.pop(0)
        parts = urlsplit(asked.path)
        if parts.path == "/api/query":
            asked = parse_qs(parts.query)
            if "search_query" in asked:
                return self._search(asked)
            return self._query(asked["id_list"][0])
        if parts.path.startswith("/pdf/"):
            return self._pdf(parts.path.removeprefix("/pdf/"))
        return Reply(b"", 404)

    def _query(self, name):
        base, _, version = name.partition("v")
        paper = self.papers.get(base)
        if paper is None:
            return _atom(_error(f"incorrect id format for {name}"), status=400)
        if version and int(version) > paper["version"]:
            return _atom("")
        return _atom(_entry(paper, version or paper["version"]))

    def _search(self, asked):
        """``all:`` terms joined by AND or OR, phrases in quotation marks (user manual, section 5.1); best first."""
        query = asked["search_query"][0]
        terms = [quoted or word for quoted, word in re.findall(r'all:(?:"([^"]+)"|(\S+))', query)]
        wanted = all if " AND " in query else any
        found = []
        for paper in self.papers.values():
            text = " ".join(f"{paper['title']} {paper['summary']}".lower().split())
            held = [term.lower() in text for term in terms]
            if terms and wanted(held):
                found.append((-sum(held), paper["id"], paper))
        start, most = int(asked.get("start", ["0"])[0]), int(asked.get("max_results", ["10"])[0])
        entries = [_entry(paper, paper["version"]) for *_, paper in sorted(found, key=lambda each: each[:2])]
        return _atom("".join(entries[start : start + most]))

    def _pdf(self, name):
        base, _, _ = name.partition("v")
        if base in self.pdfs:
            return self.pdfs[base]
        if base not in self.papers:
            return Reply(b"", 404)
        return Reply(paper_pdf(self.papers[base]), media_type="application/pdf")


def paper_pdf(paper):
    """Two pages with sections, as a paper has them."""
    title = " ".join(paper["title"].split())
    first = [
        (60, 740, 20, "bold", title),
        (60, 700, 14, "bold", "Abstract"),
        (60, 680, 10, "plain", "We propose a new simple network architecture, the Transformer,"),
        (60, 668, 10, "plain", "based solely on attention mechanisms."),
        (60, 640, 14, "bold", "1 Introduction"),
        (60, 620, 10, "plain", "Recurrent models factor computation along the symbol positions."),
    ]
    second = [
        (60, 740, 14, "bold", "2 Results"),
        (60, 720, 10, "plain", "The big model reaches 28.4 BLEU on the English to German task."),
        (60, 690, 14, "bold", "3 Conclusion"),
        (60, 670, 10, "plain", "Attention alone is enough for translation."),
    ]
    return small_pdf([first, second], title=title)


def _atom(entries, status=200):
    body = (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        "<title>arXiv Query</title><id>http://arxiv.org/api/x</id><updated>2026-03-05T00:00:00Z</updated>"
        f"<opensearch:totalResults>1</opensearch:totalResults>{entries}</feed>"
    )
    return Reply(body.encode(), status, "application/atom+xml; charset=utf-8")


def _entry(paper, version):
    authors = "".join(f"<author><name>{escape(name)}</name></author>" for name in paper["authors"])
    categories = "".join(
        f'<category term="{name}" scheme="http://arxiv.org/schemas/atom"/>' for name in paper["categories"]
    )
    address = f"http://arxiv.org/abs/{paper['id']}v{version}"
    return (
        f"<entry><id>{address}</id><updated>{paper['published']}</updated><published>{paper['published']}</published>"
        f"<title>{escape(paper['title'])}</title><summary>  {escape(paper['summary'])}\n</summary>{authors}"
        f'<link href="{address}" rel="alternate" type="text/html"/>{categories}</entry>'
    )


def _error(reason):
    return (
        "<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title>"
        f"<summary>{escape(reason)}</summary><updated>2026-03-05T00:00:00Z</updated>"
        "<author><name>arXiv api core</name></author></entry>"
    )
