"""What a message means: an act on the conversation, or a question to the documents."""
