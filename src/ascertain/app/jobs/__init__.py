"""Background jobs: documents added while the caller goes on."""
