"""Documents on their way in: where they come from, how each format is read, how they are cut and stored."""
