"""Pictures of a document as a chat model is shown them: those that may say something, in a form that every provider takes.

What is small, long and thin, of one colour, or stands on several pages is an icon, a line or a logo and is left out.
"""

import hashlib
import importlib
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

from ascertain.documents.formats.drafts.draft import DrawnPicture, clean_line
from ascertain.documents.formats.reader import Picture, SourceFile

LONGEST_SIDE = 1568
"""Pixels: Anthropic's models make what is larger smaller themselves, OpenAI's at 2048 (their guides to vision)."""
_MAX_PIXELS = 100_000_000
"""Of what is unpacked; a page at 600 dots an inch has 35 million (by judgement)."""
_MAX_BYTES = 4_000_000
"""Of one picture as it is sent; Anthropic takes 5 MB."""
_MOST_BYTES = 64_000_000
"""Of all pictures of one document, which go through one pipe and wait in memory."""
_LEAST_SIDE = 100
"""Pixels of the shorter side; what is smaller is an icon (by judgement)."""
_LONGEST_RATIO = 15
"""Of the longer to the shorter side; what is longer is a line or a border (by judgement)."""
_MOST_PLACES = 2
"""A picture that stands at more places of one document is a logo or an ornament (by judgement)."""
_KEPT_AS_THEY_ARE = {"PNG": "image/png", "JPEG": "image/jpeg"}
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_MOST_CAPTION = 500


def choose_pictures(file: SourceFile, drawn: Iterable[DrawnPicture]) -> tuple[Picture, ...]:
    """Those of ``drawn`` that may say something, each once, in their order; none where ``file.options`` want none."""
    if not file.options.reads_pictures:
        return ()
    loaded = [(each, data) for each in drawn if (data := _load(each))]
    digests = [hashlib.sha256(each.key or data).hexdigest() for each, data in loaded]
    places = Counter(digests)
    chosen: dict[str, Picture] = {}
    left = _MOST_BYTES
    for (each, data), digest in zip(loaded, digests, strict=True):
        if digest in chosen or places[digest] > _MOST_PLACES:
            continue
        shown = show_picture(data)
        if shown is None or len(shown.data) > left:
            continue
        left -= len(shown.data)
        chosen[digest] = Picture(
            digest,
            shown.data,
            shown.media_type,
            (shown.width, shown.height),
            each.position,
            each.place,
            clean_line(each.caption)[:_MOST_CAPTION],
        )
        file.options.on_piece()
    return tuple(chosen.values())


def _load(drawn: DrawnPicture) -> bytes:
    """The bytes of a picture; none where its part of the file is damaged or not there."""
    try:
        return drawn.load()
    except Exception:  # whatever archives and decoders make of damage: a picture fewer
        return b""


class _Shown:
    """A picture as it is sent."""

    __slots__ = ("data", "height", "media_type", "width")

    def __init__(self, data: bytes, media_type: str, size: Sequence[int]) -> None:
        self.data = data
        self.media_type = media_type
        self.width, self.height = size


def show_picture(data: bytes) -> _Shown | None:
    """The picture in ``data`` as it is sent; None for what is too small or plain to say something, damaged, or a drawing of lines
    (EMF, SVG).
    """
    library = cast("Any", importlib.import_module("PIL.Image"))
    library.MAX_IMAGE_PIXELS = None  # what is too large is left out below
    try:
        with library.open(io.BytesIO(data), formats=_FORMATS) as picture:
            width, height = picture.size
            is_thin = max(width, height) > _LONGEST_RATIO * min(width, height)
            if min(width, height) < _LEAST_SIDE or is_thin or width * height > _MAX_PIXELS:
                return None
            flat = put_on_white(picture)
            if all(low == high for low, high in flat.getextrema()):
                return None
            media_type = _KEPT_AS_THEY_ARE.get(picture.format)
            if media_type and max(width, height) <= LONGEST_SIDE and len(data) <= _MAX_BYTES:
                return _Shown(data, media_type, (width, height))
            return _pack_smaller(flat)
    except MemoryError:
        raise
    except Exception:  # whatever decoders make of damage: a picture fewer
        return None


def _pack_smaller(flat: Any) -> _Shown:
    """As PNG, which keeps the edges of charts; a photograph as JPEG, which is a tenth of it."""
    flat.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    packed = io.BytesIO()
    flat.save(packed, "PNG")
    if packed.tell() <= _MAX_BYTES // 4:
        return _Shown(packed.getvalue(), "image/png", flat.size)
    packed = io.BytesIO()
    flat.save(packed, "JPEG", quality=85)
    return _Shown(packed.getvalue(), "image/jpeg", flat.size)


def put_on_white(picture: Any) -> Any:
    """A picture of Pillow without transparency: letters on nothing are letters on paper."""
    library = cast("Any", importlib.import_module("PIL.Image"))
    if picture.mode.startswith("I;16"):
        # Pillow takes what is above 255 for white
        numpy = cast("Any", importlib.import_module("numpy"))
        picture = library.fromarray((numpy.asarray(picture, numpy.uint16) >> 8).astype(numpy.uint8))
    if "A" not in picture.getbands() and "transparency" not in picture.info:
        return picture.convert("RGB")
    clear = picture.convert("RGBA")
    paper = library.new("RGBA", clear.size, "white")
    paper.alpha_composite(clear)
    return paper.convert("RGB")
