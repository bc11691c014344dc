"""Sources that are read again and again: on record, brought into step, watched."""
