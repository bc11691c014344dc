"""Two runs compared, and what was compared as a page."""
