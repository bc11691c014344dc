"""What holds for the text and the blocks of every document, whatever it was read from."""

# pyright: basic

from ascertain.core.documents.blocks import LAYOUT, BlockKind
from ascertain.core.documents.documents import Document


def check_document(document: Document) -> None:
    """Assert that the text is clean, that the blocks lie in it as ``BlockIndex`` needs them, and that they cover its words."""
    text = document.text
    assert text.strip()
    assert text == text.rstrip().lstrip("\n")
    text.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\n\t" for character in text)
    assert document.title.strip()
    assert document.published_at is None or document.published_at.utcoffset() is not None
    check_layout(document)
    check_tree(document)


def check_layout(document: Document) -> None:
    """Assert that blocks of one kind of layout are in order and apart, and come before the others."""
    layout = [block for block in document.blocks if block.kind in LAYOUT]
    assert list(document.blocks[: len(layout)]) == layout
    order = [(block.kind, block.span.start) for block in layout]
    assert order == sorted(order)
    for kind in LAYOUT:
        end = 0
        for block in document.blocks_of(kind):
            assert end <= block.span.start < block.span.end <= len(document.text)
            words = block.span.of(document.text)
            assert words == words.rstrip().lstrip("\n")
            end = block.span.end


def check_tree(document: Document) -> None:
    """Assert that each block lies in its parent and behind the one before it, and that every word stands in one or in a turn."""
    text, content = document.text, document.tree.content()
    open_spans = [(-1, 0, len(text))]
    for block in content:
        while open_spans[-1][0] >= block.depth:
            depth, _, end = open_spans.pop()
            if depth == block.depth:
                assert end <= block.span.start, block
        depth, start, end = open_spans[-1]
        assert depth == block.depth - 1 or block.depth == 0, block
        assert start <= block.span.start < block.span.end <= end, block
        words = block.span.of(text)
        assert words == words.rstrip().lstrip("\n"), block
        open_spans.append((block.depth, block.span.start, block.span.end))
    covered = sorted([*(block.span for block in content), *(turn.span for turn in document.blocks_of(BlockKind.TURN))])
    end = 0
    for span in covered:
        assert not text[end : span.start].strip() or document.blocks_of(BlockKind.TURN), text[end : span.start][:80]
        end = max(end, span.end)
    assert not text[end:].strip() or document.blocks_of(BlockKind.TURN), text[end:][:80]
