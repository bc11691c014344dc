"""Pictures of documents, described by a chat model that sees when they are added."""
