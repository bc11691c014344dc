"""What speaks against a claim, one module for each kind of error."""
