"""Research for one tenant: composed, kept on record, resumed."""
