"""The text of a document while it is put together."""
