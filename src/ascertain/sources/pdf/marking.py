"""Marking words on the picture of a page, as with a text marker."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ascertain.sources.pdf.drawing import Box, Pixels

_MARKER = (255, 226, 92)
"""The page is multiplied with this colour, so that black stays black and paper becomes yellow."""
_MARGIN = 1
"""Pixels that a mark stands out beyond its letters."""
_GAP = 1.0
"""Letters this many times their height apart are marked as one: a space between words is a third of it, one between columns more."""


def marked(pixels: Pixels, boxes: Sequence[Box]) -> Pixels:
    """``pixels`` with the boxes marked, those of one line together; changed in place."""
    height, width, _ = pixels.shape
    is_marked = np.zeros((height, width), np.bool_)
    for box in _lines(boxes):
        rows = slice(max(0, box.top - _MARGIN), box.bottom + _MARGIN)
        is_marked[rows, max(0, box.left - _MARGIN) : box.right + _MARGIN] = True
    marker = np.array(_MARKER, np.uint16)
    pixels[is_marked] = (pixels[is_marked] * marker // 255).astype(np.uint8)
    return pixels


def _lines(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that follow each other in one line joined."""
    lines: list[Box] = []
    for box in boxes:
        if lines and _is_beside(lines[-1], box):
            lines.append(_around(lines.pop(), box))
        else:
            lines.append(box)
    return lines


def _around(first: Box, second: Box) -> Box:
    return Box(
        min(first.left, second.left),
        min(first.top, second.top),
        max(first.right, second.right),
        max(first.bottom, second.bottom),
    )


def _is_beside(line: Box, box: Box) -> bool:
    shared = min(line.bottom, box.bottom) - max(line.top, box.top)
    height = min(line.bottom - line.top, box.bottom - box.top)
    gap = max(box.left - line.right, line.left - box.right)
    return shared >= height / 2 and gap <= _GAP * max(height, 1)
