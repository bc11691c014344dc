"""Everything that is plain SQL, once for SQLite and PostgreSQL, over the small dialect of ``database.py``."""
