"""The chunk store in Qdrant: a server by address, or the same engine inside the process on a folder of the home.

Qdrant has no transactions; ``writes`` and ``versions`` say how documents are whole nevertheless.
"""
