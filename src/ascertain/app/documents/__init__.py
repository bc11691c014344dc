"""Looking at documents: lists, text around a quotation, pages as pictures, notebooks."""
