"""Reading a page, or a piece of one, by walking the whole tree of its elements."""
