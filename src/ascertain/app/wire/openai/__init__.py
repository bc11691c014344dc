"""The shapes of OpenAI's API."""
