"""What a chat model writes: read in the form it has, shown while it is written, mended once it was checked."""
