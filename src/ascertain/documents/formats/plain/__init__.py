"""Plain text as a tree: the kind of a line is recognised by its layout, never by its words."""
