"""News providers behind one port."""
