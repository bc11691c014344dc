"""The subcommands, one module for each or for related ones."""
