"""Spreadsheets: Excel workbooks and those of OpenDocument."""
