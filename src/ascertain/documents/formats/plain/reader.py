"""Plain text into blocks: a run of lines at a time, by how it lies beside the ones before it.

Where it is not certain what lines are, they stay lines of one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft
from ascertain.documents.formats.plain.columns import read_table, read_terms
from ascertain.documents.formats.plain.headings import HeadingRules, Levels, Run, split_runs
from ascertain.documents.formats.plain.lines import (
    Line,
    Page,
    is_wrapped,
    join_paragraphs,
    join_words,
    keep_lines,
    list_words,
    measure_line,
    measure_page,
    place_line,
)
from ascertain.documents.formats.plain.lists import OpenLists
from ascertain.documents.formats.plain.marks import (
    LEADERS,
    RULE,
    Mark,
    begins_list,
    follows,
    heading_number,
    is_contents,
    match_mark,
)

_DEEPEST_QUOTE = 8
_NOTE = re.compile(r"\[(?P<label>\d{1,3}|\*{1,3})\]:?\s+(?=\S)")
_PROMPT = re.compile(r"(?:[\w.-]++@[\w.-]++[:~/\w]*+)?[$%#] \S|>>> |\.\.\. |[A-Z]:\\[^ ]*>|mysql> |=> ")
_CODE = re.compile(
    r"[{};\\]$|^[}\])]|^(?:#include|#!|import |from \S+ import |def \w|class \w|return\b|if \(|for \(|while \(|</?\w|/\*|//|\*/|\(\w)"
    r"|(?<![=!<>])=(?!=)\S|[\w\])] (?:=|==|!=|\+=|->|=>|:=) |::|\w\(.{0,80}\)[;:]?$|^(?=[^\s/]*+/\S)\S++ |(?:^| )--?\w|^\w+\(|\||&&|^\[.+\]$|^@?[a-z_.-]+ ?[:=] ?\S+$"
)
_LONGEST_CODE = 1000


def nothing_known(_: str) -> bool:
    """The default ``is_known``: no heading is known by its words."""
    return False


class PlainReader:
    """Adds the blocks of a plain text to a draft."""

    def __init__(self, draft: Draft, is_known: Callable[[str], bool] = nothing_known) -> None:
        self.draft = draft
        self.first_heading: tuple[str, int] | None = None
        self._is_known = is_known
        self._levels = Levels()
        self._page = Page(0, 0, frozenset())
        self._lists = OpenLists(draft)
        self._indent = 0
        self._ends_with_colon = False
        self._quotes = 0

    def read(self, text: str) -> None:
        """Add the blocks of ``text``."""
        lines = [measure_line(raw) for raw in text.split("\n")]
        before = self._page
        self._page = measure_page(lines)._replace(words=list_words(text))
        self._indent = self._page.indent
        self._take_runs(HeadingRules(split_runs(lines), self._page, self._is_known).mark_headings())
        self._lists.close(0)
        self._page = before

    def _take_runs(self, runs: Sequence[Run]) -> None:
        at = 0
        while at < len(runs):
            run = runs[at]
            if run.style:
                self._add_heading(run)
                at += 1
                continue
            code = self._count_code(runs, at)
            if code:
                self._add_code([each.lines for each in runs[at : at + code]])
                at += code
                continue
            self._take_run(run.lines)
            at += 1

    def _add_heading(self, run: Run) -> None:
        self._lists.close(0)
        line = run.lines[0]
        depth = run.depth
        if run.style == "known" and (found := heading_number(line.text)):
            depth = found[1]
        level = self._levels.of(run.style, depth, line.indent)
        if self.first_heading is None and self.draft.length == 0:
            self.first_heading = (line.text, level)
        self.draft.heading(line.text, level)
        self._ends_with_colon = False

    def _count_code(self, runs: Sequence[Run], at: int) -> int:
        """How many runs from here on are one piece of code."""
        lines = runs[at].lines
        base = min(line.indent for line in lines)
        if not self._is_code(lines, base):
            return 0
        end = at + 1
        while end < len(runs) and not runs[end].style:
            following = runs[end].lines
            if min(line.indent for line in following) < max(base, 1) or not self._goes_on_as_code(following, base):
                break
            end += 1
        return end - at

    def _goes_on_as_code(self, lines: Sequence[Line], base: int) -> bool:
        """Whether lines below a piece of code belong to it: they are code, or set as far in and no text."""
        if self._is_code(lines, base):
            return True
        is_text = is_wrapped(lines, self._page) or match_mark(lines[0]) is not None or lines[-1].text[-1] in ".:"
        return base >= self._outer_indent() + 2 and not is_text and read_table(lines) is None

    def _is_code(self, lines: Sequence[Line], base: int) -> bool:
        if any(len(line.text) > _LONGEST_CODE for line in lines) or all(RULE.match(line.text) for line in lines):
            return False
        prompts = sum(_PROMPT.match(line.text) is not None for line in lines)
        outer = self._outer_indent()
        if prompts and (_PROMPT.match(lines[0].text) and base >= outer) and not lines[0].text.startswith("# "):
            return True
        if (
            is_wrapped(lines, self._page)
            or match_mark(lines[0]) is not None
            or lines[0].text.startswith((">", "|", "+-"))
        ):
            return False
        share = sum(_CODE.search(line.text) is not None for line in lines) / len(lines)
        if base >= outer + 2 and (share >= 0.75 if base >= outer + 4 else share >= 0.5 and self._ends_with_colon):
            return read_table(lines) is None and read_terms(lines) is None
        return share >= 0.8 and len(lines) >= 3 and any(line.text[-1] in "{};" for line in lines)

    def _outer_indent(self) -> int:
        last = self._lists.last
        return last.indent + 1 if last else self._indent

    def _add_code(self, runs: Sequence[Sequence[Line]]) -> None:
        lines = [line for run in runs for line in (*run, Line("", 0, 0))][:-1]
        base = min(line.indent for line in lines if line.text)
        self._lists.close(base)
        self.draft.add("\n".join(line.raw[base:] for line in lines), kind=BlockKind.CODE)
        self._ends_with_colon = False

    def _take_run(self, lines: list[Line]) -> None:
        lines = (
            [line for line in lines if not _is_rule(line)]
            if any(map(_is_rule, lines)) and read_table(lines) is None
            else lines
        )
        if not lines:
            self._lists.close(0)
        elif any(line.text[0] == ">" for line in lines) and self._quotes < _DEEPEST_QUOTE:
            for is_quoted, part in groupby(lines, key=lambda line: line.text[0] == ">"):
                if is_quoted:
                    self._add_quotation(list(part))
                else:
                    self._take_items(list(part))
        elif is_contents(lines):
            self._add_contents(lines)
        elif table := read_table(lines):
            self._lists.close(lines[0].indent)
            self.draft.add_table(table.rows, table.header_rows)
        else:
            self._take_items(lines)
        if lines:
            self._indent = min(line.indent for line in lines)
            self._ends_with_colon = lines[-1].text.endswith(":")

    def _add_quotation(self, lines: Sequence[Line]) -> None:
        self._lists.close(lines[0].indent)
        inner = PlainReader(self.draft)
        inner._quotes = self._quotes + 1
        with self.draft.inside(BlockKind.QUOTATION):
            inner._read_quoted("\n".join(line.text[1:].removeprefix(" ") for line in lines))

    def _read_quoted(self, text: str) -> None:
        lines = [measure_line(raw) for raw in text.split("\n")]
        self._page = measure_page(lines)._replace(words=list_words(text))
        self._take_runs([Run(run.lines) for run in split_runs(lines) if run.lines])
        self._lists.close(0)

    def _add_contents(self, lines: Sequence[Line]) -> None:
        """A table of contents: an item for each number of a page, with the dots to it cut to three."""
        self._lists.close(0)
        with self.draft.inside(BlockKind.LIST):
            waiting: list[str] = []
            for line in lines:
                waiting.append(line.text)
                leaders = LEADERS.search(line.text[-200:])
                if leaders is None and line is not lines[-1]:
                    continue
                if leaders:
                    waiting[-1] = f"{line.text[: len(line.text) - len(leaders[0])].rstrip()} ... {leaders['page']}"
                entry = join_words(waiting, self._page.words)
                number = heading_number(entry)
                shown = entry.split(None, 1)[0] if number else "-"
                with self.draft.item(shown):
                    self.draft.add(entry[len(shown) :].lstrip() if number else entry)
                waiting = []

    def _take_items(self, lines: Sequence[Line]) -> None:
        """The lines of a run, with the items of lists that begin among them."""
        at = 0
        body: list[Line] = []
        base = 0
        while at < len(lines):
            mark = self._item_at(lines, at, base if body else None)
            if mark is None:
                base = min(base, lines[at].indent) if body else lines[at].indent
                body.append(lines[at])
                at += 1
                continue
            self._add_loose(body)
            body = []
            rest = self._count_item(lines, at, mark)
            self._lists.begin_item(mark, is_announced=self._ends_with_colon)
            self._add_body([place_line(mark.words, mark.column), *lines[at + 1 : at + rest]])
            at += rest
        self._add_loose(body)

    def _add_loose(self, body: Sequence[Line]) -> None:
        if body:
            self._lists.close(min(line.indent for line in body))
            self._add_body(body)

    def _item_at(self, lines: Sequence[Line], at: int, base: int | None) -> Mark | None:
        """The marker of the item that begins in a line; None where the line goes on with the one above.

        ``base`` is the indentation of lines right above that are in no item, None where there are none.
        """
        mark = match_mark(lines[at])
        if mark is None or _NOTE.match(lines[at].text):
            return None
        open_at = self._lists.at(mark.indent)
        if open_at is not None and base is None and follows(open_at, mark):
            return mark
        has_letter = mark.number.isalpha() and not mark.is_bullet
        is_unsure = has_letter or (mark.is_bullet and mark.shown in "–—o")
        is_sure = not is_unsure or self._has_next(lines, at, mark)
        if at == 0:
            return mark if is_sure else None
        above = lines[at - 1]
        is_apart = above.text[-1] in ":;" or mark.indent > (above.indent if base is None else base)
        is_short = above.end + len(lines[at].text.split(" ", 2)[1]) + 3 < self._page.width - 8
        if base is None and self._lists.holds_number(mark):
            return mark
        if mark.is_bullet or begins_list(mark):
            return (
                mark
                if is_sure and (is_apart or (is_short and (mark.is_bullet or self._has_next(lines, at, mark))))
                else None
            )
        is_open = self._lists.goes_on(mark)
        return mark if is_open and base is None else None

    def _has_next(self, lines: Sequence[Line], at: int, mark: Mark) -> bool:
        """Whether the next marker at the same column goes on with the list, or this one does with the list that is open."""
        if self._lists.goes_on(mark):
            return True
        for line in lines[at + 1 : at + 40]:
            other = match_mark(line) if line.indent == mark.indent else None
            if other is not None:
                return follows(mark, other)
        # the others may stand behind empty lines; a first one with its words hanging is no initial of a name
        return begins_list(mark) and (len(lines) == at + 1 or lines[at + 1].indent >= mark.indent + 2)

    def _count_item(self, lines: Sequence[Line], at: int, mark: Mark) -> int:
        """How many lines an item has: those that hang right of its marker, and those that go on with a full line."""
        end = at + 1
        while end < len(lines):
            line, above = lines[end], lines[end - 1]
            is_lazy = line.indent == mark.indent and above.end > 0.75 * self._page.width and line.text[:1].islower()
            if line.indent <= mark.indent and not is_lazy:
                break
            if self._begins_within(lines, end, mark):
                break
            end += 1
        return end - at

    def _begins_within(self, lines: Sequence[Line], at: int, outer: Mark) -> bool:
        """Whether an item begins among the lines of another: the next one, or one of a list inside."""
        mark = match_mark(lines[at])
        if mark is None:
            return False
        if mark.indent == outer.indent:
            return follows(outer, mark)
        is_full = lines[at - 1].end > self._page.width - 12 and lines[at - 1].text[-1] not in ".:;"
        if mark.is_bullet or begins_list(mark):
            if mark.indent >= outer.column + 1:
                return not mark.number.isalpha() or mark.is_bullet or self._has_next(lines, at, mark)
            is_other = mark.is_bullet and mark.shown != outer.shown and mark.shown in "-*+•"
            return not is_full and (is_other or self._has_next(lines, at, mark))
        return (beside := self._lists.at(mark.indent)) is not None and follows(beside, mark)

    def _add_body(self, lines: Sequence[Line]) -> None:
        """Lines without markers: terms with what is said of them, or paragraphs."""
        if _NOTE.match(lines[0].text):
            self._add_notes(lines)
        elif (terms := read_terms(lines)) and not is_wrapped(lines, self._page):
            for term in terms:
                self._add_term(term.name, term.said)
        elif self._heads_deeper(lines):
            self._add_headed(lines)
        else:
            for paragraph in self._split_paragraphs(lines):
                self._add_paragraph(paragraph)

    def _add_notes(self, lines: Sequence[Line]) -> None:
        """Footnotes, each up to where the next one begins."""
        starts = [number for number, line in enumerate(lines) if _NOTE.match(line.text)]
        for start, end in pairwise([*starts, len(lines)]):
            note = _NOTE.match(lines[start].text)
            words = join_words([line.text for line in lines[start:end]], self._page.words)
            self.draft.add(words, kind=BlockKind.FOOTNOTE, label=note["label"] if note else None)

    def _add_term(self, name: str, said: Sequence[Line]) -> None:
        with self.draft.inside(BlockKind.DEFINITION, label=name.rstrip(":")):
            texts = self._texts_of(said)
            self.draft.add(f"{name}{'' if name[-1] in ':.?!' else ':'} {texts[0]}")
            for text in texts[1:]:
                self.draft.add(text)

    def _texts_of(self, lines: Sequence[Line]) -> list[str]:
        if len(lines) == 1:
            return [lines[0].text]
        if len(lines) == 2 and lines[1].text[:1].islower():
            return [join_words([line.text for line in lines], self._page.words)]
        return join_paragraphs(lines, self._page) or [keep_lines(lines)]

    def _heads_deeper(self, lines: Sequence[Line]) -> bool:
        """Whether a short first line stands over lines that are all deeper: a term with its description, an option."""
        first, rest = lines[0], lines[1:]
        if not rest or any(line.indent < first.indent + 2 for line in rest):
            return self._are_headed(lines)
        is_short = first.end + len(rest[0].text.split(" ", 1)[0]) + 1 < self._page.width - 8
        return is_short and first.text[-1] not in ".,;" and len(first.text) <= 80 and first.text.count(" ") < 10

    def _are_headed(self, lines: Sequence[Line]) -> bool:
        """Whether terms and deeper lines take turns."""
        base = lines[0].indent
        heads = [number for number, line in enumerate(lines) if line.indent == base]
        if len(heads) < 2 or len(heads) * 2 > len(lines) or any(line.indent < base for line in lines):
            return False
        return all(b - a > 1 for a, b in zip(heads, [*heads[1:], len(lines)], strict=True)) and all(
            lines[number].text[-1] not in ".,;" and len(lines[number].text) <= 60 for number in heads
        )

    def _add_headed(self, lines: Sequence[Line]) -> None:
        base = lines[0].indent
        at = 0
        while at < len(lines):
            end = at + 1
            while end < len(lines) and lines[end].indent > base:
                end += 1
            self._add_term(lines[at].text, lines[at + 1 : end])
            at = end

    def _split_paragraphs(self, lines: Sequence[Line]) -> list[list[Line]]:
        """Paragraphs that are set apart by the indentation of their first lines only."""
        base = min(line.indent for line in lines)
        first = [number for number, line in enumerate(lines) if number and base + 2 <= line.indent <= base + 8]
        is_set = bool(first) and all(
            lines[number - 1].indent == base and (number + 1 == len(lines) or lines[number + 1].indent == base)
            for number in first
        )
        if not is_set or (len(first) == len(lines) - 1):
            return [list(lines)]
        edges = [0, *first, len(lines)]
        return [list(lines[a:b]) for a, b in pairwise(edges)]

    def _add_paragraph(self, lines: Sequence[Line]) -> None:
        for text in join_paragraphs(lines, self._page) or [keep_lines(lines)]:
            self.draft.add(text)


def _is_rule(line: Line) -> bool:
    return len(line.text) >= 3 and (RULE.match(line.text[:200]) is not None and len(set(line.text)) <= 2)
