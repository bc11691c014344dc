"""The agents of research: each turns typed results of others into one of its own. ``workflow.research`` sends them."""
