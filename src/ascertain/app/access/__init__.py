"""Who may see and change what: keys, people who sign in, what servers require of a connection."""
