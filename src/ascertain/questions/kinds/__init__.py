"""Questions that are answered in ways of their own: of periods, of the catalogue, of whole documents, of moments."""
