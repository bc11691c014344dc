"""Blocks of plain text that say something only as a whole: code, lists, tables, and what a colon announces."""

import re
from collections.abc import Iterator

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.language.remembering import remember_texts
from ascertain.language.sentences import split_sentences
from ascertain.language.tables import is_row
from ascertain.language.word_lists import load_alternatives, load_pattern

_LINE = re.compile(r"(?:(?<![^\S\n])[^\S\n]*+)?\S[^\n]*")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)]|\[[ x]\])\s+\S")
_INDENT = re.compile(r"(?: {2,}|\t)\S")
_LINE_OF_CODE = re.compile(
    # a prompt, a decorator, a comment, a directive of reStructuredText, a tag, an option
    r"\s*(?:[$>%] |>>>|\.\.\. |R> |@\w|//|#!|\.\. [\w-]+|:\w+:|</?\w[^>]*>$|--?\w)"
    # an assignment, a call, a bracket or mark that no sentence ends in
    r"|\s*[\w.\[\]\"']+(?:: [\w.\[\]]+)? ?[-+*/|]?=(?!=) ?\S|\s*(?:await )?[\w.]+\(.*\)[;:]?$"
    r"|.*[;{}(\[\\]$|\s*[)\]}]+[,;.]?$"
    rf"|\s*{load_pattern('code', 'line_starts')}"
    rf"|\s*(?:{load_alternatives('code', 'commands')})\b(?!.*[.!?]$)"
)
_CODE_SHARE = 0.5
"""Share of its lines from which a paragraph is code: examples hold output and strings too."""
_OTHER_EXAMPLE = re.compile(r"\s*\.\. [\w:-]+::")
"""A directive of reStructuredText that begins a block of its own."""
_DIRECTIVE = re.compile(r"\s*(?:\.\. [\w:-]+::|:\w+:)")
"""A line of reStructuredText that is about the lines below it, and no code itself."""
_PROSE_WORDS = 12
"""A line of more words is a sentence, whatever mark it begins or ends with."""
_FOLLOWING = re.compile(rf"\b(?:{load_alternatives('announcing', 'following')})\b", re.IGNORECASE)
"""What a sentence says that announces what stands behind it, without a colon."""
_SHORT_LINE = 60
"""Lines of a paragraph that are all shorter than this are entries, one a line, and not a sentence that was wrapped."""
_UNFINISHED = re.compile(r"[\w)\]\"'”’`]$")


@remember_texts(1_000)
def is_code(paragraph: str) -> bool:
    """Whether most lines of ``paragraph`` are those of a program, a command or a terminal."""
    lines = [line for line in paragraph.split("\n") if line.strip()]
    return bool(lines) and sum(map(_is_code_line, lines)) >= _CODE_SHARE * len(lines)


def find_paragraph(text: str, position: int) -> Span:
    """The lines around ``position`` up to the next empty ones."""
    start = text.rfind("\n\n", 0, position)
    return _trim_right(text, Span(start + 2 if start >= 0 else 0, _find_paragraph_end(text, position)))


def announces(text: str) -> bool:
    """Whether ``text``, a sentence, ends in a colon: what it says comes after it."""
    return text.rstrip("*_` ").endswith((":", "："))


def find_announced(text: str, lead: Span, limit: int) -> Span:
    """``lead``, a sentence of ``text`` that announces something, with what it announces.

    That is the list, the code or the table behind it, as much of it in whole lines as fits in ``limit`` characters
    together with the lead; of prose the first sentence. A sentence that breaks off before code announces it too. The
    lead alone where nothing follows, or not a first line fits.
    """
    begins = _find_next(text, lead.end)
    if begins is None or "\n" not in text[lead.end : begins]:
        return lead
    paragraph = Span(begins, _find_paragraph_end(text, begins))
    if is_code(lead.of(text)) or not (announces(lead.of(text)) or _breaks_off(lead.of(text), paragraph.of(text))):
        return lead
    end = lead.end
    for piece in _list_pieces(text, paragraph):
        if piece.end - lead.start > limit:
            break
        end = piece.end
    return Span(lead.start, end)


def find_announced_block(document: Document, lead: Span, limit: int) -> Span | None:
    """``lead``, a sentence of ``document``, with the block behind it that it announces, as ``find_announced``.

    None where what follows is no list, definition, code, table or quotation of the document's tree, or nothing is announced.
    """
    behind = document.tree.starting_in(Span(lead.end, len(document.text)))
    following = next(behind, None)
    caption = following if following is not None and following.kind is BlockKind.CAPTION else None
    if caption is not None:
        # the name of a file or a table stands between a sentence and what it announces
        following = next(behind, None)
    if following is None or following.kind not in _ANNOUNCED or _has_words(document.text, lead, following, caption):
        return None
    around = document.tree.around(lead.start)
    if around and around[-1].kind in (BlockKind.CODE, BlockKind.TABLE):
        return None
    words = lead.of(document.text)
    is_list = following.kind in (BlockKind.LIST, BlockKind.DEFINITION)
    breaks_off = following.kind is BlockKind.CODE and _UNFINISHED.search(words)
    if not announces(words) and not breaks_off and not (is_list and _FOLLOWING.search(words)):
        return None
    pieces = list(_list_block_pieces(document, following))
    if following.kind is BlockKind.DEFINITION and pieces[-1].end - lead.start > limit:
        # with some of the definitions no one could see that there are more
        return lead
    end = max((piece.end for piece in pieces if piece.end - lead.start <= limit), default=lead.end)
    return Span(lead.start, end)


def list_announced_definitions(document: Document, lead: Span) -> list[Block]:
    """The definitions that a sentence of ``document`` announces, those right behind it and one after another; none where something
    else follows.
    """
    following = next(document.tree.starting_in(Span(lead.end, len(document.text))), None)
    words = lead.of(document.text)
    if (
        following is None
        or following.kind is not BlockKind.DEFINITION
        or _has_words(document.text, lead, following, None)
    ):
        return []
    if not announces(words) and not _FOLLOWING.search(words):
        return []
    pieces = set(_list_block_pieces(document, following))
    return [block for block in document.tree.of_kind(BlockKind.DEFINITION) if block.span in pieces]


def _has_words(text: str, lead: Span, following: Block, caption: Block | None) -> bool:
    """Whether anything but ``caption`` stands between a sentence and a block."""
    if caption is None:
        return bool(text[lead.end : following.span.start].strip())
    return bool(text[lead.end : caption.span.start].strip() or text[caption.span.end : following.span.start].strip())


_ANNOUNCED = frozenset(
    {BlockKind.LIST, BlockKind.DEFINITION, BlockKind.CODE, BlockKind.TABLE, BlockKind.QUOTATION, BlockKind.ADMONITION}
)


def _list_block_pieces(document: Document, block: Block) -> Iterator[Span]:
    """A block in pieces that are whole by themselves: items, definitions that follow each other, lines of code or of a table."""
    if block.kind in (BlockKind.CODE, BlockKind.TABLE):
        yield from (
            _trim_right(document.text, Span(*line.span())) for line in _LINE.finditer(document.text, *block.span)
        )
    elif block.kind is BlockKind.DEFINITION:
        end = block.span.start
        for each in document.tree.starting_in(Span(block.span.start, len(document.text))):
            if each.depth < block.depth or (each.depth == block.depth and each.kind is not BlockKind.DEFINITION):
                break
            if each.depth == block.depth and not document.text[end : each.span.start].strip():
                yield each.span
                end = each.span.end
    else:
        yield from (child.span for child in document.tree.children_of(block) or (block,))


def _breaks_off(lead: str, following: str) -> bool:
    return _UNFINISHED.search(lead) is not None and is_code(following) and _DIRECTIVE.match(following) is None


def _is_code_line(line: str) -> bool:
    if len(line.split()) > _PROSE_WORDS and not line.rstrip().endswith((";", "{", "\\")):
        return False
    return (line.startswith(("    ", "\t")) and not _ITEM.match(line)) or _LINE_OF_CODE.match(line) is not None


def _find_next(text: str, end: int) -> int | None:
    line = _LINE.search(text, end)
    return line.start() if line else None


def _find_paragraph_end(text: str, start: int) -> int:
    end = text.find("\n\n", start)
    return end if end >= 0 else len(text.rstrip())


def _list_pieces(text: str, paragraph: Span) -> Iterator[Span]:
    """What follows a lead in pieces that are whole by themselves: lines of code or of a table, items, one sentence."""
    first = paragraph.of(text)
    if _ITEM.match(first):
        yield from _list_items(text, paragraph)
    elif is_code(first):
        yield from _list_lines_of_code(text, paragraph)
    elif _has_entries(first):
        yield from (_trim_right(text, Span(*line.span())) for line in _LINE.finditer(text, *paragraph))
    else:
        yield split_sentences(first)[0].shift(paragraph.start)


def _has_entries(paragraph: str) -> bool:
    lines = paragraph.split("\n")
    return is_row(lines[0]) or (len(lines) > 1 and max(map(len, lines)) < _SHORT_LINE)


def _list_items(text: str, paragraph: Span) -> Iterator[Span]:
    """The items of a list, with the lines that run on below them."""
    start = paragraph.start
    end = start
    for line in _LINE.finditer(text, start):
        is_apart = "\n\n" in text[end : line.start()]
        if _ITEM.match(line.group()):
            if end > start:
                yield _trim_right(text, Span(start, end))
            start = line.start()
        elif is_apart and not _INDENT.match(line.group()):
            break
        end = line.end()
    yield _trim_right(text, Span(start, end))


def _list_lines_of_code(text: str, paragraph: Span) -> Iterator[Span]:
    first = paragraph.start
    while is_code(paragraph.of(text)) and (paragraph.start == first or not _OTHER_EXAMPLE.match(paragraph.of(text))):
        for line in _LINE.finditer(text, *paragraph):
            yield _trim_right(text, Span(*line.span()))
        begins = _find_next(text, paragraph.end)
        if begins is None:
            return
        paragraph = Span(begins, _find_paragraph_end(text, begins))


def _trim_right(text: str, span: Span) -> Span:
    return Span(span.start, span.start + len(span.of(text).rstrip()))
