"""Embedding models beside the ONNX ones: of libraries, and on servers."""
