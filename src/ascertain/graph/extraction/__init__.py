"""Reading names, relations and aliases out of chunks."""
