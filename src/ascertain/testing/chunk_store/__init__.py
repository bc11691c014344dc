"""What every chunk store does, in parts."""
