"""Text of documents where it may be read as Markdown.

A document may hold an image, a link or HTML on purpose: a program that renders an answer as Markdown would load the
image from wherever the document says, and so tell its author who asked what. What is written stays readable; nothing in
it is live. Addresses that stand there openly are left as they are.
"""

import re

_LINK_MIDDLE = re.compile(r"\](?=[(\[:])")
"""Every link, image, footnote and definition of a link has its bracket closed right before one of these (CommonMark 6.3,
4.7)."""
_TAG_OPENING = re.compile(r"<(?=[A-Za-z/!?]|[^\s<>\u2039]*@)")
"""Opens a tag, a comment, an address in angle brackets (CommonMark 6.5, 6.6); "p < 0.05" and "<5 %" do not."""


def disarm_markdown(text: str) -> str:
    """``text`` without live images, links and HTML, however Markdown is read; rendered it shows what was written.

    An angle bracket becomes a single angle quotation mark, as programs that show HTML know no way to escape it.
    """
    return _TAG_OPENING.sub("\u2039", _LINK_MIDDLE.sub(r"]\\", text))
