"""Manual pages, by the macros man(7) and mdoc(7) of roff."""
