"""Who asks: keys, sessions, signing in, users."""
