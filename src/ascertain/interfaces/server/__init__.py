"""The HTTP service: FastAPI over the app."""
