"""PDF files of a few pages, written by hand so that tests know every word and where it stands."""

import io
import zlib

_FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}


def _escaped(text):
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _content(lines):
    """Text operators for (x, y, size, font, text) tuples; what has one more is set sideways, upwards."""
    names = list(_FONTS)
    return "\n".join(
        f"BT /F{names.index(font)} {size} Tf {'0 1 -1 0' if turned else '1 0 0 1'} {x} {y} Tm ({_escaped(text)}) Tj ET"
        for x, y, size, font, text, *turned in lines
    )


def small_pdf(pages, title=None, *, encrypted=False, compressed=False, box="0 0 600 800", rotate=0):
    count = len(pages)
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(count))
    first_font = 3 + 2 * count
    fonts = " ".join(f"/F{n} {first_font + n} 0 R" for n in range(len(_FONTS)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode()]
    for number, lines in enumerate(pages):
        stream = _content(lines).encode("cp1252")
        packing = ""
        if compressed:
            stream, packing = zlib.compress(stream), " /Filter /FlateDecode"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Rotate {rotate} /Contents {4 + 2 * number} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(stream)}{packing} >>\nstream\n".encode() + stream + b"\nendstream")
    objects += [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in _FONTS.values()
    ]
    trailer = f"/Size {len(objects) + 3} /Root 1 0 R"
    if title:
        objects.append(f"<< /Title ({_escaped(title)}) /CreationDate (D:20240102030405Z) >>".encode())
        trailer += f" /Info {len(objects)} 0 R"
    if encrypted:
        secret = "<" + "ab" * 32 + ">"
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O {secret} /U {secret} /P -4 >>".encode())
        trailer += f" /Encrypt {len(objects)} 0 R /ID [<00> <00>]"
    return _write_objects(objects, trailer)


def annotated_pdf(lines, annotations=(), *, fields=(), attached=()):
    """A page of (x, y, size, font, text) with annotations and fields of a form as the insides of their dictionaries, and files (name, bytes)."""
    first = 5 + len(_FONTS)
    extra = [f"<< /Type /Annot {each} >>".encode() for each in (*annotations, *fields)]
    references = " ".join(f"{first + number} 0 R" for number in range(len(extra)))
    form = " ".join(f"{first + len(annotations) + number} 0 R" for number in range(len(fields)))
    names = ""
    for name, data in attached:
        number = first + len(extra)
        extra.append(f"<< /Type /EmbeddedFile /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream")
        extra.append(f"<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F {number} 0 R >> >>".encode())
        names += f"({name}) {number + 1} 0 R "
    fonts = " ".join(f"/F{n} {5 + n} 0 R" for n in range(len(_FONTS)))
    stream = _content(lines).encode("cp1252")
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{form}] >> "
        f"/Names << /EmbeddedFiles << /Names [{names}] >> >> >>".encode(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [{references}] "
        f"/Resources << /Font << {fonts} >> >> >>".encode(),
        f"<< /Length {len(stream)} >>\nstream\n".encode() + stream + b"\nendstream",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in _FONTS.values()
        ),
        *extra,
    ]
    return _write_objects(objects, f"/Size {len(objects) + 1} /Root 1 0 R")


def _write_objects(objects, trailer):
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.writelines(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out.write(f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()
