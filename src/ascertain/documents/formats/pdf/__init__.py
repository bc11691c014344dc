"""Reading PDF: words to lines, lines to columns, columns to paragraphs and sections."""
