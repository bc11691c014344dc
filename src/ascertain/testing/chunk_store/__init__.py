"""What a chunk store must do, by what it is asked."""
