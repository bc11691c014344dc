"""Documents, their blocks, and the results of adding them."""
