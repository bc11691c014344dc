"""Settings tried against each other: sweeps, tiers, and a fit to a user's own questions."""
