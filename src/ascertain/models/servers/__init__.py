"""Models on servers: requests, what their failures mean, and leaving a server that failed alone."""
