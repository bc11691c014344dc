"""The JSON of the service: what it takes, checked, and what it gives, as its OpenAPI description says it."""
