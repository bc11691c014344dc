"""The text of a piece of HTML that is all content: an entry of a feed, a provider's snippet. Pages go through ``html``."""

from __future__ import annotations

from html.parser import HTMLParser

from ascertain.sources.cleaning import clean_line, clean_text

_BLOCKS = frozenset(
    "address article aside blockquote div dd dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre "
    "section table tr ul".split()
)
_DROPPED = frozenset("script style noscript template iframe svg".split())


def markup_text(markup: str) -> str:
    """Paragraphs with an empty line between them, items of lists behind ``-``; markup that is none is text as it stands."""
    if "<" not in markup and "&" not in markup:
        return clean_text(markup)
    collector = _Collector()
    collector.feed(markup)
    collector.close()
    return collector.text()


class _Collector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._blocks: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._dropped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self._dropped += 1
        elif tag in _BLOCKS:
            self._end_block()
            if tag == "li":
                self._prefix = "- "
        elif tag in {"br", "td", "th"}:
            self._line.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            self._dropped = max(0, self._dropped - 1)
        elif tag in _BLOCKS:
            self._end_block()
            if tag == "li":
                self._prefix = ""

    def handle_data(self, data: str) -> None:
        if not self._dropped:
            self._line.append(data)

    def text(self) -> str:
        self._end_block()
        return clean_text("\n\n".join(self._blocks))

    def _end_block(self) -> None:
        line = clean_line("".join(self._line))
        if line:
            self._blocks.append(self._prefix + line)
            self._prefix = ""
        self._line.clear()
