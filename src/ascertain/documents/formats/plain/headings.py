"""Headings of plain text, and the runs of lines between them: underlined, numbered, in capitals, or hanging left of the text."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ascertain.documents.formats.plain.lines import Line, Page
from ascertain.documents.formats.plain.marks import (
    LEADERS,
    RULE,
    heading_number,
    is_capitals,
    is_division,
    is_title,
    is_underline,
    match_mark,
)

_CENTRED = 8
"""Columns right of the text from which a line is set in the middle."""


class Run(NamedTuple):
    """Lines without an empty one between them; those of a heading have the ``style`` that tells its level."""

    lines: list[Line]
    style: str = ""
    depth: int = 1
    """How deep the number of a heading counts."""
    is_close: bool = False
    """Whether no empty line stands before it."""


def split_runs(lines: Sequence[Line]) -> list[Run]:
    """The runs of a text; a title with the line drawn under it, or over and under it, is a run by itself."""
    runs: list[Run] = []
    current: list[Line] = []
    is_close = False

    def end(closely: bool) -> None:
        nonlocal is_close
        if current:
            runs.append(Run(current.copy(), is_close=is_close))
            current.clear()
            is_close = closely
        else:
            is_close = is_close and closely

    at = 0
    while at < len(lines):
        line = lines[at]
        below = lines[at + 1] if at + 1 < len(lines) else None
        if not line.text:
            end(False)
            is_close = False
            at += 1
        elif _is_overlined(lines, at, current):
            end(True)
            runs.append(Run([lines[at + 1]], f"over {line.text[0]}"))
            is_close = True
            at += 3
        elif below is not None and _begins_title(line, current, lines, at) and is_underline(line, below):
            end(True)
            runs.append(Run([line], f"under {below.text[0]}"))
            is_close = True
            at += 2
        else:
            current.append(line)
            at += 1
    end(False)
    return runs


def _is_overlined(lines: Sequence[Line], at: int, current: Sequence[Line]) -> bool:
    """Whether a title begins here that has lines drawn over and under it."""
    if current or at + 2 >= len(lines) or not lines[at + 1].text:
        return False
    over, title, under = lines[at : at + 3]
    is_rule = len(over.text) >= 3 and over.text == under.text and RULE.match(over.text[:200]) is not None
    return is_rule and is_title(title.text) and not title.text.startswith("+")


def _begins_title(line: Line, current: Sequence[Line], lines: Sequence[Line], at: int) -> bool:
    """Whether a line stands where titles do: behind an empty line, or so that the line below is drawn under exactly it."""
    if not current:
        # a rule at both ends of a table is no underline
        return not (at + 2 < len(lines) and "  " in lines[at + 2].text and "  " in line.text)
    below = lines[at + 1]
    return (
        len(below.text) == len(line.text)
        and below.text[0] in "=-~^"
        and is_title(line.text)
        and not RULE.match(current[-1].text[:200])
    )


class HeadingRules:
    """Tells headings by how their run lies beside those around it; ``is_known`` knows some by their words."""

    def __init__(self, runs: Sequence[Run], page: Page, is_known: Callable[[str], bool]) -> None:
        self._runs = runs
        self._page = page
        self._is_known = is_known
        self._listed = self._find_lists()
        self._questions = self._find_questions()

    def mark_headings(self) -> list[Run]:
        """The runs, those that are headings with their style, and a heading right over its text apart from it."""
        marked: list[Run] = []
        for number, run in enumerate(self._runs):
            if run.style:
                marked.append(run)
            elif style := self._style_of(number):
                marked.append(run._replace(style=style[0], depth=style[1]))
            elif style := self._style_of_first(run):
                marked.append(Run(run.lines[:1], style[0], style[1]))
                marked.append(Run(run.lines[1:], is_close=True))
            else:
                marked.append(run)
        return marked

    def _next_line(self, number: int) -> Line | None:
        return self._runs[number + 1].lines[0] if number + 1 < len(self._runs) else None

    def _find_lists(self) -> frozenset[tuple[int, int]]:
        """Indentation and depth of single numbered lines that mostly follow each other at once: they are items of a list."""
        counts: dict[tuple[int, int], list[int]] = {}
        for number, run in enumerate(self._runs):
            found = heading_number(run.lines[0].text[:100]) if len(run.lines) == 1 else None
            if found is None or run.style:
                continue
            key = (run.lines[0].indent, found[1])
            below = self._next_line(number)
            after = heading_number(below.text[:100]) if below else None
            count = counts.setdefault(key, [0, 0])
            count[0] += 1
            count[1] += below is not None and after is not None and (below.indent, after[1]) == key
        return frozenset(key for key, (all_of, followed) in counts.items() if followed * 2 >= all_of and followed)

    def _find_questions(self) -> frozenset[int]:
        """The runs that are a question by itself, each with its answer under it, where a text has some of them: what is asked heads the answer."""
        asked = [number for number, run in enumerate(self._runs) if len(run.lines) == 1 and self._asks(run.lines[0])]
        answered = [number for number in asked if number + 1 not in asked and self._next_line(number) is not None]
        return frozenset(answered if len(answered) > 1 else ())

    def _asks(self, line: Line) -> bool:
        return line.text.endswith("?") and line.text[0].isupper() and line.indent <= self._page.indent

    def _style_of(self, number: int) -> tuple[str, int] | None:
        """The style of a run that is a heading by itself."""
        run = self._runs[number]
        line, below = run.lines[0], self._next_line(number)
        if len(run.lines) > 1 or LEADERS.search(line.text[-200:]):
            return None
        if self._is_known(line.text):
            return "known", 1
        if number in self._questions:
            return "question", 1
        if below is None or not is_title(line.text):
            return None
        if number == 0 and line.indent >= self._page.indent + _CENTRED:
            return "title", 1
        if found := heading_number(line.text):
            if self._is_numbered_heading(line, below, found[1]):
                return "number", found[1]
            return None
        if is_division(line.text) and line.text[0].isupper() and below.indent <= max(line.indent, self._page.indent):
            return f"division {line.text.split(None, 1)[0].lower()}", 1
        if is_capitals(line.text) and match_mark(line) is None:
            return f"capitals {min(line.indent, _CENTRED)}", 1
        hangs = line.indent < self._page.indent and line.indent < below.indent
        if hangs and match_mark(line) is None and "  " not in line.text.rstrip(")>"):
            return f"hanging {line.indent}", 1
        if hangs and match_mark(line) is None and line.text[:4].isdigit():
            return f"hanging {line.indent}", 1
        return None

    def _is_numbered_heading(self, line: Line, below: Line, depth: int) -> bool:
        if (line.indent, depth) in self._listed and line.indent >= self._page.indent:
            return False
        if line.indent < self._page.indent:
            return line.indent < below.indent or heading_number(below.text[:100]) is not None
        mark = match_mark(below)
        return below.indent <= line.indent and (mark is None or depth > 1 or mark.style != line.text[: len(mark.shown)])

    def _style_of_first(self, run: Run) -> tuple[str, int] | None:
        """The style of the first line of a run where it heads the others."""
        if len(run.lines) < 2:
            return None
        line, below = run.lines[:2]
        if self._is_known(line.text) and len(line.text) < 100:
            return "known", 1
        if not is_title(line.text) or below.indent <= line.indent or match_mark(line) or line.text[0] in "([\"'":
            return None
        if any(each.indent <= line.indent for each in run.lines[1:]):
            return None
        if is_capitals(line.text):
            return f"capitals {min(line.indent, _CENTRED)}", 1
        if line.indent < self._page.indent <= below.indent and "  " not in line.text and line.text[0].isupper():
            return f"hanging {line.indent}", 1
        return None


class Levels:
    """The level of each style of headings, in the order in which a text begins to use them."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}

    def of(self, style: str, depth: int, indent: int) -> int:
        """The level of a heading; numbered ones lie as deep as their numbers count below the first of them."""
        if style == "known" and "number" in self._levels:
            return self._levels["number"]
        if style == "number":
            base = self._levels.get("number") or self._levels.get(f"hanging {indent}") or self._levels.get("known")
            if base is None:
                base = self._next()
            self._levels.setdefault("number", base)
            return base + depth - 1
        if style.startswith("hanging") and style not in self._levels and "number" in self._levels:
            # those that hang as far as numbered ones are of their level
            self._levels[style] = self._levels["number"]
        return self._levels.setdefault(style, self._levels.get(style) or self._next())

    def _next(self) -> int:
        return max(self._levels.values(), default=0) + 1
