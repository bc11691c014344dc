"""Pictures of documents, described by a chat model that reads images when they are added."""
