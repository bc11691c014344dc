"""The embedded store: one folder, no server.

``record.sqlite3`` is the record. The Tantivy index in ``lexical/`` and the FAISS index in ``vectors/`` are derived
from it through its change log and can be deleted at any time.
"""
