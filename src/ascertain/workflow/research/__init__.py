"""Research by several agents: a supervisor of at most ten steps, whose every step is stored."""
