"""Documents, their sources and their graph."""
