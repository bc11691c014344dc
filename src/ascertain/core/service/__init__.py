"""What a service stores and says of itself."""
