"""Documents, sheets, slides and books: files of office programs and the like."""
