"""Ascertain for programs that speak the Model Context Protocol: tools to search, ask, add and list; extra ``mcp``."""
