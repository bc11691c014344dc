r"""LaTeX: sections, tables as rows, everything else as pylatexenc writes it in Unicode; formulas keep their source."""

import importlib
import re
from collections.abc import Iterator
from typing import Any, cast

from ascertain.language.tables import join_cells
from ascertain.sources.formats.draft import Draft, clean_line, clean_text, short_line
from ascertain.sources.formats.metadata import parse_date
from ascertain.sources.formats.reader import Extracted, SourceFile, text_of

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
_HEADING = re.compile(rf"\\({'|'.join(_LEVELS)})\*?\s*(?:\[[^\]]*\]\s*)?(?=\{{)")
_TABLE = re.compile(r"\\begin\{(tabular[*xy]?|longtable|array)\}(.*?)\\end\{\1\}", re.DOTALL)
_VERBATIM = re.compile(
    r"\\begin\{(verbatim|lstlisting|minted|Verbatim)\*?\}(?:\[[^\]]*\])?(?:\{[^}]*\})?\n?(.*?)\\end\{\1\*?\}", re.DOTALL
)
_COLUMNS = re.compile(r"\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})?\s*(?:\{(?:[^{}]|\{[^{}]*\})*\})")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|(?:cline|cmidrule)(?:\([^)]*\))?\{[^}]*\})"
)
_LABELS = re.compile(r"\\(?:label|index|vspace|hspace|bibliographystyle|pagestyle|thispagestyle)\*?\{[^{}]*\}")
_CITATION = re.compile(r"~?\\(?:[cC]ite[a-z]*|parencite|textcite|footcite|autocite)\*?(?:\[[^\]]*\])*\{([^{}]*)\}")
_REFERENCE = re.compile(r"\\(?:ref|eqref|autoref|cref|Cref|pageref|nameref)\*?\{([^{}]*)\}")
_LONGEST_PIECE = 100_000
"""Characters that the converter gets at once; what nobody ends it would read again and again."""


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
    found = re.search(rf"\\{command}\s*(?:\[[^\]]*\]\s*)?(?=\{{)", source)
    return _read_group(source, found.end())[0][:2000] if found else ""


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
        found = [each for each in (_VERBATIM.search(source, at), _TABLE.search(source, at)) if each]
        block = min(found, key=lambda each: each.start(), default=None)
        _add_text(source[at : block.start() if block else None], writer, draft)
        if block is None:
            return
        if block.re is _VERBATIM:
            draft.add(block[2])
        else:
            _add_table(block[2], writer, draft)
        at = block.end()


def _add_text(source: str, writer: "_Writer", draft: Draft) -> None:
    for paragraph in re.split(r"\n\s*\n", source):
        for start in range(0, len(paragraph), _LONGEST_PIECE):
            converted = clean_text(writer.to_text(paragraph[start : start + _LONGEST_PIECE]))
            for number, item in enumerate(re.split(r"\n(?=[ \t]*(?:\*|\d+\.|•|-) )", converted)):
                draft.add(re.sub(r"^\* ", "- ", clean_line(item)), "\n" if number else "\n\n")


def _add_table(source: str, writer: "_Writer", draft: Draft) -> None:
    source = _RULES.sub("", _COLUMNS.sub("", source, count=1))
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline", source) if row.strip()]
    for number, row in enumerate(rows):
        cells = [clean_line(writer.to_text(cell.strip())) for cell in re.split(r"(?<!\\)&", row)]
        draft.add(join_cells(cells), "\n" if number else "\n\n")


class _Writer:
    """pylatexenc, opened for one document."""

    def __init__(self) -> None:
        # a quarter of a second to import, so it waits for the first document
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
