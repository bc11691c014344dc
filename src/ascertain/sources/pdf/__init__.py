"""Reading PDF: glyphs to lines, lines to columns, columns to paragraphs and sections."""
