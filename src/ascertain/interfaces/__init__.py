"""What people and programs meet: the command line, the service with its page, tools for agents, retrievers for frameworks."""
