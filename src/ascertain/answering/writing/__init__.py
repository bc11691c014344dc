"""What a chat model writes: parsed, shown while it is written, repaired after the check."""
