"""What stands inside of paragraphs: links, small signs, fields of forms, pictures, formulas."""

from base64 import b64decode
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import unquote

from ascertain.documents.formats.dom import elements as html
from ascertain.documents.formats.dom.formulas import formula_text
from ascertain.documents.formats.dom.notes import Notes
from ascertain.documents.formats.dom.writing import BlockWriter, Close
from ascertain.documents.formats.drafts.draft import lowered, raised
from ascertain.documents.formats.drafts.losses import Losses

_LONGEST_MARK = 2
"""Characters of a sign that is a link to its own heading, or a picture of a sign."""
_MOST_CHANGES = 4
"""Raised signs on raised signs that are written so: each is written again for those around it."""


def decode_data_address(address: str) -> bytes:
    """The bytes in a ``data:`` address (RFC 2397). Raises ValueError for any other and for damage."""
    head, comma, body = address.partition(",")
    if not comma or not head.lower().startswith("data:image/") or not head.lower().endswith(";base64"):
        raise ValueError("no picture in the page itself")
    return b64decode(unquote(body))


class Phrases:
    """Opens the elements that are parts of a line. ``openings`` are those by the name of the element."""

    def __init__(self, writer: BlockWriter, losses: Losses, load_picture: Callable[[str], bytes]) -> None:
        """``load_picture`` gives the bytes behind the address of a picture, and raises where it has none."""
        self._load_picture = load_picture
        self.notes = Notes()
        self._writer = writer
        self._line = writer.line
        self._losses = losses
        self._changes = 0
        self.openings: dict[str, Callable[[Any], Close | None]] = {
            "a": self._open_link,
            "br": self._break_line,
            "hr": self._end_block,
            "embed": self._open_embedded,
            "sup": self._open_raised,
            "sub": self._open_lowered,
            **dict.fromkeys(("del", "s", "strike"), self._open_struck),
            **dict.fromkeys(("rt", "rtc"), self._open_ruby_text),
            "q": self._open_quote,
            "button": self._open_button,
            "input": self._add_input,
            "select": self._add_select,
            "textarea": self._add_text_area,
            **dict.fromkeys(("img", "image"), self._add_picture),
            "math": self._add_formula,
            "svg": self._add_drawing,
        }

    def open_inline(self, element: Any) -> Close | None:
        """Open an element that is a part of the line and changes nothing."""
        if element.get("class") and _is_second_formula(element):
            return None
        self._line.open_inline(is_verbatim=html.local_tag(element) in html.VERBATIM)
        return self._line.close_inline

    def _open_link(self, element: Any) -> Close | None:
        is_inside = str(element.get("href") or "").startswith("#")
        if is_inside or element in self.notes.back_links:
            words = html.words_in(element)
            # signs that lead to the heading they stand behind, or back to the text
            is_mark = len(words) <= _LONGEST_MARK and not any(each.isalnum() for each in words)
            if (is_mark and next(element.iter("img"), None) is None) or self._repeats_label(element, words):
                return None
        return self.open_inline(element)

    def _repeats_label(self, link: Any, words: str) -> bool:
        if link not in self.notes.back_links:
            return False
        label = words.strip("[]()^. ")
        return any(label == self.notes.notes.get(above) for above in link.iterancestors())

    def _break_line(self, element: Any) -> None:
        if self._writer.verbatim_depth:
            self._line.write_verbatim("\n")
        elif self._line.ends_line or self._writer.holds_values:
            self._writer.flush()
        elif not self._line.is_empty:
            self._line.break_line()

    def _end_block(self, element: Any) -> None:
        self._writer.flush()

    def _open_embedded(self, element: Any) -> Close | None:
        """To libxml2 it holds what stands behind it."""
        self._losses.add("embedded objects", name=element.get("title") or element.get("src"))
        return self.open_inline(element)

    def _open_raised(self, element: Any) -> Close | None:
        return self._open_changed(element, raised)

    def _open_lowered(self, element: Any) -> Close | None:
        return self._open_changed(element, lowered)

    def _open_struck(self, element: Any) -> Close | None:
        return self._open_changed(element, "~~{}~~".format)

    def _open_ruby_text(self, element: Any) -> Close | None:
        return self._open_changed(element, "({})".format)

    def _open_changed(self, element: Any, change: Callable[[str], str]) -> Close | None:
        if self._changes == _MOST_CHANGES:
            return self.open_inline(element)
        self._changes += 1
        return partial(self._close_changed, self._line.mark(), change)

    def _close_changed(self, mark: tuple[int, int], change: Callable[[str], str]) -> None:
        """Write again what was written since ``mark``, its spaces outside."""
        self._changes -= 1
        text = self._line.cut(mark)
        words = text.strip()
        if not words:
            self._line.write_verbatim(text)
            return
        if text[0].isspace():
            self._line.set_apart()
        self._line.write_verbatim(change(words))
        if text[-1].isspace():
            self._line.set_apart()

    def _open_quote(self, element: Any) -> Close:
        self._line.write_verbatim("“")
        return partial(self._line.write_verbatim, "”")

    def _open_button(self, element: Any) -> Close:
        self._line.set_apart()
        return self._line.set_apart

    def _add_input(self, element: Any) -> None:
        kind = str(element.get("type") or "text").lower()
        value = str(element.get("value") or "")
        if kind in ("checkbox", "radio"):
            marks = "☐☑" if kind == "checkbox" else "○◉"
            self._line.set_apart()
            self._line.write_verbatim(f"{marks[element.get('checked') is not None]} ")
        elif kind in ("submit", "button", "reset", "image"):
            self._line.set_apart()
            self._line.write(value or str(element.get("alt") or ""))
            self._line.set_apart()
        elif kind not in ("hidden", "password"):
            self._writer.write_value(value or str(element.get("placeholder") or ""))

    def _add_select(self, element: Any) -> None:
        options: list[str] = []
        for option in element.iter("option"):
            text = html.words_in(option) or str(option.get("label") or "")
            options.append(f"◉ {text}" if text and option.get("selected") is not None else text)
        self._writer.write_value(" / ".join(filter(None, options)))

    def _add_text_area(self, element: Any) -> None:
        self._writer.write_value(html.words_in(element) or str(element.get("placeholder") or ""))

    def _add_picture(self, element: Any) -> None:
        """The words for a picture are no part of the page, but those of a formula, a sign, or a link that has no others."""
        alternative = str(element.get("alt") or "").strip()
        above = element.getparent()
        is_link = above is not None and above.tag == "a" and not html.words_in(above)
        is_sign = 0 < len(alternative) <= _LONGEST_MARK and not alternative.isalnum()
        if alternative and (
            is_link or is_sign or html.has_class(element, "math", "tex", "latex", "mwe-math-fallback-image-inline")
        ):
            if not is_sign:
                self._line.set_apart()
            self._line.write(alternative)
        else:
            address = str(element.get("src") or "")
            self._losses.add("pictures", name=alternative or element.get("src"))
            self._writer.add_picture(partial(self._load_picture, address), alternative)
        if not is_sign and not self._writer.verbatim_depth:
            self._line.set_apart()

    def _add_formula(self, element: Any) -> None:
        if element.get("display") == "block":
            self._writer.flush()
            self._writer.add(formula_text(element))
        else:
            self._line.write_verbatim(formula_text(element))

    def _add_drawing(self, element: Any) -> None:
        texts = [
            html.words_in(each)
            for each in element.iter()
            if html.local_tag(each) in ("text", "foreignObject", "foreignobject")
        ]
        texts = [text for text in texts if text]
        self._line.set_apart()
        if len(texts) > 1 and not self._writer.verbatim_depth:
            self._writer.flush()
            self._writer.add("\n".join(texts))
        elif texts:
            self._line.write(" ".join(texts))
            self._line.set_apart()


def _is_second_formula(element: Any) -> bool:
    """What KaTeX and MathJax draw of a formula that stands in the page as MathML or TeX too."""
    if html.has_class(element, "katex-html"):
        return True
    if not html.has_class(element, "MathJax", "MathJax_Display", "MathJax_Preview", "MathJax_SVG", "MathJax_CHTML"):
        return False
    return any(
        each.tag == "script" and str(each.get("type") or "").startswith("math/tex")
        for _, each in zip(range(3), element.itersiblings(), strict=False)
    )
