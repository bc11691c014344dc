"""A question as a query over a table: its conditions, columns, measures and subjects."""
