"""The subcommands, a module for each or for those that go together."""
