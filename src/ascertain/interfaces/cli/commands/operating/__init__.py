"""What operators run: the service, its keys and users, the database."""
