"""Small documents, and what is asked about them."""

REFUNDS = """# Refunds

## When you can get one

A refund is granted within 30 days of the purchase. The receipt must be shown.

## How it is paid

Refunds are paid to the card that was used for the purchase. This takes five working days.
"""
GEARBOX = """# Gearbox manual

Fault code GB-7731 means that the oil pressure is too low. Stop the engine and refill the oil.

The housing bolts are tightened to 45 newton metres in a star pattern.
"""
ENGINES = """# The first programmer

Ada Lovelace worked with Charles Babbage on the Analytical Engine in London. Charles Babbage was born in London.

The European Central Bank (ECB) sits in Frankfurt. The ECB keeps a portrait of Charles Babbage.
"""
TURIN = """# A lecture in Turin

The Analytical Engine was described by Luigi Menabrea. Charles Babbage had lectured on it in Turin.
"""
BITCOIN = """# The white paper

Satoshi Nakamoto published the paper on Bitcoin in October 2008. Satoshi Nakamoto wrote the first client of Bitcoin.
"""
QUESTION = "How long does it take until a refund is paid?"


def a_pdf(*pages):
    """A PDF with a page for each list of lines."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        text = "\n".join(f"BT /F0 12 Tf 60 {740 - 18 * at} Td ({line}) Tj ET" for at, line in enumerate(lines))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F0 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    body, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n".encode()
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    return body + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
