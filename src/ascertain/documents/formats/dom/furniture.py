"""What stands around the text of a page: navigation, the head and the foot of a site.

It is recognised by structure alone, never by words in names: by elements and roles that HTML has for it, by links to the pages before
and after, and by where blocks that hold nearly nothing but links stand.
"""

from typing import Any, NamedTuple

from ascertain.documents.formats.dom.elements import HEADINGS, SILENT, local_tag, role_of
from ascertain.documents.formats.reader import count_words

_ROLES = frozenset(("navigation", "banner", "contentinfo", "search"))
_CONTENT_ROLES = frozenset(("main", "article", "doc-chapter"))
_SECTIONING = frozenset(("article", "section", "main", "aside", "blockquote", "td", "li", "dialog"))
_LINK_SHARE = 0.6
"""Of the words of a block, those in links, from which it leads elsewhere and says nothing itself (by judgement: between a sentence with
links, under a half, and bars of links, over three quarters)."""
_DOMINANT_SHARE = 0.5
_LONGEST_BAR = 80
"""Words of a bar with links to the pages before and after, which repeats their titles."""
_LARGEST_FOOT = 0.34
"""The share of a page's words above which its foot is its text."""
_DEEPEST = 16
"""Levels of elements down from ``body`` on which bars are looked for."""
_MOST_REJECTED = 4
"""Landmarks in each other that hold text, from which those inside are not looked at: the time would be the square of their number."""
_FLOW = frozenset(("p", "ul", "ol", "dl", "li", "table", "pre", "section", "blockquote"))


class _Words(NamedTuple):
    all: int
    linked: int

    @property
    def is_links(self) -> bool:
        return self.all > 0 and self.linked >= _LINK_SHARE * self.all


def find_furniture(root: Any) -> set[Any]:
    """The topmost elements below ``root`` that are furniture; none where nothing else would be left."""
    body = next(root.iter("body"), root)
    total = _count(body)
    if not total.all:
        return set()
    furniture = _find_landmarks(body, total)
    furniture |= _find_edges(body, _neighbours(root), furniture)
    left = total.all - sum(_count(each).all for each in furniture)
    return furniture if left > 0 else set()


def _count(element: Any) -> _Words:
    """Words under an element and those in links, without scripts and the like."""
    words = linked = 0
    waiting = [(element, False)]
    while waiting:
        each, in_link = waiting.pop()
        tag = local_tag(each)
        if tag in SILENT or not tag:
            continue
        in_link = in_link or (tag == "a" and each.get("href") is not None)
        texts = [each.text, *(child.tail for child in each)]
        found = count_words(" ".join(text for text in texts if text))
        words += found
        linked += found if in_link else 0
        waiting += [(child, in_link) for child in each]
    return _Words(words, linked)


def _find_landmarks(body: Any, total: _Words) -> set[Any]:
    """Elements and roles for navigation, and the head and foot of the page itself."""
    landmarks: set[Any] = set()
    waiting = [(body, False, 0)]
    while waiting:
        element, in_section, rejected = waiting.pop()
        tag, role = local_tag(element), role_of(element)
        is_landmark = (
            tag == "nav" or role in _ROLES or role == "doc-toc" or (tag in ("header", "footer") and not in_section)
        )
        if is_landmark and element is not body and rejected < _MOST_REJECTED:
            if _is_around(element, tag, role, total):
                landmarks.add(element)
                continue
            rejected += 1
        in_section = in_section or tag in _SECTIONING or role in _CONTENT_ROLES
        waiting += [(child, in_section, rejected) for child in element if isinstance(child.tag, str)]
    return landmarks


def _is_around(element: Any, tag: str, role: str, total: _Words) -> bool:
    """Whether a landmark holds no text of the page: one that was never closed holds all of it."""
    if any(local_tag(each) in ("main", "article") or role_of(each) == "main" for each in element.iter()):
        return False
    words = _count(element)
    if tag == "header" or role == "banner":
        # the title of the page itself often stands in its head
        has_title = any(local_tag(each) in HEADINGS for each in element.iter())
        return words.is_links or not has_title
    unlinked = words.all - words.linked
    return words.is_links or unlinked <= _LARGEST_FOOT * total.all


def _neighbours(root: Any) -> frozenset[str]:
    """The addresses of the pages before, behind and above, as the head names them."""
    kinds = {"prev", "previous", "next", "up"}
    return frozenset(
        str(link.get("href"))
        for link in root.iter("link")
        if link.get("href") and kinds & set(str(link.get("rel")).lower().split())
    )


def _find_edges(body: Any, neighbours: frozenset[str], landmarks: set[Any]) -> set[Any]:
    """Bars beside the element that holds the text, on every level down to it."""
    edges: set[Any] = set()
    element = body
    target = _content_element(body)
    chain: set[Any] = set()
    if target is not None:
        chain = {target, *target.iterancestors()}
    for _ in range(_DEEPEST):
        children = [child for child in element if isinstance(child.tag, str) and child not in landmarks]
        if len(children) == 1 and children[0] is not target:
            element = children[0]
            continue
        counts = [_count(child) for child in children]
        inner = _inner_number(children, counts, chain)
        if inner is None:
            break
        for number, (child, words) in enumerate(zip(children, counts, strict=True)):
            if number != inner and words.all and _is_bar(child, words, neighbours, is_outside=target is not None):
                edges.add(child)
        element = children[inner]
        if element is target or (target is None and local_tag(element) in _FLOW):
            break
    return edges


def _content_element(body: Any) -> Any:
    """The element that says it holds the text, where there is one."""
    mains = [
        each for each in body.iter() if isinstance(each.tag, str) and (each.tag == "main" or role_of(each) == "main")
    ]
    articles = mains or list(body.iter("article"))
    return articles[0] if len(articles) == 1 else None


def _inner_number(children: list[Any], counts: list[_Words], chain: set[Any]) -> int | None:
    """Which child holds the text: that which leads to the content element, or most of the words."""
    if chain:
        return next((number for number, child in enumerate(children) if child in chain), None)
    total = sum(words.all for words in counts)
    return next((n for n, words in enumerate(counts) if words.all > _DOMINANT_SHARE * total), None)


def _is_bar(element: Any, words: _Words, neighbours: frozenset[str], *, is_outside: bool) -> bool:
    if local_tag(element) in HEADINGS:
        return False
    links = [each for each in element.iter("a") if each.get("href")]
    if words.all <= _LONGEST_BAR and any(_leads_on(link, neighbours) for link in links):
        return True
    if is_outside and local_tag(element) == "aside":
        return True
    return len(links) > 1 and words.is_links and (is_outside or not _is_flow(element))


def _leads_on(link: Any, neighbours: frozenset[str]) -> bool:
    return str(link.get("href")) in neighbours or bool({"prev", "next"} & set(str(link.get("rel")).lower().split()))


def _is_flow(element: Any) -> bool:
    """Whether an element is a paragraph or the like in the text itself, such as a list of links."""
    return local_tag(element) in _FLOW
