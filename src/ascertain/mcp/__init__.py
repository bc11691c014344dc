"""Tools for other programs' models, by the Model Context Protocol."""
