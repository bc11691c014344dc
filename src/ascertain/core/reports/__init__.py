"""Results beyond single passages: analyses, overviews, research."""
