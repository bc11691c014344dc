"""How documents of each kind are cut into chunks."""
