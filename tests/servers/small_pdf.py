"""PDF files of a few pages, written by hand so that tests know every word and where it stands."""

import io
import zlib

_FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}


def _escaped(text):
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _content(lines):
    """Text operators for (x, y, size, font, text) tuples."""
    names = list(_FONTS)
    return "\n".join(
        f"BT /F{names.index(font)} {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, size, font, text in lines
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
