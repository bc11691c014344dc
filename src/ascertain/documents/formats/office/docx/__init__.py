"""Word documents: styles, numbers, tables, notes and what else Word shows (ECMA-376 part 1, 17)."""
