"""Answers beyond single passages: analyses of periods, research by several agents, tables that are computed."""
