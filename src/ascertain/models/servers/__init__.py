"""Models on servers: requests, the meaning of failures, and a pause for a failed server."""
