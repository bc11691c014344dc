r"""LaTeX: sections, tables as rows, everything else as pylatexenc writes it in Unicode; formulas keep their source."""

import importlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.reader import Extracted, SourceFile, text_of

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*?$\n?", re.MULTILINE)
_LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "paragraph": 6,
    "subparagraph": 7,
}
_HEADING = re.compile(rf"\\({'|'.join(_LEVELS)})\*?\s*(?:\[[^\]]{{0,500}}\]\s{{0,20}})?(?=\{{)")
_TABLE = re.compile(r"\\begin\{(tabular[*xy]?|longtable|array)\}")
_VERBATIM = re.compile(
    r"\\begin\{(verbatim|lstlisting|minted|Verbatim)\*?\}(?:\[[^\]]{0,500}\])?(?:\{[^}]{0,500}\})?\n?"
)
_COLUMNS = re.compile(r"\s*+(?:\[[^\]]{0,500}\])?(?:\{[^{}]{0,500}\})?\s*+(?:\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}+\})")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|(?:cline|cmidrule)(?:\([^)]*\))?\{[^}]*\})"
)
_LABELS = re.compile(r"\\(?:label|index|vspace|hspace|bibliographystyle|pagestyle|thispagestyle)\*?\{[^{}]*\}")
_CITATION = re.compile(r"~?\\(?:[cC]ite[a-z]*|parencite|textcite|footcite|autocite)\*?(?:\[[^\]]*\])*\{([^{}]*)\}")
_REFERENCE = re.compile(r"\\(?:ref|eqref|autoref|cref|Cref|pageref|nameref)\*?\{([^{}]*)\}")
_LONGEST_PIECE = 100_000
"""Characters that the converter gets at once; it would read an unclosed construct again and again."""


def read_latex(file: SourceFile) -> Iterator[Extracted]:
    """The text of a LaTeX document, or of a part of one."""
    source = _COMMENT.sub(r"\1", clean_text(text_of(file)))
    begin, end = source.find(r"\begin{document}"), source.rfind(r"\end{document}")
    body = source[begin + len(r"\begin{document}") : end if end > begin else None] if begin >= 0 else source
    writer = _Writer()
    draft = Draft()
    at = 0
    while heading := _HEADING.search(body, at):
        _add_piece(body[at : heading.start()], writer, draft)
        name, at = _read_group(body, heading.end())
        draft.heading(writer.to_text(name), _LEVELS[heading[1]])
    _add_piece(body[at:], writer, draft)
    text, blocks = draft.finish()
    yield Extracted(
        text,
        title=short_line(writer.to_text(_find_argument(source, "title").replace("\\\\", " "))),
        author=short_line(writer.to_text(_find_argument(source, "author").replace(r"\and", ", "))),
        published_at=parse_date(writer.to_text(_find_argument(source, "date")).strip()),
        blocks=blocks,
    )


def _find_argument(source: str, command: str) -> str:
    match = re.search(rf"\\{command}\s*(?:\[[^\]]*\]\s*)?(?=\{{)", source)
    return _read_group(source, match.end())[0][:2000] if match else ""


def _read_group(source: str, at: int) -> tuple[str, int]:
    """What stands in the braces that open at ``at``, and where they are closed; of braces left open the line."""
    depth = 0
    for mark in re.finditer(r"\\.|[{}]", source[at : at + _LONGEST_PIECE], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth == 0 and mark[0] == "}":
            return source[at + 1 : at + mark.start()], at + mark.end()
    line_end = source.find("\n", at)
    line_end = line_end if line_end >= 0 else len(source)
    return source[at + 1 : line_end], line_end


def _add_piece(source: str, writer: "_Writer", draft: Draft) -> None:
    """The blocks of a section: verbatim ones as they stand, tables as rows, the rest as text."""
    at = 0
    while at < len(source):
        found = [each for begin in (_VERBATIM, _TABLE) if (each := _find_environment(begin, source, at)) is not None]
        block = min(found, key=lambda each: each.start, default=None)
        _add_text(source[at : block.start if block else None], writer, draft)
        if block is None:
            return
        if block.begin is _VERBATIM:
            draft.add(block.body, kind=BlockKind.CODE)
        else:
            _add_table(block.body, writer, draft)
        at = block.end


class _Environment(NamedTuple):
    begin: re.Pattern[str]
    start: int
    end: int
    body: str


def _find_environment(begin: re.Pattern[str], source: str, at: int) -> _Environment | None:
    """The first environment from ``at`` on that is closed again; of a name that is never closed no second one is tried."""
    unclosed: set[str] = set()
    for opening in begin.finditer(source, at):
        name = opening[1]
        if name in unclosed:
            continue
        star = r"\*?" if begin is _VERBATIM else ""
        closing = re.compile(rf"\\end\{{{re.escape(name)}{star}\}}").search(source, opening.end())
        if closing is not None:
            return _Environment(begin, opening.start(), closing.end(), source[opening.end() : closing.start()])
        unclosed.add(name)
    return None


_CAPTION = re.compile(r"\\caption\*?\s*(?:\[[^\]]{0,500}\]\s{0,20})?(?=\{)")
_FOOTNOTE = re.compile(r"\\footnote\s*(?:\[[^\]]{0,500}\]\s{0,20})?(?=\{)")


def _add_text(source: str, writer: "_Writer", draft: Draft) -> None:
    """Paragraphs and lists; captions by themselves, footnotes behind the paragraph that they belong to."""
    source, captions = _take_commands(source, _CAPTION, "")
    for caption in captions:
        draft.add(clean_line(writer.to_text(caption)), kind=BlockKind.CAPTION)
    for paragraph in re.split(r"\n\s*\n", source):
        words, notes = _take_commands(paragraph, _FOOTNOTE, f"[{_NOTE_MARK}]")
        first = writer.notes + 1
        for number in range(first, first + len(notes)):
            words = words.replace(_NOTE_MARK, str(number), 1)
        writer.notes += len(notes)
        for start in range(0, len(words), _LONGEST_PIECE):
            _add_paragraph(clean_text(writer.to_text(words[start : start + _LONGEST_PIECE])), draft)
        for number, note in enumerate(notes, first):
            words = clean_line(writer.to_text(note))
            draft.add(f"[{number}] {words}", kind=BlockKind.FOOTNOTE, label=str(number))


_NOTE_MARK = "\ue000"
"""Stands for the number of a footnote, in the private area of Unicode."""


def _take_commands(source: str, command: re.Pattern[str], mark: str) -> tuple[str, list[str]]:
    """The source with ``mark`` for each use of a command, and what stood in their braces."""
    parts: list[str] = []
    taken: list[str] = []
    at = 0
    while found := command.search(source, at):
        words, end = _read_group(source, found.end())
        parts += [source[at : found.start()], mark]
        taken.append(words)
        at = end
    return "".join([*parts, source[at:]]), taken


def _add_paragraph(text: str, draft: Draft) -> None:
    """A paragraph with the items of a list that it holds."""
    first, *items = re.split(r"\n(?=[ \t]*(?:\*|\d+\.|•|-) )", f"\n{text}" if re.match(r"[ \t]*\* ", text) else text)
    draft.add(clean_line(first))
    if items:
        with draft.inside(BlockKind.LIST):
            for item in items:
                marker, _, words = clean_line(item).partition(" ")
                with draft.item("-" if marker in "*•" else marker):
                    draft.add(words)


def _add_table(source: str, writer: "_Writer", draft: Draft) -> None:
    columns = _COLUMNS.match(source)
    source = source[columns.end() :] if columns else source
    parts = re.split(r"\\\\(?:\[[^\]]{0,100}\])?|\\tabularnewline", source)
    rows: list[list[str]] = []
    header_rows = 0
    for number, part in enumerate(parts):
        # a rule behind the first row makes it a header
        if len(rows) == 1 and not header_rows and _RULES.match(part.lstrip()):
            header_rows = 1
        row = _RULES.sub("", part)
        if row.strip():
            cells = (_split_span(cell.strip(), writer) for cell in re.split(r"(?<!\\)&", row))
            rows.append([word for words in cells for word in words])
        elif number == len(parts) - 1:
            break
    draft.add_table(rows, header_rows if len(rows) > 1 else 0)


_SPAN = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*(?:\{[^{}]*\})\s*(?=\{)")


def _split_span(cell: str, writer: "_Writer") -> list[str]:
    """The words of a cell, as often as it covers columns."""
    span = _SPAN.match(cell)
    if span is None:
        return [clean_line(writer.to_text(cell))]
    words, _ = _read_group(cell, span.end())
    return [clean_line(writer.to_text(words))] * max(1, int(span[1]))


class _Writer:
    """pylatexenc, opened for one document."""

    def __init__(self) -> None:
        # a quarter of a second to import, so it waits for the first document
        self.notes = 0
        library = cast("Any", importlib.import_module("pylatexenc.latex2text"))
        self._converter = library.LatexNodes2Text(math_mode="verbatim", strict_latex_spaces=False)

    def to_text(self, source: str) -> str:
        """A piece of LaTeX as text."""
        if not re.search(r"[\\{}$~&]|``|''|--", source):
            return source
        source = re.sub(
            r"\\item\b\s*(?:\[([^\]]{0,500})\])?",
            lambda item: f"\n* {item[1] + ': ' if item[1] else ''}",
            _LABELS.sub("", source),
        )
        source = _REFERENCE.sub(r"\1", _CITATION.sub(r" [\1]", source))
        return str(self._converter.latex_to_text(source, tolerant_parsing=True))
