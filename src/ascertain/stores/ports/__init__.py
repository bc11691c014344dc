"""The ports of the stores: chunks, the graph, conversations, the records of a service."""
