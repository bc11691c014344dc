"""Research for one tenant: composed, stored, resumed."""
