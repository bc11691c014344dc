"""How the words of a question meet those of a text: the fact it asks for, the kind, the words that tell."""
