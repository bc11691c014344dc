"""Sources that are synced repeatedly: stored, synced, watched."""
