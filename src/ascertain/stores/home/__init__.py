"""What is in the home of a knowledge base beside its store."""
