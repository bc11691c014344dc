"""Messages that need the conversation: acts on it, follow-ups, its topics."""
